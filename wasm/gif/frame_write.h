/* The result, frame by frame. */
#ifndef GIF_FRAME_WRITE_H
#define GIF_FRAME_WRITE_H

#include "plan.h"

/* Begins a result, exact or within the encoder's floors. `has_clear`: some pixel of the animation may be clear. */
void frames_begin(Gif *gif, bool exact, bool has_clear);
/* Writes the target frame, whose disposal and next canvas are set. */
void frame_write(Gif *gif);
/* Writes extensions behind the last frame, and the trailer. */
void frames_end(Gif *gif);

#endif
