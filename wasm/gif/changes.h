/* Finds where the target frame differs from the pixels that the written GIF shows, and by how much. */
#ifndef GIF_CHANGES_H
#define GIF_CHANGES_H

#include "plan.h"
#include "tuning.h"

#define LEVEL_NEVER 255 /* level of a pixel that the frame must paint, whatever the tolerance */

typedef struct {
  /* Colour difference of each pixel: 0 for equal, LEVEL_NEVER, or the first index of `level_distances` whose value is
   * at least the squared distance. Rows that are not marked in `row_levels` are 0. */
  u8 *levels;
  u8 *row_levels;
  u8 *row_differs; /* one flag per row: the row may differ */
  i32 level_distances[LEVEL_NEVER];
  u8 level_of[LEVEL_DISTANCES];
  int box_limit; /* limit for which `box` was computed; -1: no box is cached */
  Box box;
} Changes;

void changes_begin(Gif *gif);
/* Computes the difference level of every pixel of the target frame. */
void changes_find(Gif *gif);
/* Returns the highest difference level of pixels within this squared distance. */
int changes_limit(const Gif *gif, double distance);
/* Returns the box of all pixels whose level is above `limit`, extended to all pixels that the frame's disposal must
 * clear. */
Box changes_box(Gif *gif, int limit);

#endif
