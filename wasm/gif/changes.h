/* Where the target frame differs from what the result shows, and by how much. */
#ifndef GIF_CHANGES_H
#define GIF_CHANGES_H

#include "plan.h"
#include "tuning.h"

#define LEVEL_NEVER 255 /* the pixel must be painted */

typedef struct {
  /* Distance of each pixel: 0 equal, LEVEL_NEVER, or the first step of `level_distances` at or above the squared
   * distance. Rows without a mark in `row_levels` are 0. */
  u8 *levels;
  u8 *row_levels;
  u8 *row_differs; /* rows that may differ */
  i32 level_distances[LEVEL_NEVER];
  u8 level_of[LEVEL_DISTANCES];
  int box_limit; /* limit of `box`, -1: none is known */
  Box box;
} Changes;

void changes_begin(Gif *gif);
/* Finds the levels of the target frame. */
void changes_find(Gif *gif);
/* The highest level that pixels up to this squared distance have. */
int changes_limit(const Gif *gif, double distance);
/* The box of all pixels above that level, and of all that the frame's disposal must reach. */
Box changes_box(Gif *gif, int limit);

#endif
