/* Interface to the decoder of libvorbis: header packets and packets of sound in, planar floats out. An instance decodes
 * one stream. */
#include <stdlib.h>
#include <vorbis/codec.h>

#include "../common/host.h"

/* A channel returns at most half of the longest block, 8192 samples (Vorbis I, section 4.2.2). */
enum { MAX_CHANNELS = 8, MAX_FRAMES = 8192, HEADERS = 3 };

typedef struct {
  vorbis_info info;
  vorbis_comment comment;
  vorbis_dsp_state state;
  vorbis_block block;
  float samples[MAX_CHANNELS][MAX_FRAMES];
  u8 *packet; /* room for `room` bytes */
  size_t room;
  int headers; /* header packets so far */
} Decoder;

static Decoder decoder;

static void *checked(void *memory) {
  if (!memory) host_fail(FAIL_MEMORY, "no memory");
  return memory;
}
void *vorbis_malloc(size_t bytes) { return checked(malloc(bytes ? bytes : 1)); }
void *vorbis_calloc(size_t count, size_t bytes) { return checked(calloc(count ? count : 1, bytes ? bytes : 1)); }
void *vorbis_realloc(void *block, size_t bytes) { return checked(realloc(block, bytes ? bytes : 1)); }

/* Returns room for a packet of `bytes` bytes. */
EXPORT(packet_buffer) u8 *packet_buffer(size_t bytes) {
  if (bytes > decoder.room) {
    decoder.packet = vorbis_realloc(decoder.packet, bytes);
    decoder.room = bytes;
  }
  return decoder.packet;
}
EXPORT(channel_samples) float *channel_samples(int channel) { return decoder.samples[channel]; }

/* Reads the next header packet: identification, comments, setup. Returns 1 if it is valid. */
EXPORT(header) int header(int bytes) {
  if (decoder.headers == 0) {
    vorbis_info_init(&decoder.info);
    vorbis_comment_init(&decoder.comment);
  }
  ogg_packet packet = {.packet = decoder.packet, .bytes = bytes, .b_o_s = decoder.headers == 0, .packetno = decoder.headers};
  if (vorbis_synthesis_headerin(&decoder.info, &decoder.comment, &packet) != 0) return 0;
  if (++decoder.headers < HEADERS) return 1;
  if (decoder.info.channels > MAX_CHANNELS || vorbis_synthesis_init(&decoder.state, &decoder.info) != 0) return 0;
  return vorbis_block_init(&decoder.state, &decoder.block) == 0;
}

/* Decodes a packet of sound. Returns the samples of a channel, 0 for the first packet; negative: a damaged packet. */
EXPORT(decode) int decode(int bytes) {
  ogg_packet packet = {.packet = decoder.packet, .bytes = bytes, .granulepos = -1, .packetno = decoder.headers++};
  if (vorbis_synthesis(&decoder.block, &packet) != 0 || vorbis_synthesis_blockin(&decoder.state, &decoder.block) != 0) return -1;
  float **planar;
  int frames = vorbis_synthesis_pcmout(&decoder.state, &planar);
  if (frames > MAX_FRAMES) return -1;
  for (int channel = 0; channel < decoder.info.channels; channel++)
    for (int i = 0; i < frames; i++) decoder.samples[channel][i] = planar[channel][i];
  vorbis_synthesis_read(&decoder.state, frames);
  return frames;
}
