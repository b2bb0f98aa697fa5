/* Rate-distortion optimisation for blocks with white or black samples. Decoders clamp samples to 0-255, so that values
 * beyond white or black are invisible. Many different blocks therefore decode to the same picture, and the cheapest
 * should be written. The trellis search only knows coefficients. This module gives it a few target blocks in sequence,
 * each derived from the decoded result of the one before. */
#ifndef WHITTLE_JPEG_OVERSHOOT_H
#define WHITTLE_JPEG_OVERSHOOT_H

#include "host.h"

/* Computes the samples of a block as decoders show them. Returns whether any of them is white or black; if not, `shown`
 * may be unset. `energy`: sum of squared AC coefficients. */
int shown_at_the_ends(const JCOEF *block, const uint16_t *step, float energy, float *shown);

/* Computes coefficients, in units of `step`, of the same samples with white and black ones moved beyond the range. */
void lifted_beyond(const float *shown, const uint16_t *step, float *scaled);

/* Returns the squared error of the decoded `levels`, weighted by frequency. `target` receives the next target block in
 * units of `step`. */
float shown_error(const float *shown, const uint16_t *step, const float *weight, const JCOEF *levels, float *target);

#endif
