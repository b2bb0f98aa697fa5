#include "inflate.h"

#include <wasm_simd128.h>

#include "checksum.h"
#include "tuning.h"

#define HISTORY_BYTES 32768u /* largest match distance (RFC 1951, section 2) */
#define OUT_BYTES (HISTORY_BYTES + INFLATE_NEW_BYTES)
#define OUT_SLACK 320u /* one match of 258 bytes, plus the overrun of vector copies */
/* upper limit of a dynamic block header: 14 + 19 * 3 + 316 * 7 bits (RFC 1951, 3.2.7) */
#define BLOCK_HEADER_BYTES 320u
#define SYMBOL_BYTES 16u /* a length and a distance (48 bits), plus the bit reader's look-ahead */

enum { ZLIB_HEADER, BLOCK_HEADER, STORED, SYMBOLS, TRAILER, DONE };

/* Base values and extra bits of match lengths (RFC 1951, 3.2.5). */
static const u16 length_base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const u8 length_extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                    2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const u16 distance_base[30] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                      33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                      1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const u8 distance_extra[30] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                      6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

static _Noreturn void damaged(const char *what) { host_fail(FAIL_DAMAGED, what); }
static _Noreturn void truncated(void) { host_fail(FAIL_TRUNCATED, "the image data end too early"); }

/* ---- Huffman decoding tables ---- */

/* Builds a two-level decoding table of the canonical Huffman code (RFC 1951, 3.2.2). Returns false if the code is
 * over-subscribed. */
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

/* ---- input and output bytes ---- */

void inflate_begin(Inflate *s, InflateTaker *take, void *context) {
  if (!s->out) {
    s->out = allocate(OUT_BYTES + OUT_SLACK);
    s->in = allocate(INFLATE_INPUT_BYTES + SYMBOL_BYTES);
    for (int distance = 1; distance < 16; distance++)
      for (int i = 0; i < 16; i++) s->pattern_of[distance][i] = i % distance;
  }
  s->take = take;
  s->context = context;
  s->out_end = s->out_given = s->in_end = 0;
  s->reader = (BitReader){0};
  s->state = ZLIB_HEADER;
  s->last_block = false;
  s->adler = 1;
}

/* Passes new bytes to the callback and keeps the last 32 KB as history. */
static void deliver(Inflate *s) {
  if (s->out_end > s->out_given) {
    const u32 count = s->out_end - s->out_given;
    s->adler = adler32_of(s->adler, s->out + s->out_given, count);
    s->take(s->context, s->out + s->out_given, count);
  }
  if (s->out_end > HISTORY_BYTES) {
    memmove(s->out, s->out + s->out_end - HISTORY_BYTES, HISTORY_BYTES);
    s->out_end = HISTORY_BYTES;
  }
  s->out_given = s->out_end;
}

/* Ensures that `count` bits are available. Past the end of the input it reads zeros; callers must compare `at` with
 * `in_end`. */
static inline void need(const Inflate *s, BitReader *r, u32 count) {
  while (r->count < count) {
    r->bits |= (u64)(r->at < s->in_end ? s->in[r->at] : 0) << r->count;
    r->at++;
    r->count += 8;
  }
}

static inline u32 take_bits(BitReader *r, u32 count) {
  u32 v = (u32)(r->bits & ((1ull << count) - 1));
  r->bits >>= count;
  r->count -= count;
  return v;
}

static void skip_to_byte(BitReader *r) { take_bits(r, r->count & 7); }

/* Returns unused whole bytes to the input and discards the remaining bits. */
static void return_bytes(BitReader *r) {
  r->at -= r->count >> 3;
  r->bits = r->count = 0;
}

/* ---- Huffman codes of a block ---- */

static void fixed_codes(Inflate *s) {
  u8 lengths[288];
  memset(lengths, 8, 144);
  memset(lengths + 144, 9, 112);
  memset(lengths + 256, 7, 24);
  memset(lengths + 280, 8, 8);
  build_table(lengths, 288, LITERAL_BITS, s->literal_table, LITERAL_ENTRIES);
  memset(lengths, 5, 30);
  build_table(lengths, 30, DISTANCE_BITS, s->distance_table, DISTANCE_ENTRIES);
}

/* Reads the code lengths of literals and then of distances. They are run-length coded with the Huffman code in `table`
 * (RFC 1951, 3.2.7). */
