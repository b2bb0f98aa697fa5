/* Adaptive arithmetic encoder of the LAZ format: a 32-bit interval, renormalised by bytes, with carries into bytes
 * already written. Symbol models have 15-bit cumulative probabilities, the bit model 13 bits. Reimplemented from the
 * behaviour of the format; the arithmetic is A. Said's (FastAC), the constants are LASzip's. */
#pragma once
#include <string.h>

#include "../common/types.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define INLINE static inline __attribute__((always_inline))

/* Allocates memory that is never freed. Traps if --max-memory is reached. */
void *allocate(u32 bytes);
/* Allocates a block of 2^log2 bytes. `give_back` returns it for reuse. */
void *take_block(u32 log2);
void give_back(void *block, u32 log2);

/* ---- Probability models ---- */

/* Constants of LASzip's probability models. */
enum { MODEL_BITS = 15, MODEL_MAX_TOTAL = 1 << MODEL_BITS };
enum { BIT_MODEL_BITS = 13, BIT_MODEL_MAX_TOTAL = 1 << BIT_MODEL_BITS };

/* Adaptive frequencies of an alphabet of 2 to 2048 symbols. */
typedef struct {
  u32 symbols, until_update, total, cycle;
  /* For each symbol: cumulative probability below it (low half, 15 bits) and its count (high half). The array has
   * symbols + 1 entries. */
  u32 entries[];
} model;

typedef struct {
  u32 zero_probability, zero_count, until_update, total, cycle;
} bit_model;

void model_update(model *m);
void model_reset(model *m);
model *new_model(u32 symbols);
void bit_model_update(bit_model *m);
void bit_model_reset(bit_model *m);

/* Array of models of equal size, which are created at first use. */
typedef struct {
  u32 size, symbols;
  model **models;
} bank;

bank new_bank(u32 size, u32 symbols);
void bank_reset(bank *b);

INLINE model *bank_get(bank *b, u32 index) {
  model *m = b->models[index];
  return LIKELY(m != 0) ? m : (b->models[index] = new_model(b->symbols));
}

/* ---- Arithmetic encoder ---- */

enum { MIN_LENGTH = 0x01000000 };

typedef struct {
  u32 base, length;
  u8 *at, *end; /* `at`: next byte; `end`: position from which fewer than 4 bytes are left */
  u8 *buffer;
  u32 log2; /* the buffer has 2^log2 bytes; 0: not allocated yet */
} encoder;

void encoder_reset(encoder *e);
void encoder_grow(encoder *e);
void encoder_carry(encoder *e);
/* Ends the code stream. Returns its length in bytes; the bytes are at e->buffer. */
u32 encoder_finish(encoder *e);

INLINE void renormalise(encoder *e) {
  u32 base = e->base, length = e->length;
  u8 *at = e->at;
  do {
    *at++ = (u8)(base >> 24);
    base <<= 8;
    length <<= 8;
  } while (length < MIN_LENGTH);
  e->base = base;
  e->length = length;
  e->at = at;
  if (UNLIKELY(at >= e->end)) encoder_grow(e);
}

INLINE void encode_symbol(encoder *e, model *m, u32 symbol) {
  u32 *entry = m->entries + symbol;
  u32 unit = e->length >> MODEL_BITS;
  u32 offset = (entry[0] & 0xffff) * unit;
  /* The last symbol gets the rest of the interval that rounding left. */
  u32 above = symbol == m->symbols - 1 ? e->length : (entry[1] & 0xffff) * unit;
  u32 base = e->base + offset;
  if (UNLIKELY(base < offset)) encoder_carry(e);
  e->base = base;
  e->length = above - offset;
  if (e->length < MIN_LENGTH) renormalise(e);
  entry[0] += 0x10000;
  if (UNLIKELY(--m->until_update == 0)) model_update(m);
}

INLINE void encode_bit(encoder *e, bit_model *m, u32 bit) {
  u32 split = m->zero_probability * (e->length >> BIT_MODEL_BITS);
  if (bit == 0) {
    e->length = split;
    m->zero_count++;
  } else {
    u32 base = e->base + split;
    if (UNLIKELY(base < split)) encoder_carry(e);
    e->base = base;
    e->length -= split;
  }
  if (e->length < MIN_LENGTH) renormalise(e);
  if (UNLIKELY(--m->until_update == 0)) bit_model_update(m);
}

/* Encodes 1 to 19 equally probable bits. */
INLINE void write_raw(encoder *e, u32 bits, u32 value) {
  u32 unit = e->length >> bits;
  u32 offset = value * unit;
  u32 base = e->base + offset;
  if (UNLIKELY(base < offset)) encoder_carry(e);
  e->base = base;
  e->length = unit;
  if (unit < MIN_LENGTH) renormalise(e);
}

/* Encodes 1 to 32 equally probable bits. */
INLINE void write_bits(encoder *e, u32 bits, u32 value) {
  if (bits > 19) {
    write_raw(e, 16, value & 0xffff);
    bits -= 16;
    value >>= 16;
  }
  write_raw(e, bits, value);
}

INLINE void write_int(encoder *e, u32 value) {
  write_raw(e, 16, value & 0xffff);
  write_raw(e, 16, value >> 16);
}

/* ---- Integer coder ---- */

/* Integer coder: encodes the difference from a prediction. The size class `k` of the difference is modelled per
 * context. Of the position within the class, the upper eight bits are modelled and the others raw. */
enum { CORRECTOR_HIGH_BITS = 8, MAX_CONTEXTS = 22 };

typedef struct {
  encoder *e;
  u32 bits, contexts;
  u32 k; /* size class of the last value; other fields use it as context */
  model *classes[MAX_CONTEXTS], *correctors[33];
  bit_model zero_or_one;
} integers;

void integers_begin(integers *i, encoder *e, u32 bits, u32 contexts);
void integers_reset(integers *i);
/* Encodes `c`, the difference from a prediction. */
void integers_code(integers *i, i32 c, u32 context);

INLINE void compress32(integers *i, i32 predicted, i32 actual, u32 context) {
  integers_code(i, (i32)((u32)actual - (u32)predicted), context);
}

/* Wraps differences of 16-bit values to -32768 … 32767. */
INLINE void compress16(integers *i, i32 predicted, i32 actual, u32 context) {
  i32 c = actual - predicted;
  if (c < -0x8000) c += 0x10000;
  else if (c > 0x7fff) c -= 0x10000;
  integers_code(i, c, context);
}

/* ---- Median of recent values ---- */

/* Median of five recent values. They are kept sorted; alternately the largest or the smallest is replaced. */
typedef struct {
  i32 v[5];
  u32 drop_low;
} median;

INLINE i32 smaller(i32 a, i32 b) { return a < b ? a : b; }
INLINE i32 larger(i32 a, i32 b) { return a > b ? a : b; }

INLINE void median_add(median *m, i32 x) {
  /* Branch-free insertion of the new value among the four remaining ones, because the order is unpredictable. */
  const i32 *v = m->v + m->drop_low;
  i32 middle = m->v[2], a = v[0], b = v[1], c = v[2], d = v[3];
  /* The other extreme is dropped next, unless the new value moved the median towards the one dropped now. */
  m->drop_low = m->drop_low ? middle < x : !(x < middle);
  m->v[0] = smaller(a, x);
  m->v[1] = larger(a, smaller(b, x));
  m->v[2] = larger(b, smaller(c, x));
  m->v[3] = larger(c, smaller(d, x));
  m->v[4] = larger(d, x);
}
