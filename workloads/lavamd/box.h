// Boxes and particles of lavamd as both sides see them: arrays of structures, in double precision as in Rodinia.
#pragma once

static const int kParticlesPerBox = 100;
static const int kMostNeighbours = 26;

struct Neighbour {
  int x, y, z;
  int number;
  long long offset;  // of the first particle
};

struct Box {
  int x, y, z;
  int number;
  long long offset;
  int neighbour_count;
  Neighbour neighbours[kMostNeighbours];
};

struct Particle {
  double v, x, y, z;
};
