/* Streaming inflate (RFC 1950, 1951) with a fixed output buffer: 32 KB of history and 256 KB of news. */
#include "engine.h"

#include <wasm_simd128.h>

#define HISTORY 32768u
#define OUT_BYTES (HISTORY + 262144u)
#define OUT_SLACK 320u /* one match and an over-long copy */
#define IN_BYTES (1u << 17)
#define HEADER_BYTES 320u /* a dynamic block header: 14 + 19 * 3 + 316 * 7 bits at most */
#define SYMBOL_BYTES 16u  /* a length and a distance with their extra bits: 48 bits */

enum { ZLIB_HEADER, BLOCK_HEADER, STORED, SYMBOLS, TRAILER, DONE };

static u8 *out, *in;
static u32 out_end, out_given; /* bytes in `out`, and how many of them were handed on */
static u32 in_end, in_at;
static u64 bits;
static u32 bit_count;
static int state;
static bool last_block;
static u32 stored_left, adler;

/* Decoding tables: entry = symbol << 16 | length; a link has bit 7 set: subtable offset << 16 | bits << 8 | 128. */
#define LITERAL_BITS 11
#define DISTANCE_BITS 9
static u32 literal_table[2048 + 2400], distance_table[512 + 1200];

static const u16 length_base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const u8 length_extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const u16 distance_base[30] = {1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
                                      193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const u8 distance_extra[30] = {0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

static u8 pattern_of[16][16]; /* places in a vector that repeats so many bytes */

static _Noreturn void damaged(const char *what) { host_fail(FAIL_DAMAGED, what); }
static _Noreturn void truncated(void) { host_fail(FAIL_TRUNCATED, "the image data end too early"); }

/* Builds a two-level table of the canonical code (RFC 1951, 3.2.2); false when it is over-subscribed. */
static bool build_table(const u8 *lengths, int count, int root_bits, u32 *table, u32 capacity) {
  u32 of_length[16] = {0}, next[16], code = 0, left = 1;
  for (int i = 0; i < count; i++) of_length[lengths[i]]++;
  of_length[0] = 0;
  for (int l = 1; l < 16; l++) {
    left <<= 1;
    if (of_length[l] > left) return false;
    left -= of_length[l];
    code = (code + of_length[l - 1]) << 1;
    next[l] = code;
  }
  const u32 root = 1u << root_bits;
  u32 used = root;
  memset(table, 0, root * sizeof *table);
  for (int l = 1; l < 16; l++)
    for (int i = 0; i < count; i++) {
      if (lengths[i] != l) continue;
      u32 c = next[l]++, reversed = 0, entry = (u32)i << 16 | (u32)l;
      for (int k = 0; k < l; k++) reversed |= (c >> k & 1) << (l - 1 - k);
      if (l <= root_bits) {
        for (u32 k = reversed; k < root; k += 1u << l) table[k] = entry;
        continue;
      }
      u32 low = reversed & (root - 1);
      const u32 sub_bits = 15 - root_bits;
      if (!table[low]) {
        if (used + (1u << sub_bits) > capacity) return false;
        table[low] = used << 16 | sub_bits << 8 | 128;
        memset(table + used, 0, sizeof *table << sub_bits);
        used += 1u << sub_bits;
      }
      u32 *sub = table + (table[low] >> 16);
      for (u32 k = reversed >> root_bits; k < 1u << sub_bits; k += 1u << (l - root_bits)) sub[k] = entry;
    }
  return true;
}

void inflate_begin(void) {
  if (!out) {
    out = allocate(OUT_BYTES + OUT_SLACK);
    in = allocate(IN_BYTES + SYMBOL_BYTES);
    for (int distance = 1; distance < 16; distance++)
      for (int i = 0; i < 16; i++) pattern_of[distance][i] = i % distance;
  }
  out_end = out_given = in_end = in_at = 0;
  bits = bit_count = 0;
  state = ZLIB_HEADER;
  last_block = false;
  adler = 1;
}

/* Hands on what is new and keeps the last 32 KB. */
static void deliver(void) {
  if (out_end > out_given) {
    adler = adler32_of(adler, out + out_given, out_end - out_given);
    source_bytes(out + out_given, out_end - out_given);
  }
  if (out_end > HISTORY) {
    memmove(out, out + out_end - HISTORY, HISTORY);
    out_end = HISTORY;
  }
  out_given = out_end;
}

/* Past the end zeros are read; callers compare in_at with in_end before they trust them. */
static inline void need(u32 count) {
  while (bit_count < count) {
    bits |= (u64)(in_at < in_end ? in[in_at] : 0) << bit_count;
    in_at++;
    bit_count += 8;
  }
}
static inline u32 take(u32 count) {
  u32 v = (u32)(bits & ((1ull << count) - 1));
  bits >>= count;
  bit_count -= count;
  return v;
}
static void drop_to_byte(void) { take(bit_count & 7); }
/* Gives whole bytes in `bits` back to the input. */
static void return_bytes(void) {
  in_at -= bit_count >> 3;
  bits = bit_count = 0;
}

static void fixed_codes(void) {
  u8 lengths[288];
  memset(lengths, 8, 144);
  memset(lengths + 144, 9, 112);
  memset(lengths + 256, 7, 24);
  memset(lengths + 280, 8, 8);
  build_table(lengths, 288, LITERAL_BITS, literal_table, sizeof literal_table / 4);
  memset(lengths, 5, 30);
  build_table(lengths, 30, DISTANCE_BITS, distance_table, sizeof distance_table / 4);
}

static void dynamic_codes(void) { /* RFC 1951, 3.2.7 */
  static const u8 order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  u8 lengths[320] = {0};
  u32 table[128];
  need(14);
  u32 literals = take(5) + 257, distances = take(5) + 1, codes = take(4) + 4, total = literals + distances;
  if (literals > 286 || distances > 30) damaged("too many codes in a deflate block");
  for (u32 i = 0; i < codes; i++) {
    need(3);
    lengths[order[i]] = take(3);
  }
  if (!build_table(lengths, 19, 7, table, 128)) damaged("over-subscribed code lengths");
  memset(lengths, 0, sizeof lengths);
  for (u32 i = 0; i < total;) {
    need(14);
    u32 entry = table[bits & 127];
    if (!entry) damaged("an unused code in the code lengths");
    take(entry & 31);
    u32 symbol = entry >> 16;
    if (symbol < 16) {
      lengths[i++] = symbol;
      continue;
    }
    u32 repeat, value = 0;
    if (symbol == 16) {
      if (!i) damaged("a repeat without a code length before it");
      value = lengths[i - 1];
      repeat = 3 + take(2);
    } else {
      repeat = symbol == 17 ? 3 + take(3) : 11 + take(7);
    }
    if (i + repeat > total) damaged("too many code lengths");
    while (repeat--) lengths[i++] = value;
  }
  u8 distance_lengths[30] = {0};
  memcpy(distance_lengths, lengths + literals, distances);
  if (!build_table(lengths, literals, LITERAL_BITS, literal_table, sizeof literal_table / 4) ||
      !build_table(distance_lengths, 30, DISTANCE_BITS, distance_table, sizeof distance_table / 4))
    damaged("over-subscribed codes in a deflate block");
}

static inline u32 decode(const u32 *table, u32 root_bits) {
  u32 entry = table[bits & ((1u << root_bits) - 1)];
  if (entry & 128) entry = table[(entry >> 16) + ((bits >> root_bits) & ((1u << (entry >> 8 & 31)) - 1))];
  if (!entry) damaged("an unused code in the image data");
  take(entry & 31);
  return entry >> 16;
}

/* Literals and matches until the end of the block (true) or until more input is needed (false). */
static bool inflate_symbols(bool at_end) {
  for (;;) {
    if (out_end >= OUT_BYTES) deliver();
    if (in_at + SYMBOL_BYTES > in_end && !at_end) return false;
    if (in_at > in_end + 8) truncated();
    if (in_at + 8 <= in_end) {
      u64 word;
      memcpy(&word, in + in_at, 8);
      bits |= word << bit_count;
      u32 whole = (63 - bit_count) >> 3;
      in_at += whole;
      bit_count += whole * 8;
      bits &= (1ull << bit_count) - 1; /* bit_count is at most 63 */
    } else {
      need(48);
    }
    u32 symbol = decode(literal_table, LITERAL_BITS);
    if (symbol < 256) {
      out[out_end++] = symbol;
      if (bit_count < 48) continue;
      symbol = decode(literal_table, LITERAL_BITS); /* the bits that are there suffice for one more */
      if (symbol < 256) {
        out[out_end++] = symbol;
        continue;
      }
    }
    if (symbol == 256) return true;
    symbol -= 257;
    if (symbol > 28) damaged("a match length out of range");
    u32 length = length_base[symbol] + take(length_extra[symbol]);
    symbol = decode(distance_table, DISTANCE_BITS);
    if (symbol > 29) damaged("a match distance out of range");
    u32 distance = distance_base[symbol] + take(distance_extra[symbol]);
    if (distance > out_end) damaged("a match from before the image data");
    u8 *to = out + out_end, *from = to - distance;
    out_end += length;
    u8 *end = to + length;
    if (distance >= 16) {
      for (; to < end; to += 16, from += 16) memcpy(to, from, 16);
    } else { /* a pattern, as often as it fits into a vector */
      const v128_t pattern = wasm_i8x16_swizzle(wasm_v128_load(from), wasm_v128_load(pattern_of[distance]));
      for (const u32 step = 16 - 16 % distance; to < end; to += step) wasm_v128_store(to, pattern);
    }
  }
}

/* Copies stored bytes; false when more input is needed. */
static bool inflate_stored(void) {
  while (stored_left) {
    if (out_end >= OUT_BYTES) deliver();
    u32 run = in_end > in_at ? in_end - in_at : 0;
    if (!run) return false;
    if (run > stored_left) run = stored_left;
    if (run > OUT_BYTES - out_end) run = OUT_BYTES - out_end;
    memcpy(out + out_end, in + in_at, run);
    out_end += run;
    in_at += run;
    stored_left -= run;
  }
  return true;
}

static void inflate_run(bool at_end) {
  for (bool more = true; more && state != DONE;) {
    u32 available = in_end > in_at ? in_end - in_at : 0;
    if (at_end && in_at > in_end + 8) truncated();
    switch (state) {
      case ZLIB_HEADER: /* RFC 1950, 2.2: CMF, FLG */
        if (available < 2) {
          more = false;
          break;
        }
        if ((in[in_at] & 15) != 8 || (in[in_at] << 8 | in[in_at + 1]) % 31 || in[in_at + 1] & 32) damaged("not a zlib stream");
        in_at += 2;
        state = BLOCK_HEADER;
        break;
      case BLOCK_HEADER:
        if (last_block) {
          drop_to_byte();
          return_bytes();
          state = TRAILER;
          break;
        }
        if (available < HEADER_BYTES && !at_end) {
          more = false;
          break;
        }
        need(3);
        last_block = take(1);
        switch (take(2)) {
          case 0: {
            drop_to_byte();
            need(32);
            u32 length = take(16), complement = take(16);
            if ((length ^ complement) != 65535) damaged("a stored block's length is wrong");
            return_bytes();
            stored_left = length;
            state = STORED;
            break;
          }
          case 1:
            fixed_codes();
            state = SYMBOLS;
            break;
          case 2:
            dynamic_codes();
            state = SYMBOLS;
            break;
          default: damaged("a deflate block of an unknown type");
        }
        break;
      case STORED:
        if (inflate_stored()) state = BLOCK_HEADER;
        else more = false;
        break;
      case SYMBOLS:
        if (inflate_symbols(at_end)) state = BLOCK_HEADER;
        else more = false;
        break;
      case TRAILER: { /* RFC 1950, 2.2: ADLER32 */
        if (available < 4) {
          more = false;
          break;
        }
        deliver();
        const u8 *p = in + in_at;
        if (adler != ((u32)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3])) damaged("the image data's checksum is wrong");
        in_at += 4;
        state = DONE;
        break;
      }
    }
  }
  if (at_end && state != DONE) truncated();
  /* Keep what was not consumed, whole bytes in `bits` included. in_at is past the end only at the end of the stream. */
  in_at -= bit_count >> 3;
  bit_count &= 7;
  bits &= (1u << bit_count) - 1;
  if (in_at < in_end) memmove(in, in + in_at, in_end - in_at);
  in_end = in_at < in_end ? in_end - in_at : 0;
  in_at = 0;
}

void inflate_push(const u8 *bytes, u32 count) {
  while (count && state != DONE) {
    u32 run = IN_BYTES - in_end;
    if (run > count) run = count;
    memcpy(in + in_end, bytes, run);
    in_end += run;
    bytes += run;
    count -= run;
    inflate_run(false);
  }
}

void inflate_end(void) { inflate_run(true); }
