// What streamcluster knows of a point besides its coordinates, as both sides see it.
#pragma once

// 32 bytes, as in Rodinia, where a pointer to the coordinates is among them.
struct ClusterPoint {
  float weight;
  unsigned long long coordinates;  // only its place counts: they are found by the point's number
  long long centre;                // the point that is its centre
  float cost;                      // weighted squared distance to its centre
};
