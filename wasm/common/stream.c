#include "stream.h"

u8 stream_input[STREAM_BUFFER_BYTES];
u8 stream_output[STREAM_BUFFER_BYTES];

static size_t consumed_bytes;
static size_t produced_bytes;

void stream_moved(size_t consumed, size_t produced) {
  consumed_bytes = consumed;
  produced_bytes = produced;
}

EXPORT(input) u8 *input(void) { return stream_input; }
EXPORT(output) u8 *output(void) { return stream_output; }
EXPORT(buffer_bytes) u32 buffer_bytes(void) { return STREAM_BUFFER_BYTES; }
EXPORT(consumed) size_t consumed(void) { return consumed_bytes; }
EXPORT(produced) size_t produced(void) { return produced_bytes; }
