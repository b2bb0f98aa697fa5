/* Where texture hides errors, row by row. */
#ifndef PNG_HIDING_H
#define PNG_HIDING_H
#include "../measure/texture.h"
#include "host.h"

typedef struct {
  Texture texture;
  u8 *hidden;       /* for each pixel of the row: how much texture hides there, of 255; NULL before hiding_begin */
  u8 *hidden_above; /* of the row above */
  u8 *bent;         /* summed bends (texture.h) of eight pixels on the calmer side, up to 255 */
  u32 *bends_up_to; /* room for sums of bends from the left */
} Hiding;

/* Begins with a row that has none above it; rows have at most `width` pixels. */
void hiding_begin(Hiding *h, u32 width);
void hiding_row(Hiding *h, const u32 *px, u32 width);
#endif
