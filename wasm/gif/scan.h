/* First pass over a GIF: collects its colours and frame delays. */
#ifndef GIF_SCAN_H
#define GIF_SCAN_H

#include "colours.h"
#include "plan.h"

typedef struct {
  u32 painted_in[COLOURS]; /* number of frames that paint each colour over another one */
  u32 last_frame[COLOURS]; /* number of the last frame that paints each colour over another one */
  u16 order[COLOURS];
  u8 rgb[256][3];  /* colours of the global table of the output */
  int colours;     /* colours used in all frames; 257: more than 256 */
  u32 least_delay; /* shortest frame delay in hundredths of a second */
} Scan;

void scan_begin(Gif *gif);
/* Called after each frame of the first pass. */
void scan_frame(Gif *gif);
void scan_end(Gif *gif);
/* Uses the colours that the scan found as the global table of the output. */
void scan_use_colours(Gif *gif);

#endif
