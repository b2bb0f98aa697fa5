/* AV1 still pictures from RGB pixels with libaom, one picture at a time, on one thread. */
#include <aom/aom_encoder.h>
#include <aom/aomcx.h>
#include <sharpyuv/sharpyuv.h>
#include <sharpyuv/sharpyuv_csp.h>
#include <stdlib.h>
#include <string.h>

#include "../common/allocate.h"
#include "../common/host.h"

/* The functions of libaom that choose variants by processor: here the variants are fixed (config/). */
void aom_dsp_rtcd(void) {}
void aom_scale_rtcd(void) {}
void av1_rtcd(void) {}

/* Ends the job after an error in libaom, which has no place to return to (shim/setjmp.h). */
_Noreturn void encoder_failed(void) { host_fail(FAIL_MEMORY, "libaom failed"); }

/* Chroma formats of the host: none, means of four pixels, fitted to decoders that interpolate (libsharpyuv), full; and
 * alpha as a picture without chroma. */
enum { CHROMA_NONE = 0, CHROMA_HALVED = 1, CHROMA_FITTED = 2, CHROMA_FULL = 3, CHROMA_OF_ALPHA = 4 };

typedef struct {
  const u8 *pixels; /* RGB or RGBA: bytes, or 16-bit words if `bits` is not 8 */
  int width, height, bits, channels, chroma;
  int is_alpha; /* 1: the picture is the fourth channel */
} Source;

/* The last encoded picture: a sequence header and a frame. */
static u8 *frame;
static u32 frame_length;

typedef struct {
  float red, green, blue;
} Colour;

/* Code points of the sequence header (ITU-T H.273), and the weights of colours in luma that the matrix stands for. */
typedef struct {
  int primaries, transfer, matrix, is_full_range;
  Colour weights;
} Coding;

/* BT.601 (ITU-R BT.601-7, 2.5.1) in full range, with colours that are not specified. */
static Coding coding = {AOM_CICP_CP_UNSPECIFIED, AOM_CICP_TC_UNSPECIFIED, AOM_CICP_MC_BT_601, 1, {0.299f, 0.587f, 0.114f}};

EXPORT(set_coding)
void export_set_coding(int primaries, int transfer, int matrix, int is_full_range, double red, double blue) {
  const Colour weights = {(float)red, (float)(1 - red - blue), (float)blue};
  coding = (Coding){primaries, transfer, matrix, is_full_range, weights};
}

static Colour colour_at(const Source *s, int x, int y) {
  const size_t at = ((size_t)y * s->width + x) * s->channels;
  const u16 *words = (const u16 *)s->pixels;
  if (s->is_alpha) {
    const float alpha = s->bits == 8 ? s->pixels[at + 3] : words[at + 3];
    return (Colour){alpha, alpha, alpha};
  }
  if (s->bits == 8) return (Colour){s->pixels[at], s->pixels[at + 1], s->pixels[at + 2]};
  return (Colour){words[at], words[at + 1], words[at + 2]};
}

static inline float luma_of(Colour c) {
  return coding.weights.red * c.red + coding.weights.green * c.green + coding.weights.blue * c.blue;
}

/* Share of the values that samples use: all, or those of the limited range (H.273, equations 20 to 28). */
static float share_of_range(const Source *s, int steps) {
  return coding.is_full_range ? 1 : (float)(steps << (s->bits - 8)) / (float)((1 << s->bits) - 1);
}
static float darkest(const Source *s) { return coding.is_full_range ? 0 : (float)(16 << (s->bits - 8)); }

/* Rounds a sample and limits it to its range. */
static void put(const aom_image_t *image, int plane, int x, int y, float value) {
  const float most = (float)((1 << image->bit_depth) - 1);
  const u16 sample = value <= 0 ? 0 : value >= most ? (u16)most : (u16)(value + 0.5f);
  u8 *row = image->planes[plane] + (size_t)y * image->stride[plane];
  if (image->fmt & AOM_IMG_FMT_HIGHBITDEPTH) ((u16 *)row)[x] = sample;
  else row[x] = (u8)sample;
}

static void put_luma(const Source *s, const aom_image_t *image) {
  const float black = darkest(s), scale = share_of_range(s, 219);
  for (int y = 0; y < s->height; y++)
    for (int x = 0; x < s->width; x++) put(image, AOM_PLANE_Y, x, y, black + scale * luma_of(colour_at(s, x, y)));
}

