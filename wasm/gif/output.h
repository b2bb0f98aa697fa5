/* Output stream for the written GIF. */
#ifndef GIF_OUTPUT_H
#define GIF_OUTPUT_H

#include "../common/types.h"

typedef struct {
  u64 bytes;  /* bytes written so far */
  bool muted; /* true: bytes are only counted, not passed to the host */
} Output;

void output_write(Output *output, const void *bytes, u32 count);

#endif
