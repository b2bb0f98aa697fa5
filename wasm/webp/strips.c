#include "strips.h"

#include <string.h>

#include "../common/allocate.h"
#include "../common/host.h"

static int no_setup(VP8Io *io) {
  (void)io;
  return 1;
}
static void no_teardown(const VP8Io *io) { (void)io; }

#define RIFF_HEADER_BYTES 12 /* size of the RIFF header (RFC 9649, 2.4) */
#define CHUNK_HEADER_BYTES 8 /* size of a chunk header (RFC 9649, 2.3) */

/* Returns the content of the named chunk; NULL: the file has none. */
static const uint8_t *chunk_of(LossyFile file, const char *name, uint32_t *chunk_length) {
  for (uint32_t at = RIFF_HEADER_BYTES; at + CHUNK_HEADER_BYTES <= file.length;) {
    const uint8_t *p = file.bytes + at;
    const uint32_t size = p[4] | p[5] << 8 | p[6] << 16 | (uint32_t)p[7] << 24;
    if (size > file.length - at - CHUNK_HEADER_BYTES) return NULL;
    if (!memcmp(p, name, 4)) {
      *chunk_length = size;
      return p + CHUNK_HEADER_BYTES;
    }
    at += CHUNK_HEADER_BYTES + size + (size & 1);
  }
  return NULL;
}

int strips_open(Strips *s, LossyFile file, StripTaker take, void *context, int with_alpha) {
  uint32_t size, alpha_size = 0;
  const uint8_t *data = chunk_of(file, "VP8 ", &size), *alpha = chunk_of(file, "ALPH", &alpha_size);
  if (!data) return 0;
  VP8InitIo(&s->io);
  s->io.data = data;
  s->io.data_size = size;
  s->io.opaque = context;
  s->io.put = take;
  s->io.setup = no_setup;
  s->io.teardown = no_teardown;
  VP8Delete(s->decoder);
  if (!(s->decoder = VP8New())) host_fail(FAIL_MEMORY, "out of memory");
  s->decoder->alpha_data_ = with_alpha ? alpha : NULL;
  s->decoder->alpha_data_size_ = alpha_size;
  return VP8GetHeaders(s->decoder, &s->io) && s->io.width == file.width && s->io.height == file.height;
}

int strips_decode(Strips *s) { return VP8Decode(s->decoder, &s->io); }

int strips_begin(Strips *s) {
  return VP8EnterCritical(s->decoder, &s->io) == VP8_STATUS_OK && VP8InitFrame(s->decoder, &s->io);
}

int strips_next(Strips *s) {
  VP8Decoder *decoder = s->decoder;
  if (decoder->mb_y_ >= decoder->br_mb_y_) return 0;
  if (!VP8ParseIntraModeRow(&decoder->br_, decoder)) return -1;
  VP8BitReader *tokens = &decoder->parts_[decoder->mb_y_ & decoder->num_parts_minus_one_];
  for (; decoder->mb_x_ < decoder->mb_w_; decoder->mb_x_++)
    if (!VP8DecodeMB(decoder, tokens)) return -1;
  VP8InitScanline(decoder);
  if (!VP8ProcessRow(decoder, &s->io)) return -1;
  decoder->mb_y_++;
  return 1;
}
