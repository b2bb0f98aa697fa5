/* libFLAC as a handful of calls: one encoder and one decoder per instance; bytes leave through an imported function. */
#include <FLAC/metadata.h>
#include <FLAC/stream_decoder.h>
#include <FLAC/stream_encoder.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name), used)) name
#define IMPORT(name) __attribute__((import_module("env"), import_name(#name)))

/* Encoded bytes, in order; the header's STREAMINFO (34 bytes) once more when everything is known; decoded samples. */
IMPORT(flac_bytes) void flac_bytes(const unsigned char *bytes, int count);
IMPORT(flac_info) void flac_info(const unsigned char *bytes, int count);
IMPORT(flac_samples) void flac_samples(const FLAC__int32 *interleaved, int frames);
/* Fills `room` bytes at most with the stream to decode; 0 at its end. */
IMPORT(flac_input) int flac_input(unsigned char *bytes, int room);

enum { ROOM_FRAMES = 4096, MAX_CHANNELS = 8, MAX_BLOCKS = 512 };
static FLAC__int32 samples[ROOM_FRAMES * MAX_CHANNELS];
static FLAC__int32 decoded[65536 * MAX_CHANNELS];
static FLAC__StreamEncoder *encoder;
static FLAC__StreamMetadata *blocks[MAX_BLOCKS];
static int block_count;

FLAC__int32 *EXPORT(sample_buffer)(void) { return samples; }
int EXPORT(room_frames)(void) { return ROOM_FRAMES; }
void *EXPORT(reserve)(int bytes) { return malloc(bytes); }

static FLAC__StreamEncoderWriteStatus on_write(const FLAC__StreamEncoder *e, const FLAC__byte buffer[], size_t bytes, uint32_t n, uint32_t f, void *x) {
  (void)e, (void)n, (void)f, (void)x;
  flac_bytes(buffer, (int)bytes);
  return FLAC__STREAM_ENCODER_WRITE_STATUS_OK;
}

static void on_metadata(const FLAC__StreamEncoder *e, const FLAC__StreamMetadata *m, void *x) {
  (void)e, (void)x;
  if (m->type != FLAC__METADATA_TYPE_STREAMINFO) return;
  /* RFC 9639, section 8.2 */
  const FLAC__StreamMetadata_StreamInfo *s = &m->data.stream_info;
  unsigned char b[34] = {s->min_blocksize >> 8, s->min_blocksize, s->max_blocksize >> 8, s->max_blocksize,
    s->min_framesize >> 16, s->min_framesize >> 8, s->min_framesize, s->max_framesize >> 16, s->max_framesize >> 8, s->max_framesize,
    s->sample_rate >> 12, s->sample_rate >> 4,
    ((s->sample_rate & 15) << 4) | ((s->channels - 1) << 1) | ((s->bits_per_sample - 1) >> 4),
    (((s->bits_per_sample - 1) & 15) << 4) | ((s->total_samples >> 32) & 15),
    s->total_samples >> 24, s->total_samples >> 16, s->total_samples >> 8, s->total_samples};
  memcpy(b + 18, s->md5sum, 16);
  flac_info(b, 34);
}

/* An APPLICATION block (id and data together) or a VORBIS_COMMENT entry ("NAME=value"), for the next encoder. */
int EXPORT(add_application)(unsigned char *bytes, int count) {
  if (block_count == MAX_BLOCKS || count < 4) return 0;
  FLAC__StreamMetadata *m = FLAC__metadata_object_new(FLAC__METADATA_TYPE_APPLICATION);
  if (!m) return 0;
  memcpy(m->data.application.id, bytes, 4);
  blocks[block_count++] = m;
  return FLAC__metadata_object_application_set_data(m, bytes + 4, count - 4, 1);
}

int EXPORT(add_comment)(unsigned char *bytes, int count) {
  FLAC__StreamMetadata *m = block_count && blocks[0]->type == FLAC__METADATA_TYPE_VORBIS_COMMENT ? blocks[0] : 0;
  if (!m) {
    if (block_count == MAX_BLOCKS || !(m = FLAC__metadata_object_new(FLAC__METADATA_TYPE_VORBIS_COMMENT))) return 0;
    memmove(blocks + 1, blocks, block_count++ * sizeof blocks[0]);
    blocks[0] = m;
  }
  FLAC__StreamMetadata_VorbisComment_Entry entry = {.length = count, .entry = bytes};
  return FLAC__metadata_object_vorbiscomment_append_comment(m, entry, 1);
}

