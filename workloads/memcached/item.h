// The store of memcached as both sides see it. Items lie one after the other in one heap, each a multiple of 16 bytes:
// the header, the key's bytes, the value from the next multiple of 4 on. Places are counted in units of 16 bytes; place
// 0 means none.
#pragma once

static const unsigned kUnit = 16;
static const unsigned kLongestKey = 40;
static const unsigned kRequestBytes = 48;   // one request: its length in the first byte, then the key
static const unsigned kLongestValue = 256;  // bytes, and the space of one response
static const unsigned kResponseWords = 1 + kLongestValue / 4;  // the length first

struct ItemHeader {
  unsigned next;  // place of the next item with the same bucket
  unsigned hash;
  unsigned short key_bytes;
  unsigned short value_bytes;
  unsigned flags;
};
