/* Picture quality, streamed row by row: SSIM as defined in window.h (only windows that lie wholly inside) and squared
 * errors of luma and of all colour channels. Translucent pictures are composited over black and over white, and the
 * worse background counts. Pictures smaller than a window are extended by mirroring. */
#ifndef MEASURE_H
#define MEASURE_H
#include <stddef.h>
#include <stdint.h>

#include "pixels.h"

typedef struct Measure Measure;

#define MEASURE_BLOCK 32  /* side of a block in pixels */
#define MEASURE_WINDOW 11 /* side of an SSIM window in pixels */

/* Quality on the worst background. `ssim`: NaN if not measured. `…_mse`: mean squared errors per sample, peak 255.
 * `block_…`: those of the worst block of 32 x 32 pixels, so that a small damaged part is noticed in a large uniform
 * picture. */
typedef struct {
  double ssim, luma_mse, rgb_mse, block_luma_mse, block_rgb_mse;
} Quality;

/* Sums for one block of a picture, on black and on white: 1 - SSIM over the windows that start in it, squared errors
 * over its pixels. */
typedef struct {
  float loss[2], luma[2], rgb[2];
} MeasureTile;

/* Returns the bytes of memory for rows of up to `width` pixels: about 200 per pixel, 400 with translucent pixels.
 * SIZE_MAX: too large to address. */
size_t measure_bytes(uint32_t width, PixelFormat format);
/* Creates a quality meter in `memory`, which has measure_bytes bytes and is aligned to 16 bytes. The caller frees the
 * memory. */
Measure *measure_begin(void *memory, uint32_t width, PixelFormat format);
/* Measures SSIM only on every n-th row of windows (default 1). 0: only squared errors, for 8-bit grey. */
void measure_every(Measure *m, uint32_t n);
/* Returns the sampling interval of window rows for a picture of this size. A megapixel has so many windows that every
 * second or fourth row of them gives the same mean to four digits. */
uint32_t measure_sampling(uint32_t width, uint32_t height);
/* Measures one row of picture A against the same row of picture B. */
void measure_row(Measure *m, const void *a, const void *b);
/* Ends a run of adjacent rows; the sums continue. Runs lower than a window are extended by mirroring. */
void measure_break(Measure *m);
/* Returns the quality. Called after measure_break. */
Quality measure_result(const Measure *m);

/* Measures a part of a picture until measure_break. Rows have `width` pixels. The first `columns` pixels of the first
 * `rows` rows count; the others only complete the windows that start there. Results go to `tiles`, not to
 * measure_result. `stride`: tiles per row of blocks. */
void measure_part(Measure *m, uint32_t width, uint32_t columns, uint32_t rows, MeasureTile *tiles, uint32_t stride);
#endif
