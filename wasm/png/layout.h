/* The form of the result: colour type, depth, palette and its order; rows packed into it. */
#ifndef PNG_LAYOUT_H
#define PNG_LAYOUT_H
#include "analyse.h"

typedef struct {
  int colour_type, depth, pixel_bits, filter_bytes;
  bool verbatim; /* source rows are taken as they are */
  int palette_size;
  u32 palette[256];
  bool has_key;
  u16 key[3];
  u8 index_of[MOST_COLOURS]; /* index of an analysed colour to palette index */
  u8 *index_row;             /* room for a row of indices */
} Layout;

void layout_set(Layout *l, int colour_type, int depth);
/* Makes `count` colours the palette. */
void layout_set_palette(Layout *l, const u32 *colours, int count);

/* After the analysis: samples as they are or fewer (`palette` 0), or a palette in an order of palette_order.h;
 * `palette` 2: with a byte for each index, however few there are. Bits per pixel; 0: not possible. Colour becomes
 * grey only where `allow_gray`: an RGB profile does not fit a grey picture. */
int layout_plan(Layout *l, const Picture *picture, const Analysis *a, int palette, int order, bool allow_gray);
/* For near-lossless rows: eight bits a sample, and alpha where not all is opaque. */
void layout_plan_near(Layout *l, const Analysis *a, bool allow_gray);
/* The form of the source itself. Bits per pixel. */
int layout_plan_verbatim(Layout *l, const Picture *picture);

/* Source row to layout; `rgba` has room for its pixels. */
void pack_row(Layout *l, const Picture *picture, Analysis *a, const u8 *row, u32 width, u8 *out, u32 *rgba);
/* RGBA to eight-bit RGB, RGBA or grey with alpha; false for other layouts. */
bool pack_direct(const Layout *l, const u32 *px, u32 width, u8 *out);
/* Indices of eight bits to the layout's depth. */
void pack_indices(const Layout *l, const u8 *indices, u32 width, u8 *out);
#endif