/* A PICTURE block (RFC 9639, section 8.8): MIME type and description are NUL-terminated. */
int EXPORT(add_picture)(int type, char *mime, unsigned char *description, unsigned char *data, int bytes) {
  if (block_count == MAX_BLOCKS) return 0;
  FLAC__StreamMetadata *m = FLAC__metadata_object_new(FLAC__METADATA_TYPE_PICTURE);
  if (!m) return 0;
  m->data.picture.type = (FLAC__StreamMetadata_Picture_Type)type;
  blocks[block_count++] = m;
  return FLAC__metadata_object_picture_set_mime_type(m, mime, 1) && FLAC__metadata_object_picture_set_description(m, description, 1) &&
         FLAC__metadata_object_picture_set_data(m, data, bytes, 1);
}

int EXPORT(open_encoder)(int channels, int bits, int hertz, int level, double total) {
  encoder = FLAC__stream_encoder_new();
  if (!encoder) return 0;
  FLAC__stream_encoder_set_channels(encoder, channels);
  FLAC__stream_encoder_set_bits_per_sample(encoder, bits);
  FLAC__stream_encoder_set_sample_rate(encoder, hertz);
  FLAC__stream_encoder_set_compression_level(encoder, level);
  FLAC__stream_encoder_set_streamable_subset(encoder, hertz <= 655350 && bits <= 24);
  FLAC__stream_encoder_set_total_samples_estimate(encoder, (FLAC__uint64)total);
  if (block_count) FLAC__stream_encoder_set_metadata(encoder, blocks, block_count);
  return FLAC__stream_encoder_init_stream(encoder, on_write, 0, 0, on_metadata, 0) == FLAC__STREAM_ENCODER_INIT_STATUS_OK;
}

int EXPORT(encode)(int frames) { return FLAC__stream_encoder_process_interleaved(encoder, samples, frames); }
int EXPORT(finish)(void) { return FLAC__stream_encoder_finish(encoder); }

static int channels_wanted;
static FLAC__StreamDecoderReadStatus on_read(const FLAC__StreamDecoder *d, FLAC__byte buffer[], size_t *bytes, void *x) {
  (void)d, (void)x;
  *bytes = flac_input(buffer, (int)*bytes);
  return *bytes ? FLAC__STREAM_DECODER_READ_STATUS_CONTINUE : FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM;
}
static FLAC__StreamDecoderWriteStatus on_decoded(const FLAC__StreamDecoder *d, const FLAC__Frame *f, const FLAC__int32 *const planes[], void *x) {
  (void)d, (void)x;
  const unsigned c = f->header.channels, n = f->header.blocksize;
  if ((int)c != channels_wanted) return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT;
  for (unsigned i = 0; i < n; i++) for (unsigned k = 0; k < c; k++) decoded[i * c + k] = planes[k][i];
  flac_samples(decoded, n);
  return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE;
}
static int damage;
static void on_error(const FLAC__StreamDecoder *d, FLAC__StreamDecoderErrorStatus s, void *x) { (void)d, (void)s, (void)x; damage = 1; }

static FLAC__StreamDecoder *decoder;
int EXPORT(open_decoder)(int channels) {
  channels_wanted = channels;
  damage = 0;
  decoder = FLAC__stream_decoder_new();
  if (!decoder) return 0;
  FLAC__stream_decoder_set_md5_checking(decoder, 1);
  return FLAC__stream_decoder_init_stream(decoder, on_read, 0, 0, 0, 0, on_decoded, 0, on_error, 0) == FLAC__STREAM_DECODER_INIT_STATUS_OK;
}
/* One frame or metadata block; 1 while there is more, 0 at the end, -1 on damage. */
int EXPORT(decode_step)(void) {
  if (!FLAC__stream_decoder_process_single(decoder) || damage) return -1;
  FLAC__StreamDecoderState s = FLAC__stream_decoder_get_state(decoder);
  return s == FLAC__STREAM_DECODER_END_OF_STREAM ? 0 : s < FLAC__STREAM_DECODER_END_OF_STREAM ? 1 : -1;
}
/* Whether the MD5 of the stream's header is that of the samples. */
int EXPORT(decode_finish)(void) { return FLAC__stream_decoder_finish(decoder); }
