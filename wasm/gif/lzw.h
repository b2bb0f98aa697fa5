/* LZW encoder (GIF89a, appendix F) for symbols that are settled. Several encoders can take the same rows side by
 * side, so that ways to clear the table, or to use transparency, are compared in one pass. They count bits, and one
 * of them writes. */
#ifndef GIF_LZW_H
#define GIF_LZW_H

#include "../common/types.h"
#include "output.h"
#include "tuning.h"

#define LZW_CODES 4096
#define LZW_CODE_BITS 12
#define LZW_SLOT_BITS 13
#define LZW_SLOTS (1 << LZW_SLOT_BITS)
#define LZW_RUNS 4

/* When a full table is cleared: after `clear_after` codes whose phrases are shorter than `clear_ratio` of the
 * average. */
typedef struct {
  u32 clear_after;
  double clear_ratio;
} LzwStyle;

extern const LzwStyle lzw_styles[LZW_STYLES];

/* Codes on their way into sub-blocks of at most 255 bytes (GIF89a 15). */
typedef struct {
  Output *output;
  u8 block[256]; /* length and bytes */
  u64 bits;
  int bit_count;
} LzwBits;

typedef struct {
  int code_size; /* LZW minimum code size, GIF89a appendix F */
  int size, next_code;
  int phrase;      /* code of the phrase so far, -1 before the first symbol */
  u32 length, run; /* of the phrase; `run`: the same if the phrase is a run of `last` alone, otherwise 0 */
  u8 last;
  bool filled;     /* the table was full once, so that the style matters */
  LzwBits *writer; /* NULL: bits are only counted */
  LzwStyle style;
  u64 bits;
  u32 at, codes; /* symbols and codes since the table was full */
  double recent; /* moving average of phrase lengths */
  int runs;      /* symbols with a list of the codes of their runs */
  i8 run_of[256];
  u16 run_most[LZW_RUNS], run_codes[LZW_RUNS][LZW_CODES];
  u32 table[LZW_SLOTS]; /* (code, symbol) << 12 | code of the longer phrase; 0 for an empty slot */
} Lzw;

/* The smallest code size that GIF allows for symbols of `bits` bits: at least two (GIF89a appendix F). */
static inline int lzw_code_size(int bits) { return bits < 2 ? 2 : bits; }
/* Bytes of a GIF's image data, given the bytes of codes: with the lengths of sub-blocks and the terminator. */
static inline u32 lzw_block_bytes(u32 payload) { return payload + (payload + 254) / 255 + 1; }
/* True if an encoder with so many bits cannot catch up with one that has `least`. */
static inline bool lzw_hopeless(u64 bits, u64 least) {
  return bits > least + (least >> LZW_BEHIND_SHIFT) + LZW_BEHIND_BITS;
}

/* The moving average of phrase lengths after one more phrase. 0: it is the first one. */
static inline double lzw_recent(double recent, u32 length) {
  return recent == 0 ? length : recent * (1 - LZW_RECENT_WEIGHT) + length * LZW_RECENT_WEIGHT;
}

/* `writer`: where the codes go; NULL: bits are only counted. */
void lzw_begin(Lzw *lzw, int code_size, LzwStyle style, LzwBits *writer);
void lzw_row(Lzw *lzw, const u8 *row, u32 count);
/* Returns the bytes of the image data, the lengths of sub-blocks included. */
u32 lzw_end(Lzw *lzw);

#endif
