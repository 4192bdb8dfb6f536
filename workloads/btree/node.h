// The node of the B+ tree as both sides see it: an array of structures, one node after the other, 2 KiB each.
#pragma once

static const int kFanout = 256;

struct BtreeNode {
  int location;
  int indices[kFanout + 1];  // children, or records in a leaf
  // keys[i] is the least key below indices[i], in inner nodes keys[0] is below every key; unused ones are INT_MAX.
  int keys[kFanout + 1];
  int is_leaf;
  int key_count;
};
