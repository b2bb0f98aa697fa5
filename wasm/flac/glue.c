/* Interface to libFLAC. An instance has one encoder and one decoder; output is passed to imported functions. */
#include <FLAC/metadata.h>
#include <FLAC/stream_decoder.h>
#include <FLAC/stream_encoder.h>
#include <stdlib.h>
#include <string.h>

#include "../common/host.h"

/* Host functions that receive encoded bytes in order, the final STREAMINFO block (34 bytes) of the header, and the
 * decoded samples of one frame with the offset of the stream at which the frame ends. */
IMPORT(flac_bytes) void flac_bytes(const unsigned char *bytes, int count);
IMPORT(flac_info) void flac_info(const unsigned char *bytes, int count);
IMPORT(flac_samples) void flac_samples(const FLAC__int32 *interleaved, int frames, double end);
/* Host function that fills `bytes` with at most `room` bytes of the stream to decode. Returns their number; 0: end of
 * the stream. */
IMPORT(flac_input) int flac_input(unsigned char *bytes, int room);

enum { ROOM_FRAMES = 4096, MAX_CHANNELS = 8, MAX_BLOCKS = 512 };
enum { MAX_BLOCK_FRAMES = 65536 }; /* a block has at most 65,535 samples (RFC 9639, section 8.2) */

typedef struct {
  FLAC__int32 samples[ROOM_FRAMES * MAX_CHANNELS];
  FLAC__StreamEncoder *stream;
  FLAC__StreamMetadata *blocks[MAX_BLOCKS]; /* metadata blocks for the next encoder */
  int block_count;
} Encoder;

typedef struct {
  FLAC__int32 samples[MAX_BLOCK_FRAMES * MAX_CHANNELS];
  FLAC__StreamDecoder *stream;
  int channels; /* number of channels that the host expects */
  int bits;     /* bits per sample that the host expects; 0: any */
  int hertz;    /* sample rate that the host expects; 0: any */
  int damaged;
  FLAC__uint64 taken; /* bytes of the stream taken from the host */
} Decoder;

static Encoder encoder;
static Decoder decoder;

EXPORT(sample_buffer) FLAC__int32 *sample_buffer(void) { return encoder.samples; }
EXPORT(room_frames) int room_frames(void) { return ROOM_FRAMES; }
EXPORT(reserve) void *reserve(int bytes) { return malloc(bytes); }

static FLAC__StreamEncoderWriteStatus on_write(const FLAC__StreamEncoder *e, const FLAC__byte buffer[], size_t bytes,
                                               uint32_t n, uint32_t f, void *x) {
  (void)e, (void)n, (void)f, (void)x;
  flac_bytes(buffer, (int)bytes);
  return FLAC__STREAM_ENCODER_WRITE_STATUS_OK;
}

static void on_metadata(const FLAC__StreamEncoder *e, const FLAC__StreamMetadata *m, void *x) {
  (void)e, (void)x;
  if (m->type != FLAC__METADATA_TYPE_STREAMINFO) return;
  /* Serialises STREAMINFO (RFC 9639, section 8.2). */
  const FLAC__StreamMetadata_StreamInfo *s = &m->data.stream_info;
  unsigned char b[34] = {s->min_blocksize >> 8,
                         s->min_blocksize,
                         s->max_blocksize >> 8,
                         s->max_blocksize,
                         s->min_framesize >> 16,
                         s->min_framesize >> 8,
                         s->min_framesize,
                         s->max_framesize >> 16,
                         s->max_framesize >> 8,
                         s->max_framesize,
                         s->sample_rate >> 12,
                         s->sample_rate >> 4,
                         ((s->sample_rate & 15) << 4) | ((s->channels - 1) << 1) | ((s->bits_per_sample - 1) >> 4),
                         (((s->bits_per_sample - 1) & 15) << 4) | ((s->total_samples >> 32) & 15),
                         s->total_samples >> 24,
                         s->total_samples >> 16,
                         s->total_samples >> 8,
                         s->total_samples};
  memcpy(b + 18, s->md5sum, 16);
  flac_info(b, 34);
}

/* Adds an APPLICATION block (id and data together) to the next encoder's metadata; add_comment adds a VORBIS_COMMENT
 * entry ("NAME=value"). */
EXPORT(add_application) int add_application(unsigned char *bytes, int count) {
  if (encoder.block_count == MAX_BLOCKS || count < 4) return 0;
  FLAC__StreamMetadata *m = FLAC__metadata_object_new(FLAC__METADATA_TYPE_APPLICATION);
  if (!m) return 0;
  memcpy(m->data.application.id, bytes, 4);
  encoder.blocks[encoder.block_count++] = m;
  return FLAC__metadata_object_application_set_data(m, bytes + 4, count - 4, 1);
}

EXPORT(add_comment) int add_comment(unsigned char *bytes, int count) {
  FLAC__StreamMetadata *m =
      encoder.block_count && encoder.blocks[0]->type == FLAC__METADATA_TYPE_VORBIS_COMMENT ? encoder.blocks[0] : 0;
  if (!m) {
    if (encoder.block_count == MAX_BLOCKS || !(m = FLAC__metadata_object_new(FLAC__METADATA_TYPE_VORBIS_COMMENT)))
      return 0;
    memmove(encoder.blocks + 1, encoder.blocks, encoder.block_count++ * sizeof encoder.blocks[0]);
    encoder.blocks[0] = m;
  }
  FLAC__StreamMetadata_VorbisComment_Entry entry = {.length = count, .entry = bytes};
  return FLAC__metadata_object_vorbiscomment_append_comment(m, entry, 1);
}

