/* Streaming inflate (RFC 1950, 1951) in fixed memory: 32 KB of history and up to 256 KB of new bytes. */
#ifndef PNG_INFLATE_H
#define PNG_INFLATE_H
#include "host.h"

/* Receives decompressed bytes, in order. */
typedef void InflateTaker(void *context, const u8 *bytes, u32 count);

/* Index bits of the first level of the decoding tables, and their entries. Codes have at most 15 bits, so a second
 * level has 16 or 64 entries. A complete code of 286 literals has at most 143 second levels, one of 30 distances at
 * most 15. */
#define LITERAL_BITS 11
#define DISTANCE_BITS 9
#define LITERAL_ENTRIES ((1 << LITERAL_BITS) + 2400)
#define DISTANCE_ENTRIES ((1 << DISTANCE_BITS) + 1200)

/* Bits that are read from the input but not used yet, lowest first. */
typedef struct {
  u64 bits;
  u32 count;
  u32 at; /* next byte of the input */
} BitReader;

typedef struct {
  InflateTaker *take;
  void *context;
  u8 *out, *in;
  u32 out_end, out_given; /* bytes in `out`, and how many of them the taker has */
  u32 in_end;
  BitReader reader;
  int state; /* what comes next in the stream (inflate.c) */
  bool last_block;
  u32 stored_left; /* bytes of a stored block still to come */
  u32 adler;
  /* Entry: symbol << 16 | length. A link to a second level has bit 7 set: offset << 16 | bits << 8 | 128. */
  u32 literal_table[LITERAL_ENTRIES], distance_table[DISTANCE_ENTRIES];
  u8 pattern_of[16][16]; /* [distance]: shuffle that repeats the first `distance` bytes of a vector */
} Inflate;

/* Begins a zlib stream whose bytes go to `take`. */
void inflate_begin(Inflate *s, InflateTaker *take, void *context);
/* Takes the next bytes of the stream. Bytes after its end are ignored. */
void inflate_push(Inflate *s, const u8 *bytes, u32 count);
/* Ends the job with FAIL_TRUNCATED unless the stream was complete. */
void inflate_end(Inflate *s);
#endif
