#include "output.h"

#include "../common/host.h"

void output_write(Output *output, const void *bytes, u32 count) {
  output->bytes += count;
  if (!output->muted) host_write(bytes, count);
}
