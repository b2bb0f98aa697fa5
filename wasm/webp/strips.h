/* A lossy file, decoded strip by strip (16 rows and what the filter holds back). */
#ifndef WHITTLE_WEBP_STRIPS_H
#define WHITTLE_WEBP_STRIPS_H

#include "src/dec/vp8i_dec.h"

/* Receives a strip; `strip->opaque` is the context. Returns 1. */
typedef VP8IoPutHook StripTaker;

typedef struct {
  VP8Decoder *decoder;
  VP8Io io;
} Strips;

typedef struct {
  const uint8_t *bytes;
  uint32_t length;
  int width, height; /* that it must have */
} LossyFile;

/* Reads the headers; 0: the file is damaged, of another size, or no lossy file. `with_alpha`: strips have alpha
 * where the file has. */
int strips_open(Strips *s, LossyFile file, StripTaker take, void *context, int with_alpha);
/* Decodes all strips; 0: the file is damaged. */
int strips_decode(Strips *s);
/* Begins to decode row by row of macroblocks; 0: memory is short, or the file is damaged. */
int strips_begin(Strips *s);
/* Decodes the next row of macroblocks: 1, 0 at the end, -1 where the file is damaged. */
int strips_next(Strips *s);

#endif
