/* Near-lossless rows for pictures with too many colours for a palette. Filtered values are rounded to multiples of a
 * step, so that Deflate finds few distinct values. The rounding error is spread to neighbouring pixels as in dithering.
 * Each row uses the cheapest filter. The three colours of a pixel change together by multiples of the luma step.
 * Differences of red and blue from green are multiples of that step or of twice that. Deflate then finds the same byte
 * triples repeatedly. */
#ifndef PNG_NEAR_LOSSLESS_H
#define PNG_NEAR_LOSSLESS_H
#include "hiding.h"
#include "layout.h"

typedef struct {
  u8 *line;   /* filter number, then filtered bytes */
  u8 *shown;  /* samples as decoders will read them, after `channels` zeros */
  v4f *below; /* errors passed to the next row; the first entry is one pixel left of the row */
  float bits; /* approximate size of `line` in compressed bits */
} NearCandidate;

typedef struct {
  u32 step, hue_step; /* luma and hue step in levels of 0-255; 0: near_set_steps was not called */
  float dead_hue;     /* fraction of a hue step that is additionally rounded to zero */
  u32 width;          /* allocated row width in pixels */
  int channels;       /* samples per pixel: grey or red first, alpha last */
  NearCandidate best, tried;
  u8 *shown_above, *flat;
  u32 *source_above;
  v4f *errors; /* errors from the row above, for this row */
  bool has_above;
  float counts[256], bits_of[256]; /* frequency of each filtered value, and its cost in bits */
  float shares[256];               /* share of an error that is passed on, by bends (texture.h) */
  u32 most_off;                    /* largest error of any sample in these rows, 0 to 255 */
} Near;

/* Sets the luma step in levels of 0-255. The hue step is twice the luma step if `hues` is above 1, otherwise equal. */
void near_set_steps(Near *n, u32 levels, u32 hues);
/* Starts a picture of `width` pixels per row in a layout with eight bits per sample. */
void near_begin(Near *n, Hiding *hiding, const Layout *layout, u32 width);
/* Returns the filtered row for encode_filtered. `shown` receives the pixels as decoders will read them. The result is
 * valid until the next call. */
const u8 *near_row(Near *n, Hiding *hiding, const u32 *px, u32 *shown);
#endif