static void read_code_lengths(Inflate *s, const u32 *table, u8 *lengths, u32 total) {
  BitReader *r = &s->reader;
  for (u32 i = 0; i < total;) {
    need(s, r, 14);
    u32 entry = table[r->bits & 127];
    if (!entry) damaged("an unused code in the code lengths");
    take_bits(r, entry & 31);
    u32 symbol = entry >> 16;
    if (symbol < 16) {
      lengths[i++] = symbol;
      continue;
    }
    u32 repeat, value = 0;
    if (symbol == 16) {
      if (!i) damaged("a repeat without a code length before it");
      value = lengths[i - 1];
      repeat = 3 + take_bits(r, 2);
    } else {
      repeat = symbol == 17 ? 3 + take_bits(r, 3) : 11 + take_bits(r, 7);
    }
    if (i + repeat > total) damaged("too many code lengths");
    while (repeat--) lengths[i++] = value;
  }
}

static void dynamic_codes(Inflate *s) { /* dynamic Huffman codes (RFC 1951, 3.2.7) */
  static const u8 order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  u8 lengths[320] = {0};
  u32 table[128];
  BitReader *r = &s->reader;
  need(s, r, 14);
  u32 literals = take_bits(r, 5) + 257, distances = take_bits(r, 5) + 1, codes = take_bits(r, 4) + 4;
  if (literals > 286 || distances > 30) damaged("too many codes in a deflate block");
  for (u32 i = 0; i < codes; i++) {
    need(s, r, 3);
    lengths[order[i]] = take_bits(r, 3);
  }
  if (!build_table(lengths, 19, 7, table, 128)) damaged("over-subscribed code lengths");
  memset(lengths, 0, sizeof lengths);
  read_code_lengths(s, table, lengths, literals + distances);
  u8 distance_lengths[30] = {0};
  memcpy(distance_lengths, lengths + literals, distances);
  if (!build_table(lengths, literals, LITERAL_BITS, s->literal_table, LITERAL_ENTRIES) ||
      !build_table(distance_lengths, 30, DISTANCE_BITS, s->distance_table, DISTANCE_ENTRIES))
    damaged("over-subscribed codes in a deflate block");
}

static inline u32 decode(BitReader *r, const u32 *table, u32 root_bits) {
  u32 entry = table[r->bits & ((1u << root_bits) - 1)];
  if (entry & 128) entry = table[(entry >> 16) + ((r->bits >> root_bits) & ((1u << (entry >> 8 & 31)) - 1))];
  if (!entry) damaged("an unused code in the image data");
  take_bits(r, entry & 31);
  return entry >> 16;
}

/* ---- symbols of a Deflate block ---- */

/* Ensures that at least 48 bits are available: enough for the longest length and distance. */
static inline void fill(const Inflate *s, BitReader *r) {
  if (r->at + 8 > s->in_end) {
    need(s, r, 48);
    return;
  }
  u64 word;
  memcpy(&word, s->in + r->at, 8);
  r->bits |= word << r->count;
  u32 whole = (63 - r->count) >> 3;
  r->at += whole;
  r->count += whole * 8;
  r->bits &= (1ull << r->count) - 1; /* keeps the shift defined: `count` is at most 63 */
}

/* Copies a match of `length` bytes from `distance` bytes before. May write up to 15 bytes past its end. */
static inline void copy_match(const Inflate *s, u8 *to, u32 distance, u32 length) {
  const u8 *from = to - distance;
  u8 *end = to + length;
  if (distance >= 16) {
    for (; to < end; to += 16, from += 16) memcpy(to, from, 16);
    return;
  }
  const v128_t pattern = wasm_i8x16_swizzle(wasm_v128_load(from), wasm_v128_load(s->pattern_of[distance]));
  for (const u32 step = 16 - 16 % distance; to < end; to += step) wasm_v128_store(to, pattern);
}

/* Decodes literals and matches. Returns true at the end of the block, false if more input is needed. */
static bool inflate_symbols(Inflate *s, bool at_end) {
  BitReader r = s->reader;
  u8 *const out = s->out;
  u32 out_end = s->out_end;
  bool block_ends = false;
  for (;;) {
    if (out_end >= OUT_BYTES) {
      s->out_end = out_end;
      deliver(s);
      out_end = s->out_end;
    }
    if (r.at + SYMBOL_BYTES > s->in_end && !at_end) break;
    if (r.at > s->in_end + 8) truncated();
    fill(s, &r);
    u32 symbol = decode(&r, s->literal_table, LITERAL_BITS);
    if (symbol < 256) {
      out[out_end++] = symbol;
      if (r.count < 48) continue;
      symbol = decode(&r, s->literal_table, LITERAL_BITS); /* the remaining bits suffice for one more symbol */
      if (symbol < 256) {
        out[out_end++] = symbol;
        continue;
      }
    }
    if (symbol == 256) {
      block_ends = true;
      break;
    }
    symbol -= 257;
    if (symbol > 28) damaged("a match length out of range");
    u32 length = length_base[symbol] + take_bits(&r, length_extra[symbol]);
    symbol = decode(&r, s->distance_table, DISTANCE_BITS);
    if (symbol > 29) damaged("a match distance out of range");
    u32 distance = distance_base[symbol] + take_bits(&r, distance_extra[symbol]);
    if (distance > out_end) damaged("a match from before the image data");
    copy_match(s, out + out_end, distance, length);
    out_end += length;
  }
  s->reader = r;
  s->out_end = out_end;
  return block_ends;
}

