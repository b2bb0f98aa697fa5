/* Picture that is being processed, from a file or from pixel rows. */
#ifndef WHITTLE_JPEG_PICTURE_H
#define WHITTLE_JPEG_PICTURE_H

#include "store.h"

#define PLANES 4 /* largest number of components */

typedef struct {
  int id, h, v;                      /* component identifier and sampling factors (ITU-T T.81, B.2.2) */
  uint32_t blocks_wide, blocks_high; /* size of the plane in blocks, without padding */
  uint32_t width, height;            /* size of the plane in samples, without padding */
  uint16_t read_step[DCTSIZE2];      /* quantisation steps of the input coefficients, natural order */
  uint16_t made_step[DCTSIZE2];      /* quantisation steps of the output coefficients */
  uint16_t table_step[DCTSIZE2];     /* output steps before refinement for smooth areas */
  int smooth;                        /* plane has areas in which coarse steps are visible (smooth.h) */
  int chroma;                        /* plane is quantised with the chroma table */
  int measured;                      /* plane is decoded and included in SSIM and PSNR */
  double weight;                     /* weight of the plane's squared error in the picture's error */
  Store *read, *made;                /* block rows as read, and after requantisation; NULL: none */
} Plane;

typedef struct {
  uint32_t width, height;
  int planes, h_max, v_max;
  J_COLOR_SPACE colour; /* colour space of the file */
  Plane plane[PLANES];
} Picture;

/* Frame parameters of a new picture. */
typedef struct {
  uint32_t width, height;
  int planes;
  J_COLOR_SPACE colour;
  const jpeg_component_info *components;
} Frame;

/* Initialises the picture; sampling factors give the size of each plane (ITU-T T.81, A.1.1). Steps and stores are set
 * later. */
void picture_from(Picture *picture, Frame frame);
/* Frees the stores and resets the picture. */
void picture_clear(Picture *picture);

static inline Store *store_of(const Plane *plane, int made) { return made ? plane->made : plane->read; }
static inline const uint16_t *steps_of(const Plane *plane, int made) {
  return made ? plane->made_step : plane->read_step;
}

/* True if a row belongs to the sample: the middle one of every `every` pairs of MCU rows. Planes are thus sampled at
 * the same places, and a pair is high enough for an SSIM window. Small planes are sampled completely. */
int row_is_sampled(const Plane *plane, uint32_t row, int every);

#endif
