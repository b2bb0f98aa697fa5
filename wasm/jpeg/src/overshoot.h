/*
 * White paper and black ground lie at the ends of the scale. What a sample is beyond them is not visible, as
 * decoders clamp it, so that a block with strokes on paper is any of many blocks: of those that look alike, the
 * cheapest should be written, and an error that is clamped away is none. The trellis knows of coefficients alone; it
 * gets a few targets, one after the other, each made of what the levels that it found show.
 */
#ifndef WHITTLE_JPEG_OVERSHOOT_H
#define WHITTLE_JPEG_OVERSHOOT_H

#include "host.h"

/* Fills `shown` with the samples of a block as decoders show them. Returns whether any is white or black; if not,
 * `shown` may be unset. `energy`: of all but DC. */
int shown_at_the_ends(const JCOEF *block, const uint16_t *step, float energy, float *shown);

/* Coefficients, in units of `step`, of the same samples with those at the ends lifted beyond. */
void lifted_beyond(const float *shown, const uint16_t *step, float *scaled);

/* Squared error of what `levels` show, weighed by frequency; `target`: what to aim at next, in units of `step`. */
float shown_error(const float *shown, const uint16_t *step, const float *weight, const JCOEF *levels, float *target);

#endif
