/*
 * Chroma at full or half size → 4:2:0, inside the packed rows: block → samples → mean of 2×1, 1×2 or 2×2 → block,
 * with a quantisation step of 1. There is never a plane of samples.
 */
#ifndef WHITTLE_JPEG_DECIMATE_H
#define WHITTLE_JPEG_DECIMATE_H

typedef struct Jpeg Jpeg;

/* Decimates (`every` 0), or measures that on every `every`-th row. Returns the mean squared error over both chroma
 * planes, -1 where the picture cannot be decimated (no YCbCr, unusual sampling, 4:2:0 already). */
double decimate(Jpeg *jpeg, int every);

#endif
