#include "coder.h"

/* ---- Memory ---- */

extern u8 __heap_base; /* heap start, defined by the linker: end of data and stack */

typedef struct {
  u8 *end;
  void *spare[32]; /* free blocks by log2 of their size; each starts with a pointer to the next */
} Heap;

/* State of the memory allocator. */
static Heap heap;

void *allocate(u32 bytes) {
  if (!heap.end) heap.end = &__heap_base;
  u8 *block = (u8 *)(((u32)heap.end + 7) & ~7u);
  u32 have = __builtin_wasm_memory_size(0) << 16;
  u32 need = (u32)block + bytes;
  if (need > have && __builtin_wasm_memory_grow(0, (need - have + 0xffff) >> 16) == (__SIZE_TYPE__)-1) __builtin_trap();
  heap.end = block + bytes;
  return block;
}

void *take_block(u32 log2) {
  void *block = heap.spare[log2];
  if (!block) return allocate(1u << log2);
  heap.spare[log2] = *(void **)block;
  return block;
}

void give_back(void *block, u32 log2) {
  *(void **)block = heap.spare[log2];
  heap.spare[log2] = block;
}

/* ---- Probability models ---- */

model *new_model(u32 symbols) {
  model *m = allocate(sizeof(model) + 4 * (symbols + 1));
  m->symbols = symbols;
  model_reset(m);
  return m;
}

void model_reset(model *m) {
  u32 symbols = m->symbols;
  for (u32 i = 0; i <= symbols; i++) m->entries[i] = 0x10000;
  m->total = 0;
  m->cycle = symbols;
  model_update(m);
  /* The first model update comes earlier than model_update would schedule it. */
  m->cycle = m->until_update = (symbols + 6) >> 1;
}

void model_update(model *m) {
  u32 symbols = m->symbols, *entries = m->entries;
  m->total += m->cycle;
  if (m->total > MODEL_MAX_TOTAL) {
    u32 total = 0;
    for (u32 i = 0; i < symbols; i++) {
      u32 count = ((entries[i] >> 16) + 1) >> 1;
      entries[i] = count << 16;
      total += count;
    }
    m->total = total;
  }
  u32 scale = 0x80000000u / m->total;
  u32 sum = 0;
  for (u32 i = 0; i < symbols; i++) {
    u32 count = entries[i] & 0xffff0000;
    entries[i] = count | ((scale * sum) >> (31 - MODEL_BITS));
    sum += count >> 16;
  }
  u32 cycle = (5 * m->cycle) >> 2, limit = (symbols + 6) << 3;
  m->cycle = m->until_update = cycle > limit ? limit : cycle;
}

void bit_model_reset(bit_model *m) {
  m->zero_count = 1;
  m->total = 2;
  m->zero_probability = 1 << (BIT_MODEL_BITS - 1);
  m->cycle = m->until_update = 4;
}

void bit_model_update(bit_model *m) {
  m->total += m->cycle;
  if (m->total > BIT_MODEL_MAX_TOTAL) {
    m->total = (m->total + 1) >> 1;
    m->zero_count = (m->zero_count + 1) >> 1;
    if (m->zero_count == m->total) m->total++;
  }
  u32 scale = 0x80000000u / m->total;
  m->zero_probability = (m->zero_count * scale) >> (31 - BIT_MODEL_BITS);
  u32 cycle = (5 * m->cycle) >> 2;
  m->cycle = m->until_update = cycle > 64 ? 64 : cycle;
}

bank new_bank(u32 size, u32 symbols) {
  bank b = {size, symbols, allocate(size * sizeof(model *))};
  memset(b.models, 0, size * sizeof(model *));
  return b;
}

void bank_reset(bank *b) {
  for (u32 i = 0; i < b->size; i++)
    if (b->models[i]) model_reset(b->models[i]);
}

/* ---- Arithmetic encoder ---- */

enum { FIRST_LOG2 = 12 };

static void use_buffer(encoder *e, u32 log2) {
  e->buffer = take_block(log2);
  e->log2 = log2;
  e->end = e->buffer + (1u << log2) - 4;
}

void encoder_reset(encoder *e) {
  if (!e->log2) use_buffer(e, FIRST_LOG2);
  e->base = 0;
  e->length = 0xffffffff;
  e->at = e->buffer;
}

void encoder_grow(encoder *e) {
  u8 *old = e->buffer;
  u32 log2 = e->log2, used = (u32)(e->at - old);
  use_buffer(e, log2 + 1);
  memcpy(e->buffer, old, used);
  e->at = e->buffer + used;
  give_back(old, log2);
}

void encoder_carry(encoder *e) {
  u8 *at = e->at - 1;
  while (*at == 0xff) *at-- = 0;
  ++*at;
}

u32 encoder_finish(encoder *e) {
  u32 padding = 2, step;
  if (e->length > 2 * MIN_LENGTH) {
    step = MIN_LENGTH;
    e->length = MIN_LENGTH >> 1;
    padding = 3;
  } else {
    step = MIN_LENGTH >> 1;
    e->length = MIN_LENGTH >> 9;
  }
  e->base += step;
  if (e->base < step) encoder_carry(e);
  renormalise(e);
  while (padding--) *e->at++ = 0; /* decoders read four bytes ahead; the buffer has space, because at < end */
  return (u32)(e->at - e->buffer);
}

/* ---- Integer coder ---- */

void integers_begin(integers *i, encoder *e, u32 bits, u32 contexts) {
  memset(i, 0, sizeof *i);
  i->e = e;
  i->bits = bits;
  i->contexts = contexts;
}

void integers_reset(integers *i) {
  for (u32 n = 0; n < i->contexts; n++) {
    if (!i->classes[n]) i->classes[n] = new_model(i->bits + 1);
    model_reset(i->classes[n]);
  }
  for (u32 k = 0; k <= i->bits; k++)
    if (i->correctors[k]) model_reset(i->correctors[k]);
  bit_model_reset(&i->zero_or_one);
  i->k = 0;
}

void integers_code(integers *i, i32 c, u32 context) {
  u32 distance = c <= 0 ? 0u - (u32)c : (u32)c - 1;
  u32 k = distance ? 32 - (u32)__builtin_clz(distance) : 0;
  encoder *e = i->e;
  i->k = k;
  encode_symbol(e, i->classes[context], k);
  if (k == 0) {
    encode_bit(e, &i->zero_or_one, (u32)c);
    return;
  }
  if (k == 32) return; /* class 32 has the single value -2^31 */
  /* Class k has the values -(2^k - 1) … -2^(k-1) and 2^(k-1) + 1 … 2^k. */
  u32 position = c < 0 ? (u32)c + (1u << k) - 1 : (u32)c - 1;
  model *corrector = i->correctors[k];
  u32 low = k > CORRECTOR_HIGH_BITS ? k - CORRECTOR_HIGH_BITS : 0;
  if (UNLIKELY(!corrector)) corrector = i->correctors[k] = new_model(1u << (k - low));
  encode_symbol(e, corrector, position >> low);
  if (low) write_bits(e, low, position & ((1u << low) - 1));
}
