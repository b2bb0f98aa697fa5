/* Interface of ffmpeg.wasm: packets in, decoded pictures and sound, encoded packets out. TypeScript code reads and
 * writes the containers. An instance does one job: one video decoder with one x264 encoder, and one audio decoder with
 * one AAC encoder. Every call handles one packet or frame, so that the caller can wait for data between calls. Negative
 * results are errors (FFmpeg's codes or -1). */
#include <libavcodec/avcodec.h>
#include <libavutil/channel_layout.h>
#include <libavutil/imgutils.h>
#include <libavutil/intreadwrite.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
#include <stdarg.h>
#include <string.h>
#include <x264.h>

#include "measure.h"

#define EXPORT(name) __attribute__((export_name(#name), used)) name

enum { NEED_INPUT = 0, READY = 1, END = 2 };

/* State of the instance. Exported functions cannot be given a pointer to it. */
static struct {
  struct {
    double mse, ssim;
    void *memory; /* for pictures up to `width` */
    int width;
  } measured;               /* last measurement */
  AVPacket *packet;         /* input of all decoders */
  AVCodecContext *video[2]; /* two, so that two videos can be compared */
  AVFrame *pictures[2];
  AVFrame *picture; /* decoded last */
  x264_t *encoder;
  x264_param_t param;
  struct SwsContext *scaler;
  AVFrame *conversions[2];
  struct {
    unsigned char *data;
    int bytes, key;
    double pts, psnr, ssim;
    const uint8_t *source, *decoded; /* luma of the packet's picture: source, and as decoders will show it */
    int source_stride, decoded_stride;
  } encoded;                /* last packet of the video or AAC encoder */
  AVCodecContext *audio[2]; /* of the source, and of the encoded sound for comparison */
  AVFrame *sound;
  float *planar; /* room for `planar_room` samples */
  int planar_room;
  AVCodecContext *aac;
  AVFrame *aac_block;
  AVPacket *aac_packet;
} film;

void *EXPORT(reserve)(int bytes) { return av_mallocz(bytes); }
void EXPORT(release)(void *block) { av_free(block); }
void EXPORT(quiet)(void) { av_log_set_level(AV_LOG_QUIET); }

/* ---- quality measurement ---- */

/* Measures two planes of 8 bits: mean squared error of all samples and, if `ssim`, SSIM (11x11 Gaussian). Returns -1 if
 * memory is short. */
static int measure(const uint8_t *a, int a_stride, const uint8_t *b, int b_stride, int width, int height, int ssim) {
  if (film.measured.width < width) {
    av_free(film.measured.memory);
    film.measured.width = 0;
    film.measured.memory = av_malloc(measure_bytes(width, GREY_BYTES));
    if (!film.measured.memory) return -1;
    film.measured.width = width;
  }
  Measure *m = measure_begin(film.measured.memory, width, GREY_BYTES);
  measure_every(m, ssim ? measure_sampling(width, height) : 0);
  for (int y = 0; y < height; y++) measure_row(m, a + (ptrdiff_t)y * a_stride, b + (ptrdiff_t)y * b_stride);
  measure_break(m);
  const Quality quality = measure_result(m);
  film.measured.mse = quality.luma_mse;
  film.measured.ssim = quality.ssim;
  return 0;
}

/* Results of the last measurement; SSIM is NaN if it was not requested. */
double EXPORT(last_mse)(void) { return film.measured.mse; }
double EXPORT(last_ssim)(void) { return film.measured.ssim; }

/* ---- functions for video and audio decoders ---- */

static AVCodecContext *open_decoder(const char *name, unsigned char *extradata, int extradata_bytes) {
  const AVCodec *codec = avcodec_find_decoder_by_name(name);
  AVCodecContext *c = codec ? avcodec_alloc_context3(codec) : NULL;
  if (!c) return NULL;
  if (extradata_bytes > 0) {
    c->extradata = av_mallocz(extradata_bytes + AV_INPUT_BUFFER_PADDING_SIZE);
    if (!c->extradata) return NULL;
    memcpy(c->extradata, extradata, extradata_bytes);
    c->extradata_size = extradata_bytes;
  }
  c->thread_count = 1;
  c->err_recognition = AV_EF_CRCCHECK;
  if (!film.packet) film.packet = av_packet_alloc();
  return c;
}

