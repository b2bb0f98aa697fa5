/* Encoder for point formats 0 to 5: all fields of a point follow each other in one code stream. */
#ifndef LAZ_POINTWISE_H
#define LAZ_POINTWISE_H

#include "fields.h"
#include "layout.h"

typedef struct {
  encoder e;
  model *changed, *scan_angle[2], **extra;
  bank bit_byte, classification, user_data;
  integers intensity, source, dx, dy, z;
  median median_x[16], median_y[16];
  u32 last_intensity[16];
  i32 last_height[8];
  gps_time time;
  colour rgb;
  wave wave;
} Pointwise;

/* Initialises the encoder. Called once. */
void pointwise_begin(Pointwise *pw, const Layout *layout);
/* Encodes all records of a chunk except the first into `e`. */
void pointwise_encode(Pointwise *pw, const Layout *layout, const u8 *records, const u8 *end);

#endif
