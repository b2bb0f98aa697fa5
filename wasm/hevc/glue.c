/* HEVC still pictures with FFmpeg's decoder, one picture at a time, on one thread. */
#include <libavcodec/avcodec.h>
#include <libavutil/pixdesc.h>
#include <string.h>

#include "../common/host.h"
#include "../yuv/picture.h"

DecodedPicture decoded;

static AVFrame *frame;

static int failure_of(int error) {
  if (error == AVERROR(ENOMEM)) return FAIL_MEMORY;
  return error == AVERROR_PATCHWELCOME ? FAIL_UNSUPPORTED : FAIL_DAMAGED;
}

/* Opens a decoder. `config` is the content of an hvcC box (ISO/IEC 14496-15, 8.3.3.1). Returns NULL if memory is short. */
static AVCodecContext *open_decoder(const u8 *config, u32 length, u32 most_pixels) {
  AVCodecContext *context = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_HEVC));
  if (!context) return NULL;
  context->extradata = av_mallocz(length + AV_INPUT_BUFFER_PADDING_SIZE);
  if (!context->extradata) return NULL;
  memcpy(context->extradata, config, length);
  context->extradata_size = (int)length;
  context->thread_count = 1;
  /* Damage is an error instead of a guess. */
  context->err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE;
  context->max_pixels = most_pixels;
  context->flags |= AV_CODEC_FLAG_LOW_DELAY;
  return context;
}

/* Sends one access unit and takes its picture. Returns 0 or a negative FFmpeg error. */
static int take_picture(AVCodecContext *context, u8 *bytes, u32 length) {
  AVPacket *packet = av_packet_alloc();
  if (!packet) return AVERROR(ENOMEM);
  packet->data = bytes;
  packet->size = (int)length;
  packet->flags = AV_PKT_FLAG_KEY;
  int error = avcodec_send_packet(context, packet);
  if (error >= 0) {
    error = avcodec_receive_frame(context, frame);
    if (error == AVERROR(EAGAIN)) {
      avcodec_send_packet(context, NULL);
      error = avcodec_receive_frame(context, frame);
    }
  }
  packet->data = NULL;
  packet->size = 0;
  av_packet_free(&packet);
  return error;
}

static int describe(void) {
  const AVPixFmtDescriptor *form = av_pix_fmt_desc_get(frame->format);
  if (!form || (form->flags & (AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_HWACCEL))) return FAIL_UNSUPPORTED;
  const bool has_chroma = form->nb_components >= 3;
  decoded.planes = (YuvPlanes){.planes = {frame->data[0], frame->data[1], frame->data[2]},
                               .strides = {frame->linesize[0], frame->linesize[1], frame->linesize[2]},
                               .width = frame->width,
                               .height = frame->height,
                               .bits = form->comp[0].depth,
                               .shift_x = form->log2_chroma_w,
                               .shift_y = form->log2_chroma_h,
                               .has_chroma = has_chroma};
  /* FFmpeg stores RGB, which is the identity matrix, as green, blue and red planes, too. */
  decoded.matrix = frame->colorspace;
  decoded.full_range = frame->color_range == AVCOL_RANGE_JPEG;
  decoded.primaries = frame->color_primaries;
  decoded.transfer = frame->color_trc;
  return 0;
}

/* Decodes the picture in `bytes`, which AV_INPUT_BUFFER_PADDING_SIZE zeros follow. Returns 0 or a Failure. */
EXPORT(open_picture) int export_open_picture(u8 *bytes, u32 length, const u8 *config, u32 config_length, u32 most_pixels) {
  av_log_set_level(AV_LOG_QUIET);
  frame = av_frame_alloc();
  AVCodecContext *context = open_decoder(config, config_length, most_pixels);
  if (!frame || !context) return FAIL_MEMORY;
  int error = avcodec_open2(context, NULL, NULL);
  if (error >= 0) error = take_picture(context, bytes, length);
  /* The frame keeps its own memory. The rest is freed before rows are read. */
  avcodec_free_context(&context);
  if (error < 0) return failure_of(error);
  return frame->decode_error_flags ? FAIL_DAMAGED : describe();
}

EXPORT(padding) u32 export_padding(void) { return AV_INPUT_BUFFER_PADDING_SIZE; }
