/*
 * Pixel rows in: libjpeg's front end (colour conversion, downsampling, integer DCT) with every step 1, so that
 * rounding of coefficients (58 dB) is all that is lost. Its coefficient arrays are ours: rows are stored, sampled or
 * requantised on the spot like those of a file. Its entropy coder runs, because the front end cannot do without, and
 * is thrown away.
 */
#ifndef WHITTLE_JPEG_ROWS_IN_H
#define WHITTLE_JPEG_ROWS_IN_H

#include "arrays.h"

typedef struct Jpeg Jpeg;

typedef struct {
  struct jpeg_compress_struct encoder;
  struct jpeg_destination_mgr nowhere;
  struct jpeg_error_mgr errors;
  PackedArrays arrays;
  uint8_t dump[4096]; /* entropy-coded bytes that nobody wants */
} RowsIn;

/* `from`, `to`: colour spaces of the rows and of the picture; `subsampled`: 4:2:0 chroma. */
typedef struct {
  uint32_t width, height;
  int channels, subsampled;
  J_COLOR_SPACE from, to;
} RowsFormat;

void rows_in_begin(Jpeg *jpeg, RowsFormat format);
void rows_in_write(RowsIn *rows_in, uint8_t *rows, uint32_t count);
void rows_in_end(Jpeg *jpeg);

#endif
