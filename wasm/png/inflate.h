/* Streaming inflate (RFC 1950, 1951) with fixed memory: 32 KB of history and up to 256 KB of new bytes. */
#ifndef PNG_INFLATE_H
#define PNG_INFLATE_H
#include "host.h"

/* Callback that receives decompressed bytes in order. */
typedef void InflateTaker(void *context, const u8 *bytes, u32 count);

/* Index bits of the first level of the decoding tables, and total table entries. Codes have at most 15 bits, so that a
 * second level has 16 or 64 entries. A complete code has at most 143 second levels for 286 literals, and 15 for 30
 * distances. */
#define LITERAL_BITS 11
#define DISTANCE_BITS 9
#define LITERAL_ENTRIES ((1 << LITERAL_BITS) + 2400)
#define DISTANCE_ENTRIES ((1 << DISTANCE_BITS) + 1200)

/* Bit reader: bits read from the input but not consumed, lowest first. */
typedef struct {
  u64 bits;
  u32 count;
  u32 at; /* offset of the next input byte */
} BitReader;

typedef struct {
  InflateTaker *take;
  void *context;
  u8 *out, *in;
  u32 out_end, out_given; /* bytes in `out`, and how many of them were passed to the callback */
  u32 in_end;
  BitReader reader;
  int state; /* next element of the stream (states in inflate.c) */
  bool last_block;
  u32 stored_left; /* remaining bytes of a stored block */
  u32 adler;
  /* Huffman decoding table entry: symbol << 16 | length. A link to a second level has bit 7 set: offset << 16 | bits <<
   * 8 | 128. */
  u32 literal_table[LITERAL_ENTRIES], distance_table[DISTANCE_ENTRIES];
  u8 pattern_of[16][16]; /* [distance]: byte shuffle that repeats the first `distance` bytes of a vector */
} Inflate;

/* Starts a zlib stream. Decompressed bytes are passed to `take`. */
void inflate_begin(Inflate *s, InflateTaker *take, void *context);
/* Decompresses the next bytes of the stream. Bytes after its end are ignored. */
void inflate_push(Inflate *s, const u8 *bytes, u32 count);
/* Fails with FAIL_TRUNCATED unless the stream is complete. */
void inflate_end(Inflate *s);
#endif