/* Adds a PICTURE block (RFC 9639, section 8.8). MIME type and description are NUL-terminated. */
EXPORT(add_picture) int add_picture(int type, char *mime, unsigned char *description, unsigned char *data, int bytes) {
  if (encoder.block_count == MAX_BLOCKS) return 0;
  FLAC__StreamMetadata *m = FLAC__metadata_object_new(FLAC__METADATA_TYPE_PICTURE);
  if (!m) return 0;
  m->data.picture.type = (FLAC__StreamMetadata_Picture_Type)type;
  encoder.blocks[encoder.block_count++] = m;
  return FLAC__metadata_object_picture_set_mime_type(m, mime, 1) &&
         FLAC__metadata_object_picture_set_description(m, description, 1) &&
         FLAC__metadata_object_picture_set_data(m, data, bytes, 1);
}

/* Opens the encoder. `precise` tries every precision of the predictor's coefficients, which takes about three times as
 * long. */
EXPORT(open_encoder)
int open_encoder(int channels, int bits, int hertz, int level, double total, int precise) {
  encoder.stream = FLAC__stream_encoder_new();
  if (!encoder.stream) return 0;
  FLAC__stream_encoder_set_channels(encoder.stream, channels);
  FLAC__stream_encoder_set_bits_per_sample(encoder.stream, bits);
  FLAC__stream_encoder_set_sample_rate(encoder.stream, hertz);
  FLAC__stream_encoder_set_compression_level(encoder.stream, level);
  FLAC__stream_encoder_set_do_qlp_coeff_prec_search(encoder.stream, precise);
  FLAC__stream_encoder_set_streamable_subset(encoder.stream, hertz <= 655350 && bits <= 24);
  FLAC__stream_encoder_set_total_samples_estimate(encoder.stream, (FLAC__uint64)total);
  if (encoder.block_count) FLAC__stream_encoder_set_metadata(encoder.stream, encoder.blocks, encoder.block_count);
  return FLAC__stream_encoder_init_stream(encoder.stream, on_write, 0, 0, on_metadata, 0) ==
         FLAC__STREAM_ENCODER_INIT_STATUS_OK;
}

EXPORT(encode) int encode(int frames) {
  return FLAC__stream_encoder_process_interleaved(encoder.stream, encoder.samples, frames);
}
EXPORT(finish) int finish(void) { return FLAC__stream_encoder_finish(encoder.stream); }

static FLAC__StreamDecoderReadStatus on_read(const FLAC__StreamDecoder *d, FLAC__byte buffer[], size_t *bytes,
                                             void *x) {
  (void)d, (void)x;
  *bytes = flac_input(buffer, (int)*bytes);
  decoder.taken += *bytes;
  return *bytes ? FLAC__STREAM_DECODER_READ_STATUS_CONTINUE : FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM;
}
static FLAC__StreamDecoderTellStatus on_tell(const FLAC__StreamDecoder *d, FLAC__uint64 *offset, void *x) {
  (void)d, (void)x;
  *offset = decoder.taken;
  return FLAC__STREAM_DECODER_TELL_STATUS_OK;
}
static FLAC__StreamDecoderWriteStatus on_decoded(const FLAC__StreamDecoder *d, const FLAC__Frame *f,
                                                 const FLAC__int32 *const planes[], void *x) {
  (void)x;
  const unsigned c = f->header.channels, n = f->header.blocksize;
  const int known = (!decoder.bits || (int)f->header.bits_per_sample == decoder.bits) &&
                    (!decoder.hertz || (int)f->header.sample_rate == decoder.hertz);
  FLAC__uint64 end;
  if ((int)c != decoder.channels || !known || !FLAC__stream_decoder_get_decode_position(d, &end))
    return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT;
  for (unsigned i = 0; i < n; i++)
    for (unsigned k = 0; k < c; k++) decoder.samples[i * c + k] = planes[k][i];
  flac_samples(decoder.samples, n, (double)end);
  return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE;
}
static void on_error(const FLAC__StreamDecoder *d, FLAC__StreamDecoderErrorStatus s, void *x) {
  (void)d, (void)s, (void)x;
  decoder.damaged = 1;
}

/* Opens the decoder. A frame with another number of channels, bits or rate ends decoding as damage. */
EXPORT(open_decoder) int open_decoder(int channels, int bits, int hertz) {
  decoder.channels = channels;
  decoder.bits = bits;
  decoder.hertz = hertz;
  decoder.taken = 0;
  decoder.damaged = 0;
  decoder.stream = FLAC__stream_decoder_new();
  if (!decoder.stream) return 0;
  FLAC__stream_decoder_set_md5_checking(decoder.stream, 1);
  return FLAC__stream_decoder_init_stream(decoder.stream, on_read, 0, on_tell, 0, 0, on_decoded, 0, on_error, 0) ==
         FLAC__STREAM_DECODER_INIT_STATUS_OK;
}
/* Decodes one frame or metadata block. Returns 1 if more follows, 0 at the end, -1 if the stream is damaged. */
EXPORT(decode_step) int decode_step(void) {
  if (!FLAC__stream_decoder_process_single(decoder.stream) || decoder.damaged) return -1;
  FLAC__StreamDecoderState s = FLAC__stream_decoder_get_state(decoder.stream);
  return s == FLAC__STREAM_DECODER_END_OF_STREAM ? 0 : s < FLAC__STREAM_DECODER_END_OF_STREAM ? 1 : -1;
}
/* Ends decoding. Returns whether the MD5 checksum in the header matches the samples. */
EXPORT(decode_finish) int decode_finish(void) { return FLAC__stream_decoder_finish(decoder.stream); }
