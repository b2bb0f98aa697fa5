/* Skies, backdrops, paper: where steps of quantisation show as bands and blocks (smooth.c). */
#ifndef WHITTLE_JPEG_SMOOTH_H
#define WHITTLE_JPEG_SMOOTH_H

#include "engine.h"

int block_is_quiet(float ac_energy);
float ac_energy(const JCOEF *block, const float *step);

/* Bit i: plane i has smooth areas worth finer steps. Looks at the rows as read, unless it was told or has looked. */
int smooth_planes(void);
void smooth_forget(void);
/* For rows that are requantised as they come: what was told, or nothing is smooth. */
void smooth_unseen(void);

/* The step that must not be exceeded for coefficient k of a smooth plane, where the table would take `step`. */
uint16_t smooth_step(int k, uint16_t step);
/* DC and the two lowest frequencies: what there is of a gradient between blocks, and inside of them. */
int smooth_frequency(int k);

/* Places where luma hides what happens to colour, as far as its rows have come. */
void quiet_places_begin(void);
void note_loud_place(const Plane *plane, uint32_t x, uint32_t row);
int is_loud_place(const Plane *plane, uint32_t x, uint32_t row);
void quiet_places_end(void);

#endif
