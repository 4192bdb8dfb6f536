// What streamcluster knows of a point besides its coordinates, as both sides see it.
#pragma once

struct ClusterPoint {
  float weight;
  float cost;        // weighted squared distance to its centre
  long long centre;  // the point that is its centre
};
