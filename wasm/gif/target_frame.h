/* Keeps the next frame to write until the frame after it is known. */
#ifndef GIF_TARGET_FRAME_H
#define GIF_TARGET_FRAME_H

#include "plan.h"

/* Allocates the buffers of the target frame. A GIF with a single frame uses the decoder's canvas instead. */
void target_begin(Gif *gif);
/* Makes the frame that was decoded last the target frame. */
void target_take(Gif *gif);
/* If the frame that was decoded last repeats the target frame, adds its delay to the target frame and returns true. */
bool target_merge(Gif *gif);
/* Returns the disposal of the target frame that leaves the fewest pixels to paint for the next frame. */
int target_disposal(const Gif *gif);

#endif
