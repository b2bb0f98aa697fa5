/* Ways to code a frame whose table is prepared, compared side by side. */
#ifndef GIF_CODINGS_H
#define GIF_CODINGS_H

#include "plan.h"

typedef struct {
  u8 *row;             /* symbols of a row */
  bool local_was_best; /* in the last large frame */
} Codings;

void codings_begin(Gif *gif);
/* Makes the prepared symbols those that are coded, by the plan's kind. */
void symbols_settle(Gif *gif, const Plan *plan);
/* Finds the kind, of those with a bit in `kinds`, that makes the frame smallest. Sets kind, bytes and filled. */
void count_kinds(Gif *gif, Plan *plan, u32 kinds, int style);
/* Returns the style that makes the settled symbols smallest. */
int best_style(Gif *gif, const Plan *plan);
/* Prepares the plan with the smaller of the common table and a local one. Returns false if neither serves. */
bool choose_table(Gif *gif, Plan *plan, int style);
/* Writes the settled symbols. */
void symbols_write(Gif *gif, const Plan *plan, LzwStyle style);

#endif
