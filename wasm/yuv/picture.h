/* Interface between a decoder of still pictures and `exports.c`, which delivers its picture as rows. */
#ifndef WHITTLE_YUV_PICTURE_H
#define WHITTLE_YUV_PICTURE_H

#include "yuv.h"

/* Picture of the decoder. `matrix`, `primaries`, `transfer` and `full_range` come from the bitstream (ITU-T H.273). */
typedef struct {
  YuvPlanes planes;
  int matrix, primaries, transfer, full_range;
} DecodedPicture;

/* The current picture. Each decoder defines it. */
extern DecodedPicture decoded;

#endif
