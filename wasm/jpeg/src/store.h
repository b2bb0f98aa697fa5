/* Packed block rows, in place of libjpeg's whole-image coefficient arrays. A packed block starts with its DC difference
 * to the block on the left as a zigzag varint. Then each non-zero AC coefficient in zigzag order has a token, and a
 * zero byte ends the block. A token is gap << 4 | code. `gap`: zeros before the value; 15: one more byte with the gap
 * follows. Codes 1 to 12 are the values +1 -1 +2 -2 … +6 -6; 13: one signed byte follows; 14: two bytes follow. */
#ifndef WHITTLE_JPEG_STORE_H
#define WHITTLE_JPEG_STORE_H

#include "host.h"

/* State shared by all stores of a job. */
typedef struct {
  uint8_t *scratch; /* buffer for one packed row */
  uint32_t scratch_bytes;
  uint32_t total; /* bytes of all packed rows */
} Packing;

typedef struct Store Store;
/* Callback for each row that was written through the window. */
typedef void Taker(void *context, Store *store, uint32_t row, JBLOCKROW blocks);

struct Store {
  Packing *packing;
  uint8_t **packed; /* one packed row per block row; NULL: nothing stored */
  uint32_t *length; /* bytes of each packed row */
  uint32_t rows;    /* number of block rows */
  uint32_t blocks;  /* blocks of a row without padding */
  uint32_t stride;  /* blocks of a window row, including padding */
  uint32_t window_rows, window_start, window_count;
  int window_valid, window_dirty;
  int whole;         /* the window holds all rows, and rows are packed only when it is flushed */
  JBLOCKROW *window; /* row pointers in the form that libjpeg expects */
  JBLOCKROW window_blocks;
  Taker *take; /* callback for written rows; default: store_take */
  void *context;
  int plane; /* plane index in the picture */
};

typedef struct {
  uint32_t blocks, stride, rows, window_rows;
} StoreSize;

Store *store_new(Packing *packing, StoreSize size, int plane);
/* Frees a store; NULL is allowed. */
void store_free(Store *store);
/* Passes the rows of a modified window to the callback. */
void store_flush(Store *store);
/* Packs and stores a row. */
void store_put(Store *store, uint32_t row, JBLOCKROW blocks);
/* Unpacks a row of `stride` blocks; zeros if the row was not stored. */
void store_get(const Store *store, uint32_t row, JBLOCKROW blocks);
void store_drop(Store *store, uint32_t row);
/* Row callbacks: store_take packs a row, store_discard drops it. */
Taker store_take, store_discard;
/* Packs `count` blocks. Returns the number of bytes; `packed` is valid until the next call. */
uint32_t pack_row(Packing *packing, JBLOCKROW blocks, uint32_t count, const uint8_t **packed);
/* Returns a mask of non-zero AC coefficients: bit i for zigzag position i, without DC. */
uint64_t zigzag_mask(const JCOEF *block);

#endif
