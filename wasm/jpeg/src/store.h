/*
 * Block rows, packed: what stands for libjpeg's whole-image coefficient arrays.
 *
 * A packed block is its DC as a zigzag varint of the difference to the block on the left, then a token for each
 * non-zero AC coefficient in zigzag order, then a zero byte. A token is gap << 4 | code: `gap` zeros before it (15:
 * one more byte with the gap follows), code 1…12 the values +1 -1 +2 -2 … +6 -6, 13 one signed byte follows, 14 two
 * bytes follow.
 */
#ifndef WHITTLE_JPEG_STORE_H
#define WHITTLE_JPEG_STORE_H

#include "host.h"

/* What all stores of a job share. */
typedef struct {
  uint8_t *scratch; /* one packed row */
  uint32_t scratch_bytes;
  uint32_t total; /* bytes of all packed rows */
} Packing;

typedef struct Store Store;
/* Receives a row that was written through the window. */
typedef void Taker(void *context, Store *store, uint32_t row, JBLOCKROW blocks);

struct Store {
  Packing *packing;
  uint8_t **packed; /* one packed row a block row, NULL where nothing was stored */
  uint32_t *length; /* its bytes */
  uint32_t rows;    /* block rows */
  uint32_t blocks;  /* blocks of a row that belong to the picture (the rest of a window row is padding) */
  uint32_t stride;  /* blocks of a window row */
  uint32_t window_rows, window_start, window_count;
  int window_valid, window_dirty;
  int whole;         /* the window has all rows, and nothing is packed before it is flushed */
  JBLOCKROW *window; /* row pointers, as libjpeg wants them */
  JBLOCKROW window_blocks;
  Taker *take; /* what happens to a row that was written; store_take at first */
  void *context;
  int plane; /* of the picture */
};

typedef struct {
  uint32_t blocks, stride, rows, window_rows;
} StoreSize;

Store *store_new(Packing *packing, StoreSize size, int plane);
/* NULL is allowed. */
void store_free(Store *store);
/* Hands the rows of a changed window to the taker. */
void store_flush(Store *store);
/* Packs a row. */
void store_put(Store *store, uint32_t row, JBLOCKROW blocks);
/* Unpacks a row of `stride` blocks; zeros where nothing was stored. */
void store_get(const Store *store, uint32_t row, JBLOCKROW blocks);
void store_drop(Store *store, uint32_t row);
/* Takers that pack a row, and that forget it. */
Taker store_take, store_discard;
/* Packs `count` blocks; returns the bytes, which are valid until the next call. */
uint32_t pack_row(Packing *packing, JBLOCKROW blocks, uint32_t count, const uint8_t **packed);
/* Bit i: the coefficient at place i of the zigzag is not zero; DC left out. */
uint64_t zigzag_mask(const JCOEF *block);

#endif
