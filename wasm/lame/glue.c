/* Interface to LAME's encoder. An instance has one encoder; samples are planar floats from -1 to 1. */
#include <lame.h>
#include <stdlib.h>

#include "../common/host.h"

/* Buffer sizes: four frames of 1,152 samples; bytes as required by lame.h (1.25 x samples + 7,200), plus a tag
 * frame. */
enum { ROOM_SAMPLES = 4608, ROOM_BYTES = 4608 * 5 / 4 + 7200 + 4096 };

typedef struct {
  float left[ROOM_SAMPLES], right[ROOM_SAMPLES];
  u8 packets[ROOM_BYTES];
  lame_global_flags *flags;
} Encoder;

static Encoder encoder;

EXPORT(left_channel) float *left_channel(void) { return encoder.left; }
EXPORT(right_channel) float *right_channel(void) { return encoder.right; }
EXPORT(room_samples) int room_samples(void) { return ROOM_SAMPLES; }
EXPORT(packet_buffer) u8 *packet_buffer(void) { return encoder.packets; }

/* Opens the encoder. `vbr_quality`: 0 (best) to 9.999. `max_kbps`: 0 for no limit. `alone`: disables the bit reservoir,
 * so that frames are independent. Returns 0 if LAME accepts the parameters. */
EXPORT(open_encoder)
int open_encoder(int channels, int hertz, float vbr_quality, int max_kbps, int effort, int alone) {
  if (encoder.flags) lame_close(encoder.flags);
  lame_global_flags *flags = encoder.flags = lame_init();
  if (!flags) return -1;
  lame_set_num_channels(flags, channels);
  lame_set_in_samplerate(flags, hertz);
  lame_set_out_samplerate(flags, hertz);
  lame_set_mode(flags, channels == 1 ? MONO : JOINT_STEREO);
  lame_set_VBR(flags, vbr_mtrh);
  lame_set_VBR_quality(flags, vbr_quality);
  if (max_kbps) lame_set_VBR_max_bitrate_kbps(flags, max_kbps);
  lame_set_quality(flags, effort);
  lame_set_disable_reservoir(flags, alone);
  lame_set_bWriteVbrTag(flags, 1);
  lame_set_write_id3tag_automatic(flags, 0);
  return lame_init_params(flags);
}

/* Encodes the first `count` samples of the channel buffers. Returns the bytes in the packet buffer; negative: error. */
EXPORT(encode) int encode(int count) {
  return lame_encode_buffer_ieee_float(encoder.flags, encoder.left, encoder.right, count, encoder.packets, ROOM_BYTES);
}
/* Encodes the last samples, padded to a frame, and flushes the bit reservoir. Returns the bytes in the packet
 * buffer. */
EXPORT(finish) int finish(void) { return lame_encode_flush(encoder.flags, encoder.packets, ROOM_BYTES); }
/* Creates the Xing/LAME frame that replaces the first frame. Returns its length; 0: none. */
EXPORT(tag_frame) int tag_frame(void) {
  return (int)lame_get_lametag_frame(encoder.flags, encoder.packets, ROOM_BYTES);
}
