/* Interface to brotli's streams. An instance has either a compressor or a decompressor. */
#include <brotli/decode.h>
#include <brotli/encode.h>

#include "../common/stream.h"

static BrotliEncoderState *compressor;
static BrotliDecoderState *decompressor;

EXPORT(open_compressor) int open_compressor(void) {
  compressor = BrotliEncoderCreateInstance(NULL, NULL, NULL);
  return compressor ? STREAM_MORE : STREAM_MEMORY;
}

/* Sets a BrotliEncoderParameter (encode.h). Returns 0 if the value is not allowed. */
EXPORT(set_parameter) int set_parameter(int parameter, u32 value) {
  return BrotliEncoderSetParameter(compressor, (BrotliEncoderParameter)parameter, value);
}

EXPORT(open_decompressor) int open_decompressor(void) {
  decompressor = BrotliDecoderCreateInstance(NULL, NULL, NULL);
  return decompressor ? STREAM_MORE : STREAM_MEMORY;
}

/* A compressor that fails has always run out of memory. */
static int compress(size_t *length, const u8 **in, size_t *room, u8 **out, int finishes) {
  BrotliEncoderOperation operation = finishes ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS;
  if (!BrotliEncoderCompressStream(compressor, operation, length, in, room, out, NULL)) return STREAM_MEMORY;
  return BrotliEncoderIsFinished(compressor) ? STREAM_ENDED : STREAM_MORE;
}

static int decompress(size_t *length, const u8 **in, size_t *room, u8 **out) {
  switch (BrotliDecoderDecompressStream(decompressor, length, in, room, out, NULL)) {
    case BROTLI_DECODER_RESULT_SUCCESS: return STREAM_ENDED;
    case BROTLI_DECODER_RESULT_ERROR: break;
    default: return STREAM_MORE;
  }
  /* The codes from -30 to -21 are failed allocations (decode.h, BROTLI_DECODER_ERROR_CODES_LIST). */
  int code = BrotliDecoderGetErrorCode(decompressor);
  return code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES && code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES
             ? STREAM_MEMORY
             : STREAM_DAMAGED;
}

/* Processes `length` bytes at offset `from` of the input. `operation`: a StreamOperation. Returns a StreamResult. */
EXPORT(step) int step(u32 from, u32 length, int operation) {
  size_t left = length, room = STREAM_BUFFER_BYTES;
  const u8 *in = stream_input + from;
  u8 *out = stream_output;
  int result = compressor ? compress(&left, &in, &room, &out, operation == STREAM_FINISH)
                          : decompress(&left, &in, &room, &out);
  stream_moved(length - left, STREAM_BUFFER_BYTES - room);
  return result;
}
