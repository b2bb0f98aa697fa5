/* Interface to zstd's streams. An instance has either a compressor or a decompressor. */
#include <zstd.h>
#include <zstd_errors.h>

#include "../common/stream.h"

static ZSTD_CCtx *compressor;
static ZSTD_DCtx *decompressor;

static int failure(size_t code) {
  switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation:
    case ZSTD_error_frameParameter_windowTooLarge: return STREAM_MEMORY;
    default: return STREAM_DAMAGED;
  }
}

/* Creates a compressor for a frame of `bytes` bytes, which the frame header states. Returns a StreamResult. */
EXPORT(open_compressor) int open_compressor(double bytes) {
  compressor = ZSTD_createCCtx();
  if (!compressor) return STREAM_MEMORY;
  size_t result = ZSTD_CCtx_setPledgedSrcSize(compressor, (unsigned long long)bytes);
  return ZSTD_isError(result) ? failure(result) : STREAM_MORE;
}

/* Sets a ZSTD_cParameter (zstd.h). Returns 0 if the value is not allowed. */
EXPORT(set_parameter) int set_parameter(int parameter, int value) {
  return !ZSTD_isError(ZSTD_CCtx_setParameter(compressor, (ZSTD_cParameter)parameter, value));
}

EXPORT(open_decompressor) int open_decompressor(void) {
  decompressor = ZSTD_createDCtx();
  return decompressor ? STREAM_MORE : STREAM_MEMORY;
}

/* Processes `length` bytes at offset `from` of the input. `operation`: a StreamOperation. Returns a StreamResult. A
 * compressor returns STREAM_ENDED only after STREAM_FINISH. */
EXPORT(step) int step(u32 from, u32 length, int operation) {
  ZSTD_inBuffer in = {stream_input + from, length, 0};
  ZSTD_outBuffer out = {stream_output, STREAM_BUFFER_BYTES, 0};
  int finishes = operation == STREAM_FINISH;
  size_t left = compressor ? ZSTD_compressStream2(compressor, &out, &in, finishes ? ZSTD_e_end : ZSTD_e_continue)
                           : ZSTD_decompressStream(decompressor, &out, &in);
  stream_moved(in.pos, out.pos);
  if (ZSTD_isError(left)) return failure(left);
  return left == 0 && (finishes || decompressor) ? STREAM_ENDED : STREAM_MORE;
}
