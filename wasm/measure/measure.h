/* Picture quality, streamed row by row: SSIM (Wang et al. 2004: luma, 11x11 Gaussian, sigma 1.5, only whole windows) and
 * PSNR of luma and of RGB.  Where pixels are translucent both pictures are laid over black and over white, and the worse
 * background counts.  Luma is BT.601 (0.299, 0.587, 0.114). */
#ifndef MEASURE_H
#define MEASURE_H
#include <stdbool.h>
#include <stdint.h>

typedef struct Measure Measure;

#define MEASURE_BLOCK 32  /* pixels each way */
#define MEASURE_WINDOW 11 /* pixels each way */

/* Worst of the backgrounds. The mean squared errors are per sample, for a peak of 255; the last two are those of the worst
 * block of 32 x 32 pixels, so that a small part cannot be spoiled unseen in a large calm picture. */
typedef struct { double ssim, luma_mse, rgb_mse, block_luma_mse, block_rgb_mse; } Quality;

/* What a block of a picture adds, on black and on white: 1 - SSIM summed over the windows that start in it, squared errors
 * summed over its pixels. */
typedef struct { float loss[2], luma[2], rgb[2]; } MeasureTile;

/* Rows of up to `width` pixels; `alpha` when any pixel may be translucent. NULL when memory is short. */
Measure *measure_open(uint32_t width, bool alpha);
/* SSIM from every n-th row of windows only (1 at first): for trials. */
void measure_every(Measure *m, uint32_t n);
/* One row of both pictures: r | g << 8 | b << 16 | a << 24. */
void measure_row(Measure *m, const uint32_t *a, const uint32_t *b);
/* Ends a run of neighbouring rows; sums go on. Pictures lower than the window are mirrored up to it. */
void measure_break(Measure *m);
/* After measure_break. */
Quality measure_result(const Measure *m);
/* Forgets all sums and rows. */
void measure_reset(Measure *m);
void measure_close(Measure *m);

/* A part of a picture instead: rows of `width` pixels, of which the first `columns` and the first `rows` rows count, while the
 * others only fill up the windows that start in those. Figures go into `tiles`, `stride` to a row of blocks. Ended by
 * measure_break; measure_result knows nothing of it. */
void measure_part(Measure *m, uint32_t width, uint32_t columns, uint32_t rows, MeasureTile *tiles, uint32_t stride);
#endif
