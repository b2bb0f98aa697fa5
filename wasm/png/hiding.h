/* Estimates, row by row, how much the texture around a pixel masks errors. */
#ifndef PNG_HIDING_H
#define PNG_HIDING_H
#include "../measure/texture.h"
#include "host.h"

typedef struct {
  Texture texture;
  u8 *hidden;       /* masking by texture for each pixel of the row, 0 to 255; NULL before hiding_begin */
  u8 *hidden_above; /* masking by texture (`hidden`) of the row above */
  u8 *bent;         /* smaller of the summed bends (texture.h) of eight pixels to the left and right, up to 255 */
  u32 *bends_up_to; /* buffer for prefix sums of bends (texture.h) */
} Hiding;

/* Starts with a first row, which has none above it. Rows have at most `width` pixels. */
void hiding_begin(Hiding *h, u32 width);
void hiding_row(Hiding *h, const u32 *px, u32 width);
#endif
