/* Compares ways to code a frame whose colour table and symbols are prepared: transparency kinds, tables, LZW styles. */
#ifndef GIF_CODINGS_H
#define GIF_CODINGS_H

#include "plan.h"

typedef struct {
  u8 *row;             /* buffer for the symbols of one row */
  bool local_was_best; /* a local colour table was the smaller choice for the last large frame */
} Codings;

void codings_begin(Gif *gif);
/* Replaces the prepared symbols by the final ones, with transparency chosen by `plan->kind`. */
void symbols_settle(Gif *gif, const Plan *plan);
/* Finds the transparency kind (one bit each in `kinds`) with the smallest frame. Sets `kind`, `bytes` and `filled` of
 * the plan. */
void count_kinds(Gif *gif, Plan *plan, u32 kinds, int style);
/* Returns the index of the LZW style that codes the final symbols in the fewest bytes. */
int best_style(Gif *gif, const Plan *plan);
/* Prepares the plan with the smaller choice of the global and a local colour table. Returns false if neither can
 * express the frame. */
bool choose_table(Gif *gif, Plan *plan, int style);
/* Writes the plan's final symbols as LZW image data. */
void symbols_write(Gif *gif, const Plan *plan, LzwStyle style);

#endif
