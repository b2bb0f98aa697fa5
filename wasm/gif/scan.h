/* The first pass over a file: its colours and delays. */
#ifndef GIF_SCAN_H
#define GIF_SCAN_H

#include "colours.h"
#include "plan.h"

typedef struct {
  u32 painted_in[COLOURS]; /* frames in which each colour is painted over another one */
  u32 last_frame[COLOURS]; /* the last of them */
  u16 order[COLOURS];
  u8 rgb[256][3];  /* the colours for the table of the result */
  int colours;     /* of all frames, 257 for "more than 256" */
  u32 least_delay; /* hundredths of a second */
} Scan;

void scan_begin(Gif *gif);
/* After each frame. */
void scan_frame(Gif *gif);
void scan_end(Gif *gif);
/* Makes the colours that were found the table of the result. */
void scan_use_colours(Gif *gif);

#endif
