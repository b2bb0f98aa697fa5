/* LAME's encoder as a handful of calls. One encoder per instance of the engine; samples come in as planar floats, -1..1. */
#include <lame.h>
#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(#name), used)) name

enum { ROOM_SAMPLES = 4608, ROOM_BYTES = 4608 * 5 / 4 + 7200 + 4096 };

static float left[ROOM_SAMPLES], right[ROOM_SAMPLES];
static unsigned char packets[ROOM_BYTES];
static lame_global_flags *encoder;

float *EXPORT(left_channel)(void) { return left; }
float *EXPORT(right_channel)(void) { return right; }
int EXPORT(room_samples)(void) { return ROOM_SAMPLES; }
unsigned char *EXPORT(packet_buffer)(void) { return packets; }

/* vbr_quality 0 (best) to 9.999; max_kbps 0 for no limit; alone: no frame leans on bytes of another. 0 when LAME takes the parameters. */
int EXPORT(open_encoder)(int channels, int hertz, float vbr_quality, int max_kbps, int effort, int alone) {
  if (encoder) lame_close(encoder);
  encoder = lame_init();
  if (!encoder) return -1;
  lame_set_num_channels(encoder, channels);
  lame_set_in_samplerate(encoder, hertz);
  lame_set_out_samplerate(encoder, hertz);
  lame_set_mode(encoder, channels == 1 ? MONO : JOINT_STEREO);
  lame_set_VBR(encoder, vbr_mtrh);
  lame_set_VBR_quality(encoder, vbr_quality);
  if (max_kbps) lame_set_VBR_max_bitrate_kbps(encoder, max_kbps);
  lame_set_quality(encoder, effort);
  lame_set_disable_reservoir(encoder, alone);
  lame_set_bWriteVbrTag(encoder, 1);
  lame_set_write_id3tag_automatic(encoder, 0);
  return lame_init_params(encoder);
}

/* Encodes the first `count` samples of the channel buffers; answers bytes in the packet buffer, or less than 0. */
int EXPORT(encode)(int count) { return lame_encode_buffer_ieee_float(encoder, left, right, count, packets, ROOM_BYTES); }
/* The last samples, padded to a frame, then the bit reservoir. */
int EXPORT(finish)(void) { return lame_encode_flush(encoder, packets, ROOM_BYTES); }
/* The Xing/LAME frame that belongs in the place of the first frame; its length, or 0. */
int EXPORT(tag_frame)(void) { return (int)lame_get_lametag_frame(encoder, packets, ROOM_BYTES); }
