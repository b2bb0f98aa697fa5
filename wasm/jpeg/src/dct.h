/* 8×8 DCTs in floating point (ITU-T T.81, A.3.3), written so that the compiler can vectorise them. */
#ifndef WHITTLE_JPEG_DCT_H
#define WHITTLE_JPEG_DCT_H

#include "host.h"

/* Inverse DCT of a block with quantisation steps `step`, to bytes or to floats centred on 0. */
void inverse_dct(const JCOEF *block, const uint16_t *step, uint8_t *out, uint32_t stride);
void inverse_dct_float(const JCOEF *block, const uint16_t *step, float *out, uint32_t stride);
/* Forward DCT of samples centred on 0, with exact or rounded coefficients. */
void forward_dct_float(const float *pixels, uint32_t stride, float *out);
void forward_dct(const float *pixels, uint32_t stride, JCOEF *block);
/* True if decoders that use libjpeg's fast inverse DCT would overflow and show the block wrongly. */
int overflows_fast_transform(const JCOEF *block, const uint16_t *step);

#endif
