/* Encodes pixel rows with libjpeg's front end (colour conversion, downsampling, integer DCT) and quantisation step 1.
 * Only the rounding of coefficients is lost (58 dB). The coefficient arrays are packed stores: rows are stored, sampled
 * or requantised like those of a file. libjpeg also runs its entropy coder; its output is discarded. */
#ifndef WHITTLE_JPEG_ROWS_IN_H
#define WHITTLE_JPEG_ROWS_IN_H

#include "arrays.h"

typedef struct Jpeg Jpeg;

typedef struct {
  struct jpeg_compress_struct encoder;
  struct jpeg_destination_mgr nowhere;
  struct jpeg_error_mgr errors;
  PackedArrays arrays;
  uint8_t dump[4096]; /* discarded entropy-coded bytes */
} RowsIn;

/* Format of pixel rows. `from`, `to`: colour spaces of the rows and of the picture; `subsampled`: 4:2:0 chroma. */
typedef struct {
  uint32_t width, height;
  int channels, subsampled;
  J_COLOR_SPACE from, to;
} RowsFormat;

void rows_in_begin(Jpeg *jpeg, RowsFormat format);
void rows_in_write(RowsIn *rows_in, uint8_t *rows, uint32_t count);
void rows_in_end(Jpeg *jpeg);

#endif
