/* Writes the output GIF frame by frame. */
#ifndef GIF_FRAME_WRITE_H
#define GIF_FRAME_WRITE_H

#include "plan.h"

/* Starts the output, either exact or within the encoder's quality floors. `has_clear`: some pixel of the animation may
 * be transparent. */
void frames_begin(Gif *gif, bool exact, bool has_clear);
/* Writes the target frame. Its disposal and next canvas must be set. */
void frame_write(Gif *gif);
/* Writes the extensions after the last frame, and the trailer. */
void frames_end(Gif *gif);

#endif
