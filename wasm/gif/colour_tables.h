/* The colour table of a frame and the symbol of each pixel. */
#ifndef GIF_COLOUR_TABLES_H
#define GIF_COLOUR_TABLES_H

#include "colours.h"
#include "plan.h"

typedef struct {
  /* Of each pixel of the box: the index of its colour; `clear_index` if only that will do. Once the plan is
   * settled: the symbols that are coded. */
  u8 *symbols;
  u8 *may_repeat; /* a bit: the pixel may stay as it is shown */
  /* Entries of colours: valid where the stamp is the current one. */
  u8 index_of[COLOURS];
  u32 index_stamp[COLOURS], stamp;
} PreparedPixels;

void colour_tables_begin(Gif *gif);
/* Prepares a plan with the table of the file, or with a local one. Returns false if that table cannot express the
 * frame. */
bool prepare_common(Gif *gif, Plan *plan);
bool prepare_local(Gif *gif, Plan *plan);
/* The table that prepare_local would make, if it can. */
bool find_local_table(Gif *gif, const Plan *plan, ColourTable *table);

#endif
