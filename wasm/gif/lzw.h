/* LZW encoder (GIF89a, appendix F) for final symbols. Several encoders can encode the same rows in one pass, to compare
 * table clearing styles or transparency kinds. They only count bits, except one that may write. */
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

/* LZW table clearing style: after `clear_after` codes, a full table is cleared when recent phrases are shorter than
 * `clear_ratio` of the average. */
typedef struct {
  u32 clear_after;
  double clear_ratio;
} LzwStyle;

extern const LzwStyle lzw_styles[LZW_STYLES];

/* Bit buffer that packs LZW codes into sub-blocks of at most 255 bytes (GIF89a 15). */
typedef struct {
  Output *output;
  u8 block[256]; /* length byte and data bytes of a sub-block */
  u64 bits;
  int bit_count;
} LzwBits;

typedef struct {
  int code_size; /* LZW minimum code size, GIF89a appendix F */
  int size, next_code;
  int phrase;      /* code of the current phrase; -1 before the first symbol */
  u32 length, run; /* `length`: symbols of the current phrase; `run`: the same if all of them are `last`, otherwise 0 */
  u8 last;
  bool filled;     /* the table became full, so that the clearing style matters */
  LzwBits *writer; /* output for the codes; NULL: only count bits */
  LzwStyle style;
  u64 bits;
  u32 at, codes; /* symbols and codes since the table became full */
  double recent; /* moving average of phrase lengths */
  int runs;      /* number of symbols that have a list of codes for their runs */
  i8 run_of[256];
  u16 run_most[LZW_RUNS], run_codes[LZW_RUNS][LZW_CODES];
  u32 table[LZW_SLOTS]; /* hash table: (code, symbol) << 12 | code of the longer phrase; 0: empty slot */
} Lzw;

/* Returns the smallest LZW code size for symbols of `bits` bits. GIF requires at least two (GIF89a appendix F). */
static inline int lzw_code_size(int bits) { return bits < 2 ? 2 : bits; }
/* Returns the bytes of GIF image data for `payload` bytes of codes: adds sub-block length bytes and the terminator. */
static inline u32 lzw_block_bytes(u32 payload) { return payload + (payload + 254) / 255 + 1; }
/* True if an encoder with `bits` bits is too far behind the best one (`least` bits) to become smaller. */
static inline bool lzw_hopeless(u64 bits, u64 least) {
  return bits > least + (least >> LZW_BEHIND_SHIFT) + LZW_BEHIND_BITS;
}

/* Returns the moving average of phrase lengths after one more phrase. `recent` 0: this is the first phrase. */
static inline double lzw_recent(double recent, u32 length) {
  return recent == 0 ? length : recent * (1 - LZW_RECENT_WEIGHT) + length * LZW_RECENT_WEIGHT;
}

/* `writer`: output for the codes; NULL: bits are only counted. */
void lzw_begin(Lzw *lzw, int code_size, LzwStyle style, LzwBits *writer);
void lzw_row(Lzw *lzw, const u8 *row, u32 count);
/* Returns the bytes of the image data, including sub-block length bytes. */
u32 lzw_end(Lzw *lzw);

#endif
