/* Chooses the colour table of a frame and the symbol (table index) of each pixel. */
#ifndef GIF_COLOUR_TABLES_H
#define GIF_COLOUR_TABLES_H

#include "colours.h"
#include "plan.h"

typedef struct {
  /* Table index of each pixel in the box; `clear_index` if the pixel must be transparent. After symbols_settle: the
   * symbols that are coded. */
  u8 *symbols;
  u8 *may_repeat; /* one bit per pixel: it may stay unpainted (transparent) */
  /* Table index of each colour number. Valid only if the number's entry in `index_stamp` equals `stamp`. */
  u8 index_of[COLOURS];
  u32 index_stamp[COLOURS], stamp;
} PreparedPixels;

void colour_tables_begin(Gif *gif);
/* prepare_common uses the global table, prepare_local a table for this frame. Both return false if the table cannot
 * express the frame. */
bool prepare_common(Gif *gif, Plan *plan);
bool prepare_local(Gif *gif, Plan *plan);
/* Computes the table that prepare_local would use. Returns false if there is none. */
bool find_local_table(Gif *gif, const Plan *plan, ColourTable *table);

#endif
