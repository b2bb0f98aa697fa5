/* Picture quality, streamed row by row: SSIM by the definition (window.h; only windows that lie wholly inside) and
 * squared errors of luma and of all colour channels. Where pixels are translucent both pictures are laid over black
 * and over white, and the worse background counts. Pictures smaller than a window are mirrored up to one. */
#ifndef MEASURE_H
#define MEASURE_H
#include <stddef.h>
#include <stdint.h>

#include "pixels.h"

typedef struct Measure Measure;

#define MEASURE_BLOCK 32  /* pixels each way */
#define MEASURE_WINDOW 11 /* pixels each way */

/* Figures on the worst background. SSIM is NaN if it was not measured. Mean squared errors are per sample, for a peak
 * of 255. The last two are those of the worst block of 32 x 32 pixels: a small spoiled part must show in a large calm
 * picture. */
typedef struct {
  double ssim, luma_mse, rgb_mse, block_luma_mse, block_rgb_mse;
} Quality;

/* What a block of a picture adds, on black and on white: 1 - SSIM summed over the windows that start in it, squared
 * errors summed over its pixels. */
typedef struct {
  float loss[2], luma[2], rgb[2];
} MeasureTile;

/* Bytes of memory for rows of up to `width` pixels: about 200 a pixel, 400 if they may be translucent. SIZE_MAX: more
 * than there can be. */
size_t measure_bytes(uint32_t width, PixelFormat format);
/* Makes a meter in that much memory, aligned to 16 bytes. The caller frees it. */
Measure *measure_begin(void *memory, uint32_t width, PixelFormat format);
/* Measures SSIM from every n-th row of windows only (1 at first). 0: only squared errors, of grey bytes. */
void measure_every(Measure *m, uint32_t n);
/* Returns the n for a whole picture. A megapixel has so many windows that every second or fourth row of them gives the
 * same mean to four digits. */
uint32_t measure_sampling(uint32_t width, uint32_t height);
/* Takes the same row of both pictures. */
void measure_row(Measure *m, const void *a, const void *b);
/* Ends a run of neighbouring rows; sums go on. Runs lower than the window are mirrored up to it. */
void measure_break(Measure *m);
/* After measure_break. */
Quality measure_result(const Measure *m);

/* Measures a part of a picture instead, until measure_break. Rows have `width` pixels. The first `columns` of them and
 * the first `rows` rows count; the other ones only fill up the windows that start in those. Figures go into `tiles`,
 * not into measure_result. `stride`: tiles from a row of blocks to the next. */
void measure_part(Measure *m, uint32_t width, uint32_t columns, uint32_t rows, MeasureTile *tiles, uint32_t stride);
#endif
