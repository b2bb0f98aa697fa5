/* Interface to the inflating half of zlib. An instance decompresses one stream after the other. */
#include <zlib.h>

#include "../common/stream.h"

static z_stream stream;
static int is_open;

/* Starts a new stream. `window_bits` as in zlib's manual: -15 raw Deflate, 15 zlib, 31 gzip. Returns a StreamResult. */
EXPORT(open_inflate) int open_inflate(int window_bits) {
  int result = is_open ? inflateReset2(&stream, window_bits) : inflateInit2(&stream, window_bits);
  if (result != Z_OK) return STREAM_MEMORY;
  is_open = 1;
  return STREAM_MORE;
}

/* Decompresses `length` bytes at offset `from` of the input. Returns a StreamResult. */
EXPORT(step) int step(u32 from, u32 length, int operation) {
  (void)operation; /* inflate needs no signal at the end of its input */
  stream.next_in = stream_input + from;
  stream.avail_in = length;
  stream.next_out = stream_output;
  stream.avail_out = STREAM_BUFFER_BYTES;
  int result = inflate(&stream, Z_NO_FLUSH);
  stream_moved(length - stream.avail_in, STREAM_BUFFER_BYTES - stream.avail_out);
  switch (result) {
    case Z_STREAM_END: return STREAM_ENDED;
    case Z_OK:
    case Z_BUF_ERROR: return STREAM_MORE; /* Z_BUF_ERROR: no progress is possible without more input */
    case Z_MEM_ERROR: return STREAM_MEMORY;
    default: return STREAM_DAMAGED;
  }
}
