/* SSIM and squared errors of two whole canvases. Results are stored per block, so that only the blocks that a frame
 * changes are measured again. */
#ifndef GIF_SIMILARITY_H
#define GIF_SIMILARITY_H

#include "../common/types.h"
#include "../measure/measure.h"
#include "box.h"

typedef struct {
  Measure *measure;
  int width, height;            /* canvas size in pixels */
  bool with_alpha;              /* some pixel may be transparent */
  bool measure_alpha;           /* value of `with_alpha` for which `measure` was created */
  MeasureTile *kept, *measured; /* `kept`: blocks of the whole canvas; `measured`: blocks of the part being measured */
  u32 across, down;             /* size of the canvas in blocks */
  Box part;                     /* part being measured, in blocks */
} Similarity;

/* Starts with two equal canvases. */
void similarity_begin(Similarity *s, int width, int height, bool with_alpha);
/* Enables transparent pixels from now on. */
void similarity_add_alpha(Similarity *s);
/* Starts measuring a changed part, with SSIM from every `every`-th row of windows. Returns the pixel area whose rows
 * the caller must pass: whole blocks, plus the reach of SSIM windows. */
Box similarity_open(Similarity *s, Box changed, u32 every);
void similarity_row(Similarity *s, const u32 *a, const u32 *b);
/* Returns the quality of the whole canvas, with the measured part replaced. */
Quality similarity_close(Similarity *s);
/* Stores the part that was measured last as the current state. */
void similarity_keep(Similarity *s);

#endif
