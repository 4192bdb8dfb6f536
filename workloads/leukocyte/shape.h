// Sizes and constants of leukocyte that kernels and host share; the sizes are Rodinia's.
#pragma once

static const int kCircles = 7;
static const int kCirclePoints = 150;
static const int kLeastRadius = 8;  // the next circles are two pixels larger each
static const int kMargin = kLeastRadius + 2 * (kCircles - 1) + 2;
static const int kDiscRadius = 12;
static const int kDiscSide = 2 * kDiscRadius + 1;
static const int kFieldRows = 41;
static const int kFieldColumns = 81;
static const int kFlowThreads = 320;
static const int kPixelsPerThread = (kFieldRows * kFieldColumns + kFlowThreads - 1) / kFlowThreads;
static const float kFlowRate = 0.05f;
static const float kFidelity = 0.1f;
static const float kStepSharpness = 20.0f;
static const float kHalfPi = 1.57079633f;
static const float kInversePi = 0.318309886f;
