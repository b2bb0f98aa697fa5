#include "store.h"
#include "packed.h"
#include <wasm_simd128.h>

#define PACKED_BLOCK_MAX (5 + 63 * 4 + 1)

/* Returns 255 for each of sixteen coefficients that is not zero. */
static inline v128_t not_zero(const JCOEF *values) {
  const v128_t zero = wasm_i16x8_splat(0);
  const v128_t first = wasm_i16x8_ne(wasm_v128_load(values), zero);
  return wasm_i8x16_narrow_i16x8(first, wasm_i16x8_ne(wasm_v128_load(values + 8), zero));
}

/* Bit mask of non-zero coefficients. The shuffles apply jpeg_natural_order to sixteen zigzag positions at a time. */
uint64_t zigzag_mask(const JCOEF *block) {
  const v128_t a = not_zero(block), b = not_zero(block + 16), c = not_zero(block + 32), d = not_zero(block + 48);
  const v128_t first =
      wasm_i8x16_shuffle(wasm_i8x16_shuffle(a, b, 0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 0, 25, 18, 11, 4, 5), c, 0, 1, 2, 3,
                         4, 5, 6, 7, 8, 9, 16, 11, 12, 13, 14, 15);
  const v128_t second =
      wasm_i8x16_shuffle(wasm_i8x16_shuffle(a, b, 12, 19, 26, 0, 0, 0, 0, 0, 27, 20, 13, 6, 7, 14, 21, 28),
                         wasm_i8x16_shuffle(c, d, 0, 0, 0, 1, 8, 16, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0), 0, 1, 2, 19, 20, 21,
                         22, 23, 8, 9, 10, 11, 12, 13, 14, 15);
  const v128_t third =
      wasm_i8x16_shuffle(wasm_i8x16_shuffle(a, b, 0, 0, 0, 0, 0, 0, 0, 0, 29, 22, 15, 23, 30, 0, 0, 0),
                         wasm_i8x16_shuffle(c, d, 3, 10, 17, 24, 25, 18, 11, 4, 0, 0, 0, 0, 0, 5, 12, 19), 16, 17, 18,
                         19, 20, 21, 22, 23, 8, 9, 10, 11, 12, 29, 30, 31);
  const v128_t last =
      wasm_i8x16_shuffle(wasm_i8x16_shuffle(c, d, 26, 27, 20, 13, 6, 0, 7, 14, 21, 28, 29, 22, 15, 23, 30, 31), b, 0, 1,
                         2, 3, 4, 31, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const uint64_t low = (uint32_t)wasm_i8x16_bitmask(first) | (uint32_t)wasm_i8x16_bitmask(second) << 16;
  const uint64_t high = (uint32_t)wasm_i8x16_bitmask(third) | (uint32_t)wasm_i8x16_bitmask(last) << 16;
  return (low | high << 32) & ~1ull;
}

/* Writes the difference to the previous DC as a zigzag varint. */
static inline uint8_t *pack_dc(uint8_t *out, int difference) {
  uint32_t zigzag = ((uint32_t)difference << 1) ^ (uint32_t)(difference >> 31);
  for (; zigzag >= 128; zigzag >>= 7) *out++ = zigzag | 128;
  *out++ = zigzag;
  return out;
}

/* Writes the token of an AC value after `gap` zeros. */
static inline uint8_t *pack_ac(uint8_t *out, int gap, int value) {
  const int size = value < 0 ? -value : value;
  if (gap < 15 && size <= 6) { /* the most frequent case: short gap and small value */
    *out++ = gap << 4 | (2 * size - (value > 0));
    return out;
  }
  const int code = size <= 6 ? 2 * size - (value > 0) : size < 128 ? 13 : 14;
  if (gap < 15) {
    *out++ = gap << 4 | code;
  } else {
    *out++ = 0xF0 | code;
    *out++ = gap;
  }
  if (code >= 13) *out++ = value;
  if (code == 14) *out++ = value >> 8;
  return out;
}

uint32_t pack_row(Packing *packing, JBLOCKROW blocks, uint32_t count, const uint8_t **packed) {
  const uint32_t needed = count * PACKED_BLOCK_MAX;
  if (packing->scratch_bytes < needed) {
    free(packing->scratch);
    packing->scratch = allocate(needed);
    packing->scratch_bytes = needed;
  }
  uint8_t *const start = packing->scratch, *out = start;
  int previous_dc = 0;
  for (uint32_t x = 0; x < count; x++) {
    const JCOEF *block = blocks[x];
    out = pack_dc(out, block[0] - previous_dc);
    previous_dc = block[0];
    int next = 1;
    for (uint64_t mask = zigzag_mask(block); mask; mask &= mask - 1) {
      const int k = __builtin_ctzll(mask);
      out = pack_ac(out, k - next, block[jpeg_natural_order[k]]);
      next = k + 1;
    }
    *out++ = 0;
  }
  *packed = start;
  return out - start;
}

static void unpack_row(const uint8_t *in, JBLOCKROW blocks, uint32_t count) {
  int dc = 0, difference, gap, value;
  for (uint32_t x = 0; x < count; x++) {
    in = read_dc(in, &difference);
    blocks[x][0] = dc += difference;
    int k = 0;
    for (uint32_t token; (token = *in++); blocks[x][jpeg_natural_order[k & 63]] = value) {
      in = read_ac(in, token, &gap, &value);
      k += gap + 1;
    }
  }
}

Store *store_new(Packing *packing, StoreSize size, int plane) {
  Store *store = allocate_zeroed(sizeof *store);
  store->packing = packing;
  store->blocks = size.blocks;
  store->stride = size.stride;
  store->rows = size.rows;
  store->plane = plane;
  store->packed = allocate_zeroed(size.rows * sizeof *store->packed);
  store->length = allocate_zeroed(size.rows * sizeof *store->length);
  store->window_rows = size.window_rows;
  store->take = store_take;
  return store;
}

void store_free(Store *store) {
  if (!store) return;
  for (uint32_t row = 0; row < store->rows; row++) store_drop(store, row);
  free(store->packed);
  free(store->length);
  free(store->window);
  free(store->window_blocks);
  free(store);
}

void store_drop(Store *store, uint32_t row) {
  store->packing->total -= store->length[row];
  free(store->packed[row]);
  store->packed[row] = NULL;
  store->length[row] = 0;
}

void store_put(Store *store, uint32_t row, JBLOCKROW blocks) {
  const uint8_t *packed;
  const uint32_t length = pack_row(store->packing, blocks, store->blocks, &packed);
  if (store->length[row] != length) {
    store_drop(store, row);
    store->packed[row] = allocate(length);
    store->length[row] = length;
    store->packing->total += length;
  }
  memcpy(store->packed[row], packed, length);
}

void store_get(const Store *store, uint32_t row, JBLOCKROW blocks) {
  memset(blocks, 0, store->stride * sizeof(JBLOCK));
  if (store->packed[row]) unpack_row(store->packed[row], blocks, store->blocks);
}

void store_take(void *context, Store *store, uint32_t row, JBLOCKROW blocks) {
  (void)context;
  store_put(store, row, blocks);
}

void store_discard(void *context, Store *store, uint32_t row, JBLOCKROW blocks) {
  (void)context, (void)store, (void)row, (void)blocks;
}

void store_flush(Store *store) {
  if (!store->window_dirty) return;
  store->window_dirty = 0;
  if (store->whole) {
    for (uint32_t row = 0; row < store->rows; row++) store->take(store->context, store, row, store->window[row]);
    free(store->window);
    free(store->window_blocks);
    store->window = NULL;
    store->window_blocks = NULL;
    store->whole = 0; /* later readers access single rows */
    return;
  }
  for (uint32_t i = 0; i < store->window_count && store->window_start + i < store->rows; i++)
    store->take(store->context, store, store->window_start + i, store->window[i]);
}
