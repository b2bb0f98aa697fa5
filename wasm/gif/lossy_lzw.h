/* LZW encoder (GIF89a, appendix F) that chooses symbols within a colour tolerance. A pixel whose colour is already
 * shown may become transparent, and any pixel may take a near colour. The encoder takes the longest phrase that some
 * choice allows. It finds it by a depth-first search of the phrase tree with a limited number of steps. */
#ifndef GIF_LOSSY_LZW_H
#define GIF_LOSSY_LZW_H

#include "../common/types.h"
#include "box.h"
#include "flatness.h"
#include "lzw.h"
#include "output.h"

static inline bool may_stay(const u8 *bits, u32 pixel) { return bits[pixel >> 3] >> (pixel & 7) & 1; }

typedef struct {
  /* Table index of each pixel; `clear_index` if the pixel must be transparent. After lossy_settle: the symbols that are
   * coded. */
  u8 *symbols;
  const u8 *may_repeat; /* one bit per pixel: it may become transparent; NULL: the choice is already made */
  u32 count;
  int clear_index; /* transparent index; -1: none */
  int code_size;
  i32 tolerance;        /* largest allowed squared colour distance of a pixel */
  i32 smooth_tolerance; /* largest allowed squared colour distance in smooth areas */
  Box box;              /* position of the pixels on the canvas */
  int canvas_width;
  const u16 *distances; /* 256 x 256 squared distances between entries of the colour table */
  const Flatness *flatness;
} LossyPixels;

/* Bytes of LZW codes after each sixteenth of the pixels, to compare two encodings before they end. */
#define LOSSY_MARKS 16
typedef struct {
  u32 bytes[LOSSY_MARKS];
} LossyMarks;

#define LOSSY_SLOTS 8192
#define LOSSY_PIECES 512

typedef struct {
  LossyMarks marks; /* byte counts of the last call of lossy_settle */
  /* LZW table as a tree: first child, next sibling, parent and last symbol of each code. */
  u16 first_child[LZW_CODES + 1], next_sibling[LZW_CODES + 1], parent_of[LZW_CODES + 1];
  u8 symbol_of[LZW_CODES + 1];
  u32 table[LOSSY_SLOTS]; /* hash table: (parent, symbol) << 12 | code */
  /* LZW codes of the last lossy_settle call, packed into buffers that are allocated when needed and reused. */
  u8 *pieces[LOSSY_PIECES];
  u8 *piece;
  u32 packed_bytes;
  u64 bits;
  int bit_count;
} LossyLzw;

/* Chooses the final symbols. Returns the bytes of the image data including sub-block lengths. Returns UINT32_MAX if
 * this is hardly less than a byte per pixel, or clearly more than `rival` at one of its marks (NULL: no rival). Sets
 * `filled` if the LZW table became full. */
u32 lossy_settle(LossyLzw *l, const LossyPixels *pixels, LzwStyle style, bool *filled, const LossyMarks *rival);
/* Writes the codes of the last lossy_settle call. */
void lossy_write(const LossyLzw *l, Output *output);

#endif
