/* 8×8 DCTs in floating point (ITU-T T.81, A.3.3), written so that the compiler can use vectors. */
#ifndef WHITTLE_JPEG_DCT_H
#define WHITTLE_JPEG_DCT_H

#include "host.h"

/* Samples of a block whose coefficients are quantised with `step`, as bytes and as numbers around 0. */
void inverse_dct(const JCOEF *block, const uint16_t *step, uint8_t *out, uint32_t stride);
void inverse_dct_float(const JCOEF *block, const uint16_t *step, float *out, uint32_t stride);
/* Coefficients of samples around 0, exact and rounded. */
void forward_dct_float(const float *pixels, uint32_t stride, float *out);
void forward_dct(const float *pixels, uint32_t stride, JCOEF *block);
/* Whether decoders with libjpeg's fast transform would show the block otherwise. */
int overflows_fast_transform(const JCOEF *block, const uint16_t *step);

#endif
