/* Writes sequential (baseline) files from packed rows with libjpeg's coder. */
#ifndef WHITTLE_JPEG_SEQUENTIAL_H
#define WHITTLE_JPEG_SEQUENTIAL_H

#include "arrays.h"
#include "coder.h"

typedef struct Jpeg Jpeg;

typedef struct {
  struct jpeg_compress_struct coder;
  struct jpeg_destination_mgr destination;
  struct jpeg_error_mgr errors;
  PackedArrays arrays;
  Output *output;
  uint8_t buffer[LANE_BYTES];
} Sequential;

/* Writes the rows as read (0) or as made (1). `optimise`: compute Huffman tables for the picture; otherwise the
 * standard tables (T.81, annex K.3) save a pass. The output counts the bytes. */
void write_sequential(Jpeg *jpeg, int made, int headers, int optimise);

#endif
