/* Samples beyond white and black, where decoders clamp (overshoot.c). */
#ifndef WHITTLE_JPEG_OVERSHOOT_H
#define WHITTLE_JPEG_OVERSHOOT_H

#include "engine.h"

/* The samples of a block as they are shown, if some of them are white or black; `energy`: of all but DC. Returns whether they are. */
int shown_at_the_ends(const JCOEF *block, const uint16_t *step, float energy, float *shown);

/* Coefficients, in units of `step`, of the same samples with those at the ends lifted beyond. */
void lifted_beyond(const float *shown, const uint16_t *step, float *scaled);

/* Squared error of what `levels` show, weighed by frequency; `wanted`: what to try instead of them, in units of `step`. */
float shown_error(const float *shown, const uint16_t *step, const float *weight, const JCOEF *levels, float *wanted);

#endif
