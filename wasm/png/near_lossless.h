/* Near-lossless rows, for pictures that no palette holds: what a filter leaves of a pixel is rounded to multiples of
 * a step, so that Deflate meets few values, and the error goes on to the neighbours, as in dithering. Each row takes
 * the filter that costs least.
 *
 * The three colours of a pixel move together, by multiples of the step of luma; differences of red and blue from
 * green by multiples of the same or of twice that. Deflate then finds the same three bytes again and again. */
#ifndef PNG_NEAR_LOSSLESS_H
#define PNG_NEAR_LOSSLESS_H
#include "hiding.h"
#include "layout.h"

typedef struct {
  u8 *line;   /* the filter, then what it leaves */
  u8 *shown;  /* samples as they will be read, after `channels` zeros */
  v4f *below; /* errors for the next row, from one pixel before the first */
  float bits; /* that `line` will take, about */
} NearCandidate;

typedef struct {
  u32 step, hue_step; /* levels of 255; 0: near_set_steps has not been called */
  float dead_hue;     /* share of a step of hue that is rounded to nothing */
  u32 width;          /* that there is room for */
  int channels;       /* samples of a pixel: grey in the first, alpha in the last */
  NearCandidate best, tried;
  u8 *shown_above, *flat;
  u32 *source_above;
  v4f *errors; /* for this row */
  bool has_above;
  float counts[256], bits_of[256]; /* how often each filtered value occurs, and what it costs */
  float shares[256];               /* by bends: share of an error that goes on */
  u32 most_off;                    /* how far any sample of these rows is off, of 255 */
} Near;

/* The step of luma, in levels of 255, and how many of it are one of hues (1 or more). */
void near_set_steps(Near *n, u32 levels, u32 hues);
/* Begins a picture of `width` pixels a row in a layout of eight bits a sample. */
void near_begin(Near *n, Hiding *hiding, const Layout *layout, u32 width);
/* The filtered row of the picture's width, ready for encode_filtered; `shown` is what readers will make of it. Valid
 * until the next call. */
const u8 *near_row(Near *n, Hiding *hiding, const u32 *px, u32 *shown);
#endif
