/* Finds smooth areas, such as a noise-free sky. There, a DC step of 23 shows as an edge between blocks, in luma and in
 * chroma. Planes with smooth areas get finer steps for DC and the lowest frequencies. A place is a square of about 16
 * pixels. It is quiet in a plane if the standard deviation in all its blocks is below NOISE (sensor noise is below,
 * texture above). It is smooth if it and its neighbours are quiet in the plane and in luma, because luma texture masks
 * chroma errors. Areas of one flat colour are not counted, because all their blocks have the same error. */
#ifndef WHITTLE_JPEG_SMOOTH_H
#define WHITTLE_JPEG_SMOOTH_H

#include "picture.h"

#define SMOOTH_UNKNOWN (-1)

typedef struct {
  /* bit masks of planes with smooth areas: `told` is set by the host, `found` by the search; or SMOOTH_UNKNOWN */
  int told, found;
  /* one bit per place (square of about 16 pixels): luma texture masks coarse steps there; NULL outside a pass */
  uint8_t *loud;
} Smooth;

/* Returns a bit mask of planes with smooth areas that need finer steps. Searches the rows as read unless the result is
 * known. */
int smooth_planes(Smooth *smooth, const Picture *picture);
/* Discards the search result. */
void smooth_forget(Smooth *smooth);
/* For rows that are requantised as they arrive: uses the host's value, or assumes that no plane is smooth. */
void smooth_unseen(Smooth *smooth);

/* Returns 64 times the variance of a block's samples (Parseval). */
float ac_energy(const JCOEF *block, const float *step);
/* True if a block with this AC energy has no texture. */
int block_is_quiet(float energy);

/* Returns the step for coefficient k of a smooth plane whose table has `step`. */
uint16_t smooth_step(int k, uint16_t step);

/* Record the places (squares of about 16 pixels) where luma texture masks chroma errors, for the rows read so far. */
void loud_places_begin(Smooth *smooth, const Picture *picture);
void loud_places_end(Smooth *smooth);
void note_loud_place(Smooth *smooth, const Picture *picture, const Plane *plane, uint32_t x, uint32_t row);
int is_loud_place(const Smooth *smooth, const Picture *picture, const Plane *plane, uint32_t x, uint32_t row);

#endif
