/* How far the mean colour of small areas is off, in CIE Lab a and b: what an eye sees as another hue. */
#ifndef GIF_COLOUR_CAST_H
#define GIF_COLOUR_CAST_H

#include "../common/types.h"

/* Sums of red, green and blue of both pictures over an area. */
typedef struct {
  u32 a[3], b[3], count;
} CastCell;

typedef struct {
  CastCell *cells; /* a row of areas */
  int rows, width;
  double worst;
} ColourCast;

/* `widest`: pixels of the widest part that is ever measured. */
void colour_cast_open(ColourCast *cast, int width, int widest);
/* The same row of both pictures. */
void colour_cast_row(ColourCast *cast, const u32 *a, const u32 *b);
/* Returns the distance of the worst area. */
double colour_cast_close(ColourCast *cast);

#endif
