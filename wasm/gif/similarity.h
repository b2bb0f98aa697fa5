/* SSIM and squared errors of two whole canvases. Figures are kept for each block: a frame changes a part, and only
 * its blocks are measured again. */
#ifndef GIF_SIMILARITY_H
#define GIF_SIMILARITY_H

#include "../common/types.h"
#include "../measure/measure.h"
#include "box.h"

typedef struct {
  Measure *measure;
  int width, height;            /* pixels of the canvases */
  bool with_alpha;              /* some pixel may be clear */
  bool measure_alpha;           /* `measure` was made for that */
  MeasureTile *kept, *measured; /* of the canvases; of the part that is measured */
  u32 across, down;             /* blocks */
  Box part;                     /* in blocks */
} Similarity;

/* Both canvases are equal everywhere. */
void similarity_begin(Similarity *s, int width, int height, bool with_alpha);
/* From now on some pixel may be clear. */
void similarity_add_alpha(Similarity *s);
/* Begins to measure a part that has changed, with SSIM from every n-th row of windows. Returns the pixels whose
 * rows are to follow: whole blocks, and what windows reach over. */
Box similarity_open(Similarity *s, Box changed, u32 every);
void similarity_row(Similarity *s, const u32 *a, const u32 *b);
/* Returns the figures of the whole canvas with the part as measured. */
Quality similarity_close(Similarity *s);
/* Keeps the part as it was measured last. */
void similarity_keep(Similarity *s);

#endif
