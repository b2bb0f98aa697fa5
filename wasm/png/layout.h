/* Output layout: colour type, bit depth, palette and its order. Packs rows into this layout. */
#ifndef PNG_LAYOUT_H
#define PNG_LAYOUT_H
#include "analyse.h"

typedef struct {
  int colour_type, depth, pixel_bits, filter_bytes;
  bool verbatim; /* source rows are copied unchanged */
  int palette_size;
  u32 palette[256];
  bool has_key;
  u16 key[3];
  u8 index_of[MOST_COLOURS]; /* palette index for each index of an analysed colour */
  u8 *index_row;             /* buffer for a row of palette indices */
} Layout;

void layout_set(Layout *l, int colour_type, int depth);
/* Sets the palette to `count` colours. */
void layout_set_palette(Layout *l, const u32 *colours, int count);

/* Chooses the layout after the analysis. `palette` 0: samples with the same or fewer bits; 1: palette in an order of
 * palette_order.h; 2: palette with one byte per index. Returns bits per pixel; 0: not possible. Colour becomes grey
 * only if `allow_gray`, because an RGB profile does not fit a grey picture. */
int layout_plan(Layout *l, const Picture *picture, const Analysis *a, int palette, int order, bool allow_gray);
/* Chooses the layout of near-lossless rows: eight bits per sample, with alpha unless all pixels are opaque. */
void layout_plan_near(Layout *l, const Analysis *a, bool allow_gray);
/* Sets the layout of the source itself. Returns bits per pixel. */
int layout_plan_verbatim(Layout *l, const Picture *picture);

/* Converts a source row to the layout; `rgba` is a buffer for its pixels. */
void pack_row(Layout *l, const Picture *picture, Analysis *a, const u8 *row, u32 width, u8 *out, u32 *rgba);
/* Converts RGBA pixels to eight-bit RGB, RGBA or grey with alpha. Returns false for other layouts. */
bool pack_direct(const Layout *l, const u32 *px, u32 width, u8 *out);
/* Packs eight-bit indices into the layout's bit depth. */
void pack_indices(const Layout *l, const u8 *indices, u32 width, u8 *out);
#endif