/* Writes green, blue and red as planes (H.273, equations 41 to 43). */
static void put_identity(const Source *s, const aom_image_t *image) {
  const float black = darkest(s), scale = share_of_range(s, 219);
  for (int y = 0; y < s->height; y++) {
    for (int x = 0; x < s->width; x++) {
      const Colour c = colour_at(s, x, y);
      put(image, AOM_PLANE_Y, x, y, black + scale * c.green);
      put(image, AOM_PLANE_U, x, y, black + scale * c.blue);
      put(image, AOM_PLANE_V, x, y, black + scale * c.red);
    }
  }
}

/* Writes chroma samples, each the mean of `step` × `step` pixels. Pixels at the edges are repeated. */
static void put_chroma(const Source *s, const aom_image_t *image, int step) {
  const float middle = (float)(1 << (s->bits - 1)), share = 1.0f / (step * step), scale = share_of_range(s, 224);
  const float blue = 2 * (1 - coding.weights.blue), red = 2 * (1 - coding.weights.red);
  for (int y = 0; y < s->height; y += step) {
    for (int x = 0; x < s->width; x += step) {
      Colour sum = {0, 0, 0};
      for (int i = 0; i < step * step; i++) {
        const int row = y + i / step, column = x + i % step;
        const Colour c = colour_at(s, column < s->width ? column : x, row < s->height ? row : y);
        sum = (Colour){sum.red + c.red, sum.green + c.green, sum.blue + c.blue};
      }
      const Colour mean = {sum.red * share, sum.green * share, sum.blue * share};
      const float luma = luma_of(mean);
      put(image, AOM_PLANE_U, x / step, y / step, middle + scale * ((mean.blue - luma) / blue));
      put(image, AOM_PLANE_V, x / step, y / step, middle + scale * ((mean.red - luma) / red));
    }
  }
}

static void put_fitted(const Source *s, const aom_image_t *image) {
  const SharpYuvColorSpace space = {coding.weights.red, coding.weights.blue, 8,
                                    coding.is_full_range ? kSharpYuvRangeFull : kSharpYuvRangeLimited};
  SharpYuvConversionMatrix computed;
  SharpYuvComputeConversionMatrix(&space, &computed);
  const int is_usual = coding.is_full_range && coding.weights.red == 0.299f && coding.weights.blue == 0.114f;
  const SharpYuvConversionMatrix *matrix = is_usual ? SharpYuvGetConversionMatrix(kSharpYuvMatrixRec601Full) : &computed;
  if (!SharpYuvConvert(s->pixels, s->pixels + 1, s->pixels + 2, s->channels, s->width * s->channels, 8, image->planes[AOM_PLANE_Y],
                       image->stride[AOM_PLANE_Y], image->planes[AOM_PLANE_U], image->stride[AOM_PLANE_U],
                       image->planes[AOM_PLANE_V], image->stride[AOM_PLANE_V], 8, s->width, s->height, matrix))
    host_fail(FAIL_MEMORY, "no memory");
}

/* Converts pixels to planes. The caller frees the image. */
static aom_image_t *image_of(const Source *s) {
  const int is_deep = s->bits > 8;
  const aom_img_fmt_t format =
      (s->chroma == CHROMA_FULL ? AOM_IMG_FMT_I444 : AOM_IMG_FMT_I420) | (is_deep ? AOM_IMG_FMT_HIGHBITDEPTH : 0);
  aom_image_t *image = aom_img_alloc(NULL, format, s->width, s->height, 16);
  if (!image) host_fail(FAIL_MEMORY, "no memory");
  image->bit_depth = s->bits;
  image->monochrome = s->chroma == CHROMA_NONE;
  image->range = coding.is_full_range ? AOM_CR_FULL_RANGE : AOM_CR_STUDIO_RANGE;
  if (coding.matrix == AOM_CICP_MC_IDENTITY && s->chroma == CHROMA_FULL) {
    put_identity(s, image);
    return image;
  }
  if (s->chroma == CHROMA_FITTED) {
    put_fitted(s, image);
    return image;
  }
  put_luma(s, image);
  if (s->chroma != CHROMA_NONE) put_chroma(s, image, s->chroma == CHROMA_FULL ? 1 : 2);
  return image;
}

