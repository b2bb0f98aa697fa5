/* The frame that waits to be written. */
#ifndef GIF_TARGET_FRAME_H
#define GIF_TARGET_FRAME_H

#include "plan.h"

/* Memory for it. A single frame waits where it was read. */
void target_begin(Gif *gif);
/* Makes the frame that was read last the one that waits. */
void target_take(Gif *gif);
/* If the frame that was read last repeats the one that waits, makes that one longer and returns true. */
bool target_merge(Gif *gif);
/* Returns the disposal after which the frame that was read last is cheapest to paint. */
int target_disposal(const Gif *gif);

#endif
