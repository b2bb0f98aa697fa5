/* Interface of the engines that compress or decompress streams of any length: zlib, zstd, brotli. An engine has one
 * input buffer, one output buffer and one open stream. The host fills the input, calls `step` until no more input is
 * consumed and no more output appears, and copies the output after each call. */
#ifndef WHITTLE_STREAM_H
#define WHITTLE_STREAM_H

#include "host.h"

/* Size of each of the two buffers in bytes. */
enum { STREAM_BUFFER_BYTES = 128 * 1024 };

/* Results of `step`. stream-engine.ts has the same numbers. */
typedef enum {
  STREAM_ENDED = 0,   /* the stream is complete */
  STREAM_MORE = 1,    /* the stream continues */
  STREAM_DAMAGED = -1, /* the compressed data is invalid */
  STREAM_MEMORY = -2  /* not enough memory */
} StreamResult;

/* Operations of `step`. */
typedef enum {
  STREAM_CONTINUE = 0, /* more input follows */
  STREAM_FINISH = 1    /* no input follows the given bytes */
} StreamOperation;

extern u8 stream_input[STREAM_BUFFER_BYTES];
extern u8 stream_output[STREAM_BUFFER_BYTES];

/* Sets the numbers of bytes that the last `step` took from the input and wrote to the output. */
void stream_moved(size_t consumed, size_t produced);

#endif
