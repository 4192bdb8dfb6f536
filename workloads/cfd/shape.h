// Constants of the Euler solver that kernels and host share.
#pragma once

static const int kVariables = 5;
static const int kFaces = 4;
static const int kWall = -1;  // as a neighbour
static const int kFarField = -2;
static const float kGamma = 1.4f;
static const float kSmoothing = 0.2f;
