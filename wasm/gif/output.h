/* The bytes of the result. */
#ifndef GIF_OUTPUT_H
#define GIF_OUTPUT_H

#include "../common/types.h"

typedef struct {
  u64 bytes;  /* written so far */
  bool muted; /* bytes are counted, but the host does not get them */
} Output;

void output_write(Output *output, const void *bytes, u32 count);

#endif
