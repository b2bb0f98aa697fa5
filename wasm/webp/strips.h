/* Decodes a lossy WebP file in strips of 16 rows plus rows delayed by the loop filter. */
#ifndef WHITTLE_WEBP_STRIPS_H
#define WHITTLE_WEBP_STRIPS_H

#include "src/dec/vp8i_dec.h"

/* Callback that receives a strip; `strip->opaque` is the context. Must return 1. */
typedef VP8IoPutHook StripTaker;

typedef struct {
  VP8Decoder *decoder;
  VP8Io io;
} Strips;

typedef struct {
  const uint8_t *bytes;
  uint32_t length;
  int width, height; /* required picture size in pixels */
} LossyFile;

/* Reads the headers. Returns 0 if the file is damaged, has another size, or is not lossy. `with_alpha`: strips include
 * alpha if the file has it. */
int strips_open(Strips *s, LossyFile file, StripTaker take, void *context, int with_alpha);
/* Decodes all strips. Returns 0 if the file is damaged. */
int strips_decode(Strips *s);
/* Starts decoding by rows of macroblocks. Returns 0 if memory is short or the file is damaged. */
int strips_begin(Strips *s);
/* Decodes the next row of macroblocks. Returns 1; 0 at the end; -1 if the file is damaged. */
int strips_next(Strips *s);

#endif