/* Sends a packet to a decoder. `bytes` 0: drains it. The block must come from `reserve` with 64 spare bytes; the caller
 * keeps it. */
static int send(AVCodecContext *c, unsigned char *block, int bytes, double pts, int key) {
  if (!bytes) return avcodec_send_packet(c, NULL);
  memset(block + bytes, 0, AV_INPUT_BUFFER_PADDING_SIZE);
  int e = av_new_packet(film.packet, bytes);
  if (e < 0) return e;
  memcpy(film.packet->data, block, bytes);
  film.packet->pts = film.packet->dts = (int64_t)pts;
  film.packet->dts = AV_NOPTS_VALUE;
  if (key) film.packet->flags |= AV_PKT_FLAG_KEY;
  e = avcodec_send_packet(c, film.packet);
  av_packet_unref(film.packet);
  return e;
}

static int receive(AVCodecContext *c, AVFrame *frame) {
  int e = avcodec_receive_frame(c, frame);
  return e == AVERROR(EAGAIN) ? NEED_INPUT : e == AVERROR_EOF ? END : e < 0 ? e : READY;
}

/* ---- the two video decoders ---- */

/* Opens a video decoder. `reorder`: largest number of frames that wait for later ones. If it is too small, the decoder
 * loses frames. */
int EXPORT(video_open)(int which, const char *name, unsigned char *extradata, int extradata_bytes, int width,
                       int height, unsigned tag, int bits, int reorder) {
  AVCodecContext *c = film.video[which] = open_decoder(name, extradata, extradata_bytes);
  if (!c || !film.packet || !(film.pictures[which] || (film.pictures[which] = av_frame_alloc()))) return -1;
  c->width = c->coded_width = width;
  c->height = c->coded_height = height;
  c->codec_tag = tag;
  c->bits_per_coded_sample = bits;
  c->has_b_frames = reorder;
  c->max_pixels = 4096LL * 4096;
  c->workaround_bugs = FF_BUG_AUTODETECT;
  return avcodec_open2(c, c->codec, NULL);
}
int EXPORT(video_send)(int which, unsigned char *block, int bytes, double pts, int key) {
  return send(film.video[which], block, bytes, pts, key);
}
int EXPORT(video_receive)(int which) { return receive(film.video[which], film.picture = film.pictures[which]); }
void EXPORT(video_flush)(int which) { avcodec_flush_buffers(film.video[which]); }

