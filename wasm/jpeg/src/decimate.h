/* Reduces chroma of full or half resolution to 4:2:0 within the packed rows: block → samples → mean of 2×1, 1×2 or 2×2
 * → block, with a quantisation step of 1. No whole plane of samples is held in memory. */
#ifndef WHITTLE_JPEG_DECIMATE_H
#define WHITTLE_JPEG_DECIMATE_H

typedef struct Jpeg Jpeg;

/* Decimates the chroma planes (`every` 0), or measures the error on every `every`-th row. Returns the mean squared
 * error over both planes; -1: the picture cannot be decimated (not YCbCr, unusual sampling, 4:2:0 already). */
double decimate(Jpeg *jpeg, int every);

#endif
