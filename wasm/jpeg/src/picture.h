/* The picture that is being worked on, whoever delivers it. */
#ifndef WHITTLE_JPEG_PICTURE_H
#define WHITTLE_JPEG_PICTURE_H

#include "store.h"

#define PLANES 4 /* components a picture may have */

typedef struct {
  int id, h, v;                      /* component id, sampling factors (ITU-T T.81, B.2.2) */
  uint32_t blocks_wide, blocks_high; /* blocks that belong to the picture */
  uint32_t width, height;            /* samples that belong to the picture */
  uint16_t read_step[DCTSIZE2];      /* quantisation steps of the coefficients that came in, natural order */
  uint16_t made_step[DCTSIZE2];      /* and of those that go out */
  uint16_t table_step[DCTSIZE2];     /* what those would be without smooth areas */
  int smooth;                        /* has areas where coarse steps are visible (smooth.h) */
  int chroma;                        /* quantised with the chroma table */
  int measured;                      /* its pixels count for SSIM and PSNR */
  double weight;                     /* of its squared error in the picture's */
  Store *read, *made;                /* rows as they came in, and requantised; NULL: there are none */
} Plane;

typedef struct {
  uint32_t width, height;
  int planes, h_max, v_max;
  J_COLOR_SPACE colour; /* as stored */
  Plane plane[PLANES];
} Picture;

/* The frame header of a picture. */
typedef struct {
  uint32_t width, height;
  int planes;
  J_COLOR_SPACE colour;
  const jpeg_component_info *components;
} Frame;

/* Begins a picture; sampling factors give the planes' sizes (ITU-T T.81, A.1.1). Steps and stores come later. */
void picture_from(Picture *picture, Frame frame);
/* Frees the stores and forgets the picture. */
void picture_clear(Picture *picture);

static inline Store *store_of(const Plane *plane, int made) { return made ? plane->made : plane->read; }
static inline const uint16_t *steps_of(const Plane *plane, int made) {
  return made ? plane->made_step : plane->read_step;
}

/*
 * Whether a row belongs to the sample: of every `every` pairs of MCU rows the middle one, so that the planes are
 * sampled at the same places and a pair has enough lines for the SSIM window. Small planes are taken whole.
 */
int row_is_sampled(const Plane *plane, uint32_t row, int every);

#endif