/* Properties of the picture that `video_receive` returned. */
double EXPORT(picture_pts)(void) { return film.picture->pts == AV_NOPTS_VALUE ? -1e18 : (double)film.picture->pts; }
int EXPORT(picture_width)(void) { return film.picture->width; }
int EXPORT(picture_height)(void) { return film.picture->height; }
int EXPORT(picture_damaged)(void) {
  return film.picture->decode_error_flags != 0 || (film.picture->flags & AV_FRAME_FLAG_CORRUPT) != 0;
}
int EXPORT(picture_interlaced)(void) {
  const int flags = film.picture->flags;
  return flags & AV_FRAME_FLAG_INTERLACED ? 1 + !!(flags & AV_FRAME_FLAG_TOP_FIELD_FIRST) : 0;
}
/* Returns the largest bit depth of any component. */
int EXPORT(picture_depth)(void) {
  const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(film.picture->format);
  return d ? d->comp[0].depth : 0;
}
int EXPORT(picture_transfer)(void) { return film.picture->color_trc; }
int EXPORT(picture_alpha)(void) {
  const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(film.picture->format);
  return d && (d->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
}

/* ---- the video encoder (x264) ---- */

int EXPORT(encoder_begin)(const char *preset) { return x264_param_default_preset(&film.param, preset, NULL); }
int EXPORT(encoder_option)(const char *name, const char *value) { return x264_param_parse(&film.param, name, value); }

static int full_range(void) {
  return film.picture->color_range == AVCOL_RANGE_JPEG || film.picture->format == AV_PIX_FMT_YUVJ420P ||
         film.picture->format == AV_PIX_FMT_YUVJ422P || film.picture->format == AV_PIX_FMT_YUVJ444P ||
         film.picture->format == AV_PIX_FMT_YUVJ440P || film.picture->format == AV_PIX_FMT_YUVJ411P;
}

static void no_log(void *p, int level, const char *format, va_list list) {
  (void)p, (void)level, (void)format, (void)list;
}

/* Opens the encoder for pictures like the current one. Colour tags are taken from it unless `encoder_colour` has set
 * them. */
int EXPORT(encoder_open)(int rate_num, int rate_den, double timescale, int annexb) {
  film.param.i_width = film.picture->width;
  film.param.i_height = film.picture->height;
  film.param.i_csp = X264_CSP_I420;
  film.param.i_threads = 1;
  film.param.i_lookahead_threads = 1;
  film.param.b_sliced_threads = 0;
  film.param.b_vfr_input = 0;
  film.param.i_fps_num = rate_num;
  film.param.i_fps_den = rate_den;
  film.param.i_timebase_num = 1;
  film.param.i_timebase_den = (uint32_t)timescale;
  film.param.b_repeat_headers = annexb;
  film.param.b_annexb = annexb;
  film.param.b_stitchable = 1;
  film.param.analyse.b_psnr = 1;
  film.param.analyse.b_ssim = 1;
  /* Also reconstruct non-reference frames completely, so that they are measured after deblocking. */
  film.param.b_full_recon = 1;
  /* x264 measures quality only if its log level is at least INFO. */
  film.param.i_log_level = X264_LOG_INFO;
  film.param.pf_log = no_log;
  film.param.vui.b_fullrange = full_range();
  if (film.picture->color_primaries != AVCOL_PRI_UNSPECIFIED)
    film.param.vui.i_colorprim = film.picture->color_primaries;
  if (film.picture->color_trc != AVCOL_TRC_UNSPECIFIED) film.param.vui.i_transfer = film.picture->color_trc;
  const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(film.picture->format);
  if (d && (d->flags & AV_PIX_FMT_FLAG_RGB)) film.param.vui.i_colmatrix = AVCOL_SPC_SMPTE170M;
  else if (film.picture->colorspace != AVCOL_SPC_UNSPECIFIED) film.param.vui.i_colmatrix = film.picture->colorspace;
  if (film.picture->chroma_location != AVCHROMA_LOC_UNSPECIFIED)
    film.param.vui.i_chroma_loc = film.picture->chroma_location - 1;
  if (film.picture->sample_aspect_ratio.num > 0) {
    film.param.vui.i_sar_width = film.picture->sample_aspect_ratio.num;
    film.param.vui.i_sar_height = film.picture->sample_aspect_ratio.den;
  }
  if (film.picture->flags & AV_FRAME_FLAG_INTERLACED) {
    film.param.b_interlaced = 1;
    film.param.b_tff = !!(film.picture->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST);
  }
  x264_param_apply_profile(&film.param, "high");
  film.encoder = x264_encoder_open(&film.param);
  return film.encoder ? 0 : -1;
}

/* Returns the number of bytes of the parameter sets (length-prefixed NAL units, or Annex B). */
int EXPORT(encoder_headers)(void) {
  x264_nal_t *nals;
  int count, bytes = x264_encoder_headers(film.encoder, &nals, &count);
  film.encoded.data = bytes > 0 ? nals[0].p_payload : NULL;
  return bytes;
}

/* Converts the current picture to 8-bit 4:2:0 if needed; interlaced pictures are converted field by field. */
static const AVFrame *as_420(void) {
  if (film.picture->format == AV_PIX_FMT_YUV420P || film.picture->format == AV_PIX_FMT_YUVJ420P) return film.picture;
  const int fields = film.picture->flags & AV_FRAME_FLAG_INTERLACED ? 2 : 1;
  const int w = film.picture->width, h = film.picture->height;
  AVFrame **kept = &film.conversions[film.picture == film.pictures[1]];
  if (*kept && ((*kept)->width != w || (*kept)->height != h)) av_frame_free(kept);
  AVFrame *converted = *kept;
  if (!converted) {
    converted = *kept = av_frame_alloc();
    converted->format = AV_PIX_FMT_YUV420P;
    converted->width = w;
    converted->height = h;
    if (av_frame_get_buffer(converted, 32) < 0) return NULL;
  }
  film.scaler =
      sws_getCachedContext(film.scaler, w, h / fields, film.picture->format, w, h / fields, AV_PIX_FMT_YUV420P,
                           SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, NULL, NULL, NULL);
  if (!film.scaler) return NULL;
  const int matrix = film.picture->colorspace == AVCOL_SPC_BT709 ? SWS_CS_ITU709 : SWS_CS_DEFAULT;
  const int range = full_range();
  sws_setColorspaceDetails(film.scaler, sws_getCoefficients(matrix), range, sws_getCoefficients(matrix), range, 0,
                           1 << 16, 1 << 16);
  for (int f = 0; f < fields; f++) {
    const uint8_t *src[4];
    uint8_t *dst[4];
    int src_stride[4], dst_stride[4];
    for (int i = 0; i < 4; i++) {
      src[i] = film.picture->data[i] && !(i == 1 && film.picture->format == AV_PIX_FMT_PAL8)
                   ? film.picture->data[i] + f * film.picture->linesize[i]
                   : film.picture->data[i];
      src_stride[i] = film.picture->linesize[i] * fields;
      dst[i] = converted->data[i] ? converted->data[i] + f * converted->linesize[i] : NULL;
      dst_stride[i] = converted->linesize[i] * fields;
    }
    if (sws_scale(film.scaler, src, src_stride, 0, h / fields, dst, dst_stride) < 0) return NULL;
  }
  return converted;
}

static int encoded_from(x264_nal_t *nals, int count, int bytes, x264_picture_t *out) {
  if (bytes <= 0) return bytes;
  /* Skip x264's version text (SEI, user data unregistered) at the start of a segment; it costs 700 bytes. */
  film.encoded.data = nals[0].p_payload;
  film.encoded.bytes = bytes;
  for (int i = 0; i < count && nals[i].i_type == NAL_SEI; i++) {
    film.encoded.data += nals[i].i_payload;
    film.encoded.bytes -= nals[i].i_payload;
  }
  film.encoded.key = out->b_keyframe;
  film.encoded.pts = (double)out->i_pts;
  film.encoded.psnr = out->prop.f_psnr[0];
  film.encoded.ssim = out->prop.f_ssim;
  film.encoded.source = out->prop.source;
  film.encoded.source_stride = out->prop.i_source_stride;
  film.encoded.decoded = out->img.plane[0];
  film.encoded.decoded_stride = out->img.i_stride[0];
  return READY;
}

/* Returns the luma of the current picture as 8-bit rows, `luma_stride` bytes apart. Returns 0 if memory is short. */
const uint8_t *EXPORT(picture_luma)(void) {
  const AVFrame *f = as_420();
  return f ? f->data[0] : NULL;
}
int EXPORT(luma_stride)(void) {
  const AVFrame *f = as_420();
  return f ? f->linesize[0] : 0;
}

/* Measures the second decoder's current picture against the first one's. Returns 0; -1: sizes differ or memory is
 * short. */
int EXPORT(compare)(int ssim) {
  film.picture = film.pictures[0];
  const AVFrame *a = as_420();
  film.picture = film.pictures[1];
  const AVFrame *b = as_420();
  if (!a || !b || a->width != b->width || a->height != b->height) return -1;
  return measure(a->data[0], a->linesize[0], b->data[0], b->linesize[0], a->width, a->height, ssim);
}

/* Encodes the current picture at `pts`. Returns READY if a packet is available, NEED_INPUT if the encoder needs more
 * pictures. */
int EXPORT(encode)(double pts, int force_key) {
  const AVFrame *f = as_420();
  if (!f || f->width != film.param.i_width || f->height != film.param.i_height) return -1;
  x264_picture_t in, out;
  x264_picture_init(&in);
  in.img.i_csp = X264_CSP_I420;
  in.img.i_plane = 3;
  for (int i = 0; i < 3; i++) {
    in.img.plane[i] = f->data[i];
    in.img.i_stride[i] = f->linesize[i];
  }
  in.i_pts = (int64_t)pts;
  in.i_type = force_key ? X264_TYPE_IDR : X264_TYPE_AUTO;
  x264_nal_t *nals;
  int count, bytes = x264_encoder_encode(film.encoder, &nals, &count, &in, &out);
  return encoded_from(nals, count, bytes, &out);
}

/* Returns the next packet that the encoder has delayed; END: there is none. */
int EXPORT(encoder_drain)(void) {
  while (x264_encoder_delayed_frames(film.encoder) > 0) {
    x264_picture_t out;
    x264_nal_t *nals;
    int count, bytes = x264_encoder_encode(film.encoder, &nals, &count, NULL, &out);
    if (bytes) return encoded_from(nals, count, bytes, &out);
  }
  return END;
}

unsigned char *EXPORT(packet_data)(void) { return film.encoded.data; }
int EXPORT(packet_bytes)(void) { return film.encoded.bytes; }
int EXPORT(packet_key)(void) { return film.encoded.key; }
double EXPORT(packet_pts)(void) { return film.encoded.pts; }
/* Luma quality of the packet's picture against the source: PSNR in dB, and x264's SSIM (8x8 windows every 4
 * samples). */
double EXPORT(packet_psnr)(void) { return film.encoded.psnr; }
double EXPORT(packet_ssim)(void) { return film.encoded.ssim; }
/* Measures the packet's picture with the 11x11 Gaussian SSIM of `measure`. Valid until the next packet is requested. */
int EXPORT(measure_packet)(void) {
  return measure(film.encoded.source, film.encoded.source_stride, film.encoded.decoded, film.encoded.decoded_stride,
                 film.param.i_width, film.param.i_height, 1);
}

/* ---- the two audio decoders ---- */

int EXPORT(audio_open)(int which, const char *name, unsigned char *extradata, int extradata_bytes, int hertz,
                       int channels, int bits, int block_align, unsigned tag) {
  AVCodecContext *c = film.audio[which] = open_decoder(name, extradata, extradata_bytes);
  if (!c || !film.packet || !(film.sound || (film.sound = av_frame_alloc()))) return -1;
  c->sample_rate = hertz;
  av_channel_layout_default(&c->ch_layout, channels);
  c->bits_per_coded_sample = bits;
  c->block_align = block_align;
  c->codec_tag = tag;
  return avcodec_open2(c, c->codec, NULL);
}
int EXPORT(audio_send)(int which, unsigned char *block, int bytes) {
  return send(film.audio[which], block, bytes, 0, 1);
}

/* Decodes a frame and converts its samples to planar floats. */
int EXPORT(audio_receive)(int which) {
  int e = receive(film.audio[which], film.sound);
  if (e != READY) return e;
  const int n = film.sound->nb_samples, channels = film.sound->ch_layout.nb_channels;
  const enum AVSampleFormat packed = av_get_packed_sample_fmt(film.sound->format);
  const int apart = av_sample_fmt_is_planar(film.sound->format);
  if (n * channels > film.planar_room) {
    av_free(film.planar);
    film.planar = av_malloc_array(film.planar_room = n * channels, sizeof *film.planar);
    if (!film.planar) return film.planar_room = -1;
  }
  for (int c = 0; c < channels; c++) {
    float *to = film.planar + c * n;
    for (int i = 0; i < n; i++) {
      const uint8_t *from = film.sound->extended_data[apart ? c : 0];
      const int at = apart ? i : i * channels + c;
      switch (packed) {
        case AV_SAMPLE_FMT_U8: to[i] = (from[at] - 128) * 0x1p-7f; break;
        case AV_SAMPLE_FMT_S16: to[i] = ((const int16_t *)from)[at] * 0x1p-15f; break;
        case AV_SAMPLE_FMT_S32: to[i] = ((const int32_t *)from)[at] * 0x1p-31f; break;
        case AV_SAMPLE_FMT_FLT: to[i] = ((const float *)from)[at]; break;
        case AV_SAMPLE_FMT_DBL: to[i] = (float)((const double *)from)[at]; break;
        default: return -1;
      }
    }
  }
  return READY;
}
int EXPORT(sound_samples)(void) { return film.sound->nb_samples; }
int EXPORT(sound_channels)(void) { return film.sound->ch_layout.nb_channels; }
int EXPORT(sound_hertz)(void) { return film.sound->sample_rate; }
float *EXPORT(sound_planar)(void) { return film.planar; }

/* ---- the AAC encoder ---- */

int EXPORT(aac_open)(int hertz, int channels, int bits_per_second) {
  const AVCodec *codec = avcodec_find_encoder(AV_CODEC_ID_AAC);
  film.aac = avcodec_alloc_context3(codec);
  film.aac_block = av_frame_alloc();
  film.aac_packet = av_packet_alloc();
  if (!film.aac || !film.aac_block || !film.aac_packet) return -1;
  film.aac->sample_rate = hertz;
  film.aac->sample_fmt = AV_SAMPLE_FMT_FLTP;
  av_channel_layout_default(&film.aac->ch_layout, channels);
  film.aac->bit_rate = bits_per_second;
  film.aac->flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT;
  int e = avcodec_open2(film.aac, codec, NULL);
  if (e < 0) return e;
  film.aac_block->format = film.aac->sample_fmt;
  film.aac_block->nb_samples = film.aac->frame_size;
  e = av_channel_layout_copy(&film.aac_block->ch_layout, &film.aac->ch_layout);
  return e < 0 ? e : av_frame_get_buffer(film.aac_block, 0);
}
unsigned char *EXPORT(aac_config)(void) { return film.aac->extradata; }
int EXPORT(aac_config_bytes)(void) { return film.aac->extradata_size; }
/* Returns the number of silent samples that the encoder inserts before the first sample. */
int EXPORT(aac_delay)(void) { return film.aac->initial_padding; }
float *EXPORT(aac_channel)(int channel) {
  return av_frame_make_writable(film.aac_block) < 0 ? NULL : (float *)film.aac_block->extended_data[channel];
}

static int aac_receive(void) {
  av_packet_unref(film.aac_packet);
  int e = avcodec_receive_packet(film.aac, film.aac_packet);
  film.encoded.data = film.aac_packet->data;
  film.encoded.bytes = film.aac_packet->size;
  return e == AVERROR(EAGAIN) ? NEED_INPUT : e == AVERROR_EOF ? END : e < 0 ? e : READY;
}
/* Encodes 1024 samples of each channel buffer; `index`: number of the block. */
int EXPORT(aac_encode)(double index) {
  film.aac_block->pts = (int64_t)index * 1024;
  int e = avcodec_send_frame(film.aac, film.aac_block);
  return e < 0 ? e : aac_receive();
}
int EXPORT(aac_finish)(void) {
  avcodec_send_frame(film.aac, NULL);
  return aac_receive();
}
