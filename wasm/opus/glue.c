/* Interface to libopus. An instance has one encoder and one decoder of up to eight channels at 48 kHz. Samples are
 * interleaved floats from -1 to 1. Channels are in Vorbis order (RFC 7845, section 5.1.1.2). */
#include <opus_multistream.h>

#include "../common/host.h"

/* Longest packet: 120 ms (RFC 6716, section 2.1.4). Encoded packets have 20 ms. */
enum { MAX_CHANNELS = 8, MAX_FRAMES = 5760, ENCODED_FRAMES = 960, HERTZ = 48000, ROOM_BYTES = 128 * 1024 };

typedef struct {
  u8 packet[ROOM_BYTES];
  u8 mapping[MAX_CHANNELS];
  float samples[MAX_FRAMES * MAX_CHANNELS];
} Buffers;

static Buffers buffers;
static OpusMSDecoder *decoder;
static OpusMSEncoder *encoder;
static int streams, coupled_streams;

EXPORT(packet_buffer) u8 *packet_buffer(void) { return buffers.packet; }
EXPORT(packet_room) int packet_room(void) { return ROOM_BYTES; }
EXPORT(mapping_buffer) u8 *mapping_buffer(void) { return buffers.mapping; }
EXPORT(sample_buffer) float *sample_buffer(void) { return buffers.samples; }

/* Opens the decoder for the mapping in the buffer. `gain`: factor of the samples in 1/256 dB. Returns 1 if libopus
 * accepts the values. */
EXPORT(open_decoder) int open_decoder(int channels, int stream_count, int coupled, int gain) {
  if (channels < 1 || channels > MAX_CHANNELS) return 0;
  int error = 0;
  decoder = opus_multistream_decoder_create(HERTZ, channels, stream_count, coupled, buffers.mapping, &error);
  if (!decoder || error != OPUS_OK) return 0;
  return opus_multistream_decoder_ctl(decoder, OPUS_SET_GAIN(gain)) == OPUS_OK;
}

/* Decodes the first `bytes` bytes of the packet buffer. Returns the samples of a channel; negative: a damaged packet. */
EXPORT(decode) int decode(int bytes) {
  return opus_multistream_decode_float(decoder, buffers.packet, bytes, buffers.samples, MAX_FRAMES, 0);
}

/* Opens the encoder. `family`: channel mapping family, 0 or 1. Returns the delay in samples; negative: libopus refuses. */
EXPORT(open_encoder) int open_encoder(int channels, int family, int bits_per_second, int complexity) {
  if (channels < 1 || channels > MAX_CHANNELS) return -1;
  int error = 0;
  opus_int32 delay = 0;
  encoder = opus_multistream_surround_encoder_create(HERTZ, channels, family, &streams, &coupled_streams,
                                                     buffers.mapping, OPUS_APPLICATION_AUDIO, &error);
  if (!encoder || error != OPUS_OK) return -1;
  if (opus_multistream_encoder_ctl(encoder, OPUS_SET_BITRATE(bits_per_second)) != OPUS_OK ||
      opus_multistream_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(complexity)) != OPUS_OK ||
      opus_multistream_encoder_ctl(encoder, OPUS_SET_VBR_CONSTRAINT(0)) != OPUS_OK ||
      opus_multistream_encoder_ctl(encoder, OPUS_GET_LOOKAHEAD(&delay)) != OPUS_OK)
    return -1;
  return delay;
}
EXPORT(encoder_streams) int encoder_streams(void) { return streams; }
EXPORT(encoder_coupled) int encoder_coupled(void) { return coupled_streams; }

/* Encodes 960 samples of each channel. Returns the bytes in the packet buffer; negative: an error. */
EXPORT(encode) int encode(void) {
  return opus_multistream_encode_float(encoder, buffers.samples, ENCODED_FRAMES, buffers.packet, ROOM_BYTES);
}
