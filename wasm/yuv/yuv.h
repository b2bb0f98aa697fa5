/* Conversion of a decoded picture in Y'CbCr planes to rows of RGB or grey, cropped, rotated and mirrored on the way. The
 * engines of AV1 and HEVC share it. */
#ifndef WHITTLE_YUV_H
#define WHITTLE_YUV_H

#include "../common/types.h"

/* Decoded planes. Samples above 8 bits are stored as u16. */
typedef struct {
  const u8 *planes[3];
  int strides[3]; /* bytes between rows */
  int width, height;
  int bits;             /* bits per sample: 8 to 16 */
  int shift_x, shift_y; /* 1: chroma has half the width or height */
  bool has_chroma;
} YuvPlanes;

/* How the planes become colours (ITU-T H.273, 8.3). The values are part of the host's interface. */
typedef enum {
  COLOURS_WEIGHTED = 0, /* Y'CbCr with weights of red and blue */
  COLOURS_IDENTITY = 1, /* planes hold green, blue and red */
  COLOURS_YCGCO = 2
} Colours;

typedef struct {
  int x, y, width, height; /* area of the planes that is shown */
  int orientation;         /* as in EXIF: 1 as stored, 2 to 8 mirrored or rotated */
  Colours colours;
  float red_weight, blue_weight;
  bool full_range;
  bool grey; /* luma only: one channel instead of three */
  bool wide; /* 16 bits per output sample instead of 8 */
} YuvView;

typedef struct Yuv Yuv;

/* Prepares the conversion. Returns NULL if the view leaves the planes or the planes do not fit its colours. */
Yuv *yuv_open(const YuvPlanes *planes, const YuvView *view);
void yuv_close(Yuv *yuv);
/* Writes `count` rows of the rotated view, from row `first` on. The caller checks the range. */
void yuv_rows(Yuv *yuv, int first, int count, u8 *to);

#endif
