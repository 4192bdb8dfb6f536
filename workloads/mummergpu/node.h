// The suffix tree of mummergpu as both sides see it: two arrays of 16-byte records and one of 8 bytes, indexed by the
// node's number. Node 0 is the root; as a child, 0 means none.
#pragma once

static const unsigned kReadLength = 25;
static const unsigned kLeastMatch = 20;

struct alignas(16) SuffixNode {
  unsigned start;   // of the edge from the parent, in the reference
  unsigned length;  // of that edge
  unsigned link;    // suffix link
  unsigned depth;   // bases from the root to the node
};

struct alignas(16) SuffixChildren {
  unsigned base[4];
};

struct alignas(8) SuffixUp {
  unsigned parent;
  unsigned end_child;  // the leaf that begins with the end of the reference
};

struct alignas(8) SuffixMatch {
  unsigned node;  // at or below the end of the match
  unsigned length;
};

struct alignas(8) SuffixPlaces {
  unsigned count;
  unsigned first;  // smallest place in the reference
};
