// A database record as both sides see it: 10 bytes of key, 90 of payload.
#pragma once

static const int kKeyBytes = 10;
static const int kPayloadBytes = 90;

struct alignas(4) Record {
  unsigned char key[kKeyBytes];
  unsigned char payload[kPayloadBytes];
};
static_assert(sizeof(Record) == 100, "records lie back to back");

static const unsigned kRecordWords = sizeof(Record) / 4;