static u32 available_bytes(const Inflate *s) { return s->in_end > s->reader.at ? s->in_end - s->reader.at : 0; }

/* Copies the bytes of a stored block. Returns false if more input is needed. */
static bool inflate_stored(Inflate *s) {
  while (s->stored_left) {
    if (s->out_end >= OUT_BYTES) deliver(s);
    u32 run = available_bytes(s);
    if (!run) return false;
    if (run > s->stored_left) run = s->stored_left;
    if (run > OUT_BYTES - s->out_end) run = OUT_BYTES - s->out_end;
    memcpy(s->out + s->out_end, s->in + s->reader.at, run);
    s->out_end += run;
    s->reader.at += run;
    s->stored_left -= run;
  }
  return true;
}

/* ---- parts of the stream: each function returns false if it needs more input ---- */

static bool read_zlib_header(Inflate *s) { /* zlib header bytes CMF and FLG (RFC 1950, 2.2) */
  if (available_bytes(s) < 2) return false;
  const u8 *p = s->in + s->reader.at;
  if ((p[0] & 15) != 8 || (p[0] << 8 | p[1]) % 31 || p[1] & 32) damaged("not a zlib stream");
  s->reader.at += 2;
  s->state = BLOCK_HEADER;
  return true;
}

static void read_stored_header(Inflate *s) { /* header of a stored block (RFC 1951, 3.2.4) */
  BitReader *r = &s->reader;
  skip_to_byte(r);
  need(s, r, 32);
  u32 length = take_bits(r, 16), complement = take_bits(r, 16);
  if ((length ^ complement) != 65535) damaged("a stored block's length is wrong");
  return_bytes(r);
  s->stored_left = length;
  s->state = STORED;
}

static bool read_block_header(Inflate *s, bool at_end) { /* block type and final flag (RFC 1951, 3.2.3) */
  BitReader *r = &s->reader;
  if (s->last_block) {
    skip_to_byte(r);
    return_bytes(r);
    s->state = TRAILER;
    return true;
  }
  if (available_bytes(s) < BLOCK_HEADER_BYTES && !at_end) return false;
  need(s, r, 3);
  s->last_block = take_bits(r, 1);
  switch (take_bits(r, 2)) {
    case 0: read_stored_header(s); return true;
    case 1: fixed_codes(s); break;
    case 2: dynamic_codes(s); break;
    default: damaged("a deflate block of an unknown type");
  }
  s->state = SYMBOLS;
  return true;
}

static bool read_trailer(Inflate *s) { /* Adler-32 checksum at the end (RFC 1950, 2.2) */
  if (available_bytes(s) < 4) return false;
  deliver(s);
  const u8 *p = s->in + s->reader.at;
  if (s->adler != ((u32)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3])) damaged("the image data's checksum is wrong");
  s->reader.at += 4;
  s->state = DONE;
  return true;
}

static bool read_data(Inflate *s, bool at_end) {
  if (!(s->state == STORED ? inflate_stored(s) : inflate_symbols(s, at_end))) return false;
  s->state = BLOCK_HEADER;
  return true;
}

static void inflate_run(Inflate *s, bool at_end) {
  BitReader *r = &s->reader;
  for (bool more = true; more && s->state != DONE;) {
    if (at_end && r->at > s->in_end + 8) truncated();
    switch (s->state) {
      case ZLIB_HEADER: more = read_zlib_header(s); break;
      case BLOCK_HEADER: more = read_block_header(s, at_end); break;
      case TRAILER: more = read_trailer(s); break;
      default: more = read_data(s, at_end);
    }
  }
  if (at_end && s->state != DONE) truncated();
  /* Returns unused whole bytes of the bit reader to the input. `at` is past the end only at the end of the stream. */
  r->at -= r->count >> 3;
  r->count &= 7;
  r->bits &= (1u << r->count) - 1;
  if (r->at < s->in_end) memmove(s->in, s->in + r->at, s->in_end - r->at);
  s->in_end = r->at < s->in_end ? s->in_end - r->at : 0;
  r->at = 0;
}

void inflate_push(Inflate *s, const u8 *bytes, u32 count) {
  while (count && s->state != DONE) {
    u32 run = INFLATE_INPUT_BYTES - s->in_end;
    if (run > count) run = count;
    memcpy(s->in + s->in_end, bytes, run);
    s->in_end += run;
    bytes += run;
    count -= run;
    inflate_run(s, false);
  }
}

void inflate_end(Inflate *s) { inflate_run(s, true); }
