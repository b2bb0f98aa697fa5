/* Measures hue shifts: the distance in CIE Lab a and b between the mean colours of small areas of two pictures. */
#ifndef GIF_COLOUR_CAST_H
#define GIF_COLOUR_CAST_H

#include "../common/types.h"

/* Sums of red, green and blue of pictures A and B over one area of CAST_CELL pixels a side. */
typedef struct {
  u32 a[3], b[3], count;
} CastCell;

typedef struct {
  CastCell *cells; /* sums for one row of areas */
  int rows, width;
  double worst;
} ColourCast;

/* `widest`: width in pixels of the widest part that will be measured. */
void colour_cast_open(ColourCast *cast, int width, int widest);
/* Adds one row of pixels of picture A and the same row of picture B. */
void colour_cast_row(ColourCast *cast, const u32 *a, const u32 *b);
/* Returns the largest distance of any area in CIE Lab a and b. */
double colour_cast_close(ColourCast *cast);

#endif