static void check(aom_codec_err_t error) {
  if (error) host_fail(error == AOM_CODEC_MEM_ERROR ? FAIL_MEMORY : FAIL_MISUSE, "libaom refused a setting");
}

#define SET(control, value) check(aom_codec_control(&codec, control, value))

/* Largest quantizer of libaom (`rc_max_quantizer`). */
#define QUANTIZERS 63

static aom_codec_ctx_t opened(const Source *s, int quantizer, int speed, int tuning) {
  aom_codec_ctx_t codec;
  aom_codec_enc_cfg_t config;
  check(aom_codec_enc_config_default(aom_codec_av1_cx(), &config, AOM_USAGE_ALL_INTRA));
  config.g_w = s->width;
  config.g_h = s->height;
  config.g_profile = s->chroma == CHROMA_FULL ? 1 : 0;
  config.g_bit_depth = config.g_input_bit_depth = s->bits;
  config.monochrome = s->chroma == CHROMA_NONE;
  config.g_limit = 1;
  config.g_threads = 1;
  config.g_lag_in_frames = 0;
  config.rc_end_usage = AOM_Q;
  config.rc_min_quantizer = 0;
  config.rc_max_quantizer = QUANTIZERS;
  check(aom_codec_enc_init(&codec, aom_codec_av1_cx(), &config, s->bits > 8 ? AOM_CODEC_USE_HIGHBITDEPTH : 0));
  SET(AOME_SET_CPUUSED, speed);
  SET(AOME_SET_CQ_LEVEL, quantizer);
  SET(AOME_SET_TUNING, tuning);
  SET(AV1E_SET_COLOR_RANGE, coding.is_full_range ? AOM_CR_FULL_RANGE : AOM_CR_STUDIO_RANGE);
  SET(AV1E_SET_COLOR_PRIMARIES, coding.primaries);
  SET(AV1E_SET_TRANSFER_CHARACTERISTICS, coding.transfer);
  SET(AV1E_SET_MATRIX_COEFFICIENTS, coding.matrix);
  return codec;
}

/* Keeps a copy of a packet without its temporal delimiter, which AVIF items omit (AV1-ISOBMFF, 2.4). */
static void keep(const u8 *bytes, size_t length) {
  const size_t skipped = length > 2 && bytes[0] == 0x12 && bytes[1] == 0 ? 2 : 0;
  frame_length = (u32)(length - skipped);
  frame = allocate(frame_length);
  memcpy(frame, bytes + skipped, frame_length);
}

/* Encodes a picture as one key frame, and frees `pixels` before libaom needs memory. `channels`: 3 or 4. `quantizer`: 0
 * to 63. `tuning`: aom_tune_metric. Returns the number of bytes. */
EXPORT(encode)
u32 export_encode(u8 *pixels, int width, int height, int bits, int channels, int chroma, int quantizer, int speed,
                  int tuning) {
  const int is_alpha = chroma == CHROMA_OF_ALPHA;
  const Source source = {pixels, width, height, bits, channels, is_alpha ? CHROMA_NONE : chroma, is_alpha};
  free(frame);
  frame = NULL;
  frame_length = 0;
  aom_image_t *image = image_of(&source);
  free(pixels);
  aom_codec_ctx_t codec = opened(&source, quantizer, speed, tuning);
  if (aom_codec_encode(&codec, image, 0, 1, 0)) host_fail(FAIL_MEMORY, "libaom failed");
  aom_img_free(image);
  for (int flushed = 0; !frame && flushed < 2; flushed++) {
    aom_codec_iter_t iterator = NULL;
    for (const aom_codec_cx_pkt_t *packet; !frame && (packet = aom_codec_get_cx_data(&codec, &iterator));)
      if (packet->kind == AOM_CODEC_CX_FRAME_PKT) keep(packet->data.frame.buf, packet->data.frame.sz);
    if (!frame && aom_codec_encode(&codec, NULL, 0, 1, 0)) host_fail(FAIL_MEMORY, "libaom failed");
  }
  aom_codec_destroy(&codec);
  return frame_length;
}
EXPORT(output) const u8 *export_output(void) { return frame; }
EXPORT(host_alloc) void *export_alloc(u32 bytes) { return allocate(bytes); }
EXPORT(host_free) void export_free(void *memory) { free(memory); }
