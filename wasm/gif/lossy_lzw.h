/* LZW encoder (GIF89a, appendix F) that may choose symbols. A pixel that is shown already may become transparent or
 * keep its colour, and any pixel may take a colour near enough. The encoder takes the longest phrase that some
 * choice allows, found by a depth-first search of the table with a bounded number of steps. It settles the symbols
 * and packs their codes. */
#ifndef GIF_LOSSY_LZW_H
#define GIF_LOSSY_LZW_H

#include "../common/types.h"
#include "box.h"
#include "flatness.h"
#include "lzw.h"
#include "output.h"

static inline bool may_stay(const u8 *bits, u32 pixel) { return bits[pixel >> 3] >> (pixel & 7) & 1; }

typedef struct {
  /* The index of each pixel's colour; `clear_index` if only that will do. Afterwards: the symbols that are coded. */
  u8 *symbols;
  const u8 *may_repeat; /* a bit: the pixel may stay as it is shown; NULL: that is settled */
  u32 count;
  int clear_index; /* transparent index, -1 for none */
  int code_size;
  i32 tolerance;        /* squared distance that a pixel may be off */
  i32 smooth_tolerance; /* the same where the frame is smooth */
  Box box;              /* of the canvas, where the pixels are */
  int canvas_width;
  const u16 *distances; /* 256 x 256, squared, between entries of the colour table */
  const Flatness *flatness;
} LossyPixels;

/* Bytes of codes after every sixteenth of the pixels. */
#define LOSSY_MARKS 16
typedef struct {
  u32 bytes[LOSSY_MARKS];
} LossyMarks;

#define LOSSY_SLOTS 8192
#define LOSSY_PIECES 512

typedef struct {
  LossyMarks marks; /* of the last call of lossy_settle */
  /* The table as a tree: first child, next sibling, last symbol and parent of each code. */
  u16 first_child[LZW_CODES + 1], next_sibling[LZW_CODES + 1], parent_of[LZW_CODES + 1];
  u8 symbol_of[LZW_CODES + 1];
  u32 table[LOSSY_SLOTS]; /* (parent, symbol) << 12 | code */
  /* The codes of the last call, packed in pieces, of which there are as many as were ever needed. */
  u8 *pieces[LOSSY_PIECES];
  u8 *piece;
  u32 packed_bytes;
  u64 bits;
  int bit_count;
} LossyLzw;

/* Settles the symbols. Returns the bytes of the image data, the lengths of sub-blocks included; UINT32_MAX if that
 * is hardly less than a byte for each pixel, or clearly more than `rival` at one of its marks (NULL: no rival).
 * `filled`: the table was full once. */
u32 lossy_settle(LossyLzw *l, const LossyPixels *pixels, LzwStyle style, bool *filled, const LossyMarks *rival);
/* Writes the codes of the last call of lossy_settle. */
void lossy_write(const LossyLzw *l, Output *output);

#endif
