/*
 * WebP (RFC 9649) from pixel rows: planes of 1.5 bytes a pixel, libwebp's encoder, and its decoder run over the result so
 * that SSIM and PSNR come with it, strip by strip, without a decoded picture. One instance, one picture.
 */
#include <stdlib.h>
#include <string.h>
#include "measure.h"
#include "src/dec/vp8i_dec.h"
#include "src/dsp/dsp.h"
#include "src/dsp/yuv.h"
#include "src/webp/decode.h"
#include "src/webp/encode.h"
#include "src/utils/utils.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

__attribute__((import_module("env"), import_name("fail"))) _Noreturn void fail(const char *message);

static void *allocate(size_t bytes) {
  void *memory = malloc(bytes ? bytes : 1);
  if (!memory) fail("out of memory");
  return memory;
}
static void *allocate_cleared(size_t bytes) { return memset(allocate(bytes), 0, bytes); }
void *EXPORT(host_alloc)(uint32_t bytes) { return allocate(bytes); }
void EXPORT(host_free)(void *memory) { free(memory); }

static WebPPicture pictures[2]; /* the whole, and a sample of it for the search */
static WebPMemoryWriter written;
static uint32_t *sums; /* of red, green and blue over the pairs of columns of a row pair */
static int channels, next_row, is_fitted;
static uint32_t hue_steps; /* pairs of pixels whose hues are far apart, of those whose mean becomes chroma */

/*
 * `exact`: red, green, blue and alpha as they are, 4 bytes a pixel, for lossless coding. `fitted`: the same until the last row, then planes
 * that come nearest to the picture when chroma is interpolated (libsharpyuv), which keeps thin lines of strong colours; 13 bytes a pixel.
 */
void EXPORT(begin)(int width, int height, int channel_count, int exact, int fitted) {
  WebPPicture *whole = &pictures[0];
  if (!WebPPictureInit(whole)) fail("another version of libwebp");
  whole->width = width;
  whole->height = height;
  whole->use_argb = exact || fitted;
  is_fitted = fitted;
  whole->colorspace = channel_count == 2 || channel_count == 4 ? WEBP_YUV420A : WEBP_YUV420;
  if (!WebPPictureAlloc(whole)) fail("out of memory");
  channels = channel_count;
  sums = exact || fitted ? NULL : allocate_cleared((width + 1) / 2 * 3 * sizeof *sums);
}

static void exact_row(WebPPicture *p, const uint8_t *row) {
  uint32_t *out = p->argb + (size_t)next_row * p->argb_stride;
  for (int x = 0; x < p->width; x++, row += channels) {
    const int grey = channels < 3;
    const uint32_t alpha = channels == 2 ? row[1] : channels == 4 ? row[3] : 255;
    out[x] = alpha << 24 | row[0] << 16 | row[grey ? 0 : 1] << 8 | row[grey ? 0 : 2];
  }
}

#define HUE_STEP 64 /* of red and of blue against green, together */

/* BT.601 in the studio range, as VP8 has it; chroma is the mean of 2×2. */
static void yuv_row(WebPPicture *p, const uint8_t *row) {
  uint8_t *y = p->y + (size_t)next_row * p->y_stride, *a = p->a ? p->a + (size_t)next_row * p->a_stride : NULL;
  const int grey = channels < 3, last = next_row == p->height - 1;
  for (int x = 0; x < p->width; x++, row += channels) {
    const int r = row[0], g = row[grey ? 0 : 1], b = row[grey ? 0 : 2];
    y[x] = VP8RGBToY(r, g, b, YUV_HALF);
    if (a) a[x] = row[channels - 1];
    const int weight = (x == p->width - 1 && !(x & 1) ? 2 : 1) * (last && !(next_row & 1) ? 2 : 1); /* odd edges count twice */
    uint32_t *sum = sums + x / 2 * 3;
    sum[0] += r * weight;
    sum[1] += g * weight;
    sum[2] += b * weight;
    if (!grey && !(x & 1) && x + 1 < p->width) {
      const uint8_t *next = row + channels;
      hue_steps += abs(r - g - next[0] + next[1]) + abs(b - g - next[2] + next[1]) > HUE_STEP;
    }
  }
  if (!(next_row & 1) && !last) return;
  uint8_t *u = p->u + (size_t)(next_row / 2) * p->uv_stride, *v = p->v + (size_t)(next_row / 2) * p->uv_stride;
  const int pairs = (p->width + 1) / 2;
  for (int x = 0; x < pairs; x++) {
    const uint32_t *sum = sums + x * 3;
    u[x] = VP8RGBToU(sum[0], sum[1], sum[2], YUV_HALF << 2);
    v[x] = VP8RGBToV(sum[0], sum[1], sum[2], YUV_HALF << 2);
  }
  memset(sums, 0, pairs * 3 * sizeof *sums);
}

static void fit(WebPPicture *p) {
  if (!WebPPictureSharpARGBToYUVA(p)) fail("out of memory");
  WebPSafeFree(p->memory_argb_);
  p->memory_argb_ = NULL;
  p->argb = NULL;
  p->argb_stride = 0;
}

void EXPORT(rows)(const uint8_t *bytes, int count) {
  WebPPicture *p = &pictures[0];
  for (int i = 0; i < count && next_row < p->height; i++, next_row++) {
    const uint8_t *row = bytes + (size_t)i * p->width * channels;
    if (p->use_argb) exact_row(p, row);
    else yuv_row(p, row);
  }
  if (is_fitted && next_row == p->height) fit(p);
}

static void copy_rows(uint8_t *to, int to_stride, const uint8_t *from, int from_stride, int width, int count) {
  for (int i = 0; i < count; i++) memcpy(to + (size_t)i * to_stride, from + (size_t)i * from_stride, width);
}

/* Bands of 64 rows, evenly spread, `count` of them, become the sample. 0: the whole picture is hardly more. */
int EXPORT(make_sample)(int count) {
  const WebPPicture *p = &pictures[0];
  WebPPicture *s = &pictures[1];
  const int bands = p->height / 64;
  if (bands < count * 2) return 0;
  WebPPictureInit(s);
  s->width = p->width;
  s->height = count * 64;
  s->colorspace = WEBP_YUV420;
  if (!WebPPictureAlloc(s)) fail("out of memory");
  for (int i = 0; i < count; i++) {
    const int from = (int)((i + 0.5) * bands / count) * 64, to = i * 64, half = (p->width + 1) / 2;
    copy_rows(s->y + to * s->y_stride, s->y_stride, p->y + (size_t)from * p->y_stride, p->y_stride, p->width, 64);
    copy_rows(s->u + to / 2 * s->uv_stride, s->uv_stride, p->u + (size_t)(from / 2) * p->uv_stride, p->uv_stride, half, 32);
    copy_rows(s->v + to / 2 * s->uv_stride, s->uv_stride, p->v + (size_t)(from / 2) * p->uv_stride, p->uv_stride, half, 32);
  }
  return 1;
}

/* Encodes the whole (0) or the sample (1). Returns the number of bytes, 0 when libwebp gave up (usually for memory). */
uint32_t EXPORT(encode)(int which, float quality, int method, int lossless, int frugal) {
  WebPConfig config;
  if (!WebPConfigInit(&config)) fail("another version of libwebp");
  config.quality = quality;
  config.method = method;
  config.lossless = lossless;
  config.low_memory = frugal;
  config.exact = 1;
  config.alpha_quality = 100;
  WebPMemoryWriterClear(&written);
  WebPMemoryWriterInit(&written);
  WebPPicture *p = &pictures[which];
  /* The modes of all blocks must fit into the 512 KiB of the first partition (RFC 6386, 9.7): above this they are kept short. */
  if ((uint64_t)p->width * p->height > 100000000) {
    config.segments = 1;
    config.partition_limit = 100;
  }
  p->writer = WebPMemoryWrite;
  p->custom_ptr = &written;
  return WebPEncode(&config, p) ? written.size : 0;
}

const uint8_t *EXPORT(output)(void) { return written.mem; }

/* ---- looking at what was encoded ---- */

static Measure *measured;
static const WebPPicture *reference;
static uint8_t full_range[256], *line_a, *line_b;
static double u_error, v_error, chroma_samples;

static void to_full_range(const uint8_t *in, uint8_t *out, int width) { for (int x = 0; x < width; x++) out[x] = full_range[in[x]]; }

static double plane_error(const uint8_t *a, int a_stride, const uint8_t *b, int b_stride, int width, int height) {
  double total = 0;
  for (int y = 0; y < height; y++) {
    uint32_t sum = 0;
    for (int x = 0; x < width; x++) {
      const int d = a[(size_t)y * a_stride + x] - b[(size_t)y * b_stride + x];
      sum += d * d;
    }
    total += sum;
  }
  return total;
}

static int compare_strip(const VP8Io *io) {
  for (int i = 0; i < io->mb_h; i++) {
    to_full_range(reference->y + (size_t)(io->mb_y + i) * reference->y_stride, line_a, reference->width);
    to_full_range(io->y + (size_t)i * io->y_stride, line_b, reference->width);
    measure_row(measured, line_a, line_b);
  }
  const int half = (reference->width + 1) / 2, rows = (io->mb_h + 1) / 2;
  const size_t at = (size_t)(io->mb_y / 2) * reference->uv_stride;
  u_error += plane_error(reference->u + at, reference->uv_stride, io->u, io->uv_stride, half, rows);
  v_error += plane_error(reference->v + at, reference->uv_stride, io->v, io->uv_stride, half, rows);
  chroma_samples += (double)half * rows;
  return 1;
}

/* Rows of the last strip as RGBA. Chroma lies between two pairs of rows, so each strip keeps its last row for the next one. */
static uint8_t *taken, *kept_y, *kept_u, *kept_v, *kept_a;
static int rows_taken;

static int take_rows(const VP8Io *strip) {
  const int width = strip->width, half = (width + 1) / 2, ys = strip->y_stride, cs = strip->uv_stride;
  const uint8_t *y = strip->y, *u = strip->u, *v = strip->v, *a = strip->a;
  const WebPUpsampleLinePairFunc convert = WebPUpsamplers[MODE_RGBA];
  const size_t line = (size_t)width * 4;
  uint8_t *out = taken;
  int row = 1;
  if (!strip->mb_y) {
    convert(y, NULL, u, v, u, v, out, NULL, width);
    out += line;
  } else {
    convert(kept_y, y, kept_u, kept_v, u, v, out, out + line, width);
    out += 2 * line;
  }
  for (; row + 1 < strip->mb_h; row += 2, out += 2 * line, u += cs, v += cs)
    convert(y + row * ys, y + (row + 1) * ys, u, v, u + cs, v + cs, out, out + line, width);
  const int ends = strip->mb_y + strip->mb_h >= strip->height, left = row < strip->mb_h;
  if (left && ends) {
    convert(y + row * ys, NULL, u, v, u, v, out, NULL, width);
    out += line;
  }
  rows_taken = (out - taken) / line;
  if (a) {
    uint8_t *to = taken + 3;
    if (strip->mb_y) for (int x = 0; x < width; x++, to += 4) *to = kept_a[x];
    for (; to < out; to += 4) *to = *a++;
    if (left && !ends) memcpy(kept_a, a, width);
  }
  if (!left || ends) return 1;
  memcpy(kept_y, y + row * ys, width);
  memcpy(kept_u, u, half);
  memcpy(kept_v, v, half);
  return 1;
}

static int no_setup(VP8Io *io) { (void)io; return 1; }
static void no_teardown(const VP8Io *io) { (void)io; }

/* A chunk of a file, NULL where there is none. */
static const uint8_t *chunk_of(const uint8_t *file, uint32_t length, const char *name, uint32_t *chunk_length) {
  for (uint32_t at = 12; at + 8 <= length;) {
    const uint32_t size = file[at + 4] | file[at + 5] << 8 | file[at + 6] << 16 | (uint32_t)file[at + 7] << 24;
    if (size > length - at - 8) return NULL;
    if (!memcmp(file + at, name, 4)) {
      *chunk_length = size;
      return file + at + 8;
    }
    at += 8 + size + (size & 1);
  }
  return NULL;
}

static VP8Decoder *decoder;
static VP8Io io;

/* A lossy file of this size, to be handed on strip by strip. 0: it is damaged, or another one. */
static int open_strips(const uint8_t *file, uint32_t length, VP8IoPutHook put, int width, int height) {
  uint32_t size, alpha_size = 0;
  const uint8_t *data = chunk_of(file, length, "VP8 ", &size), *alpha = chunk_of(file, length, "ALPH", &alpha_size);
  if (!data) return 0;
  VP8InitIo(&io);
  io.data = data;
  io.data_size = size;
  io.put = put;
  io.setup = no_setup;
  io.teardown = no_teardown;
  VP8Delete(decoder);
  if (!(decoder = VP8New())) fail("out of memory");
  decoder->alpha_data_ = put == take_rows ? alpha : NULL;
  decoder->alpha_data_size_ = alpha_size;
  return VP8GetHeaders(decoder, &io) && io.width == width && io.height == height;
}

/* Decodes what was encoded last and compares it with the planes it was made from. 0: it cannot be decoded. */
int EXPORT(measure)(int which) {
  reference = &pictures[which];
  free(measured);
  measured = measure_begin(allocate(measure_bytes(reference->width, GREY_BYTES)), reference->width, GREY_BYTES);
  measure_every(measured, measure_sampling(reference->width, reference->height));
  free(line_a);
  free(line_b);
  line_a = allocate(reference->width);
  line_b = allocate(reference->width);
  u_error = v_error = chroma_samples = 0;
  for (int i = 0; i < 256; i++) full_range[i] = i <= 16 ? 0 : i >= 235 ? 255 : ((i - 16) * 255 + 109) / 219;
  const int decoded = open_strips(written.mem, written.size, compare_strip, reference->width, reference->height) && VP8Decode(decoder, &io);
  measure_break(measured);
  return decoded;
}

/* The share of such pairs in the whole picture. */
double EXPORT(hue_contrast)(void) { return hue_steps / (pictures[0].width / 2.0 * pictures[0].height); }

/* 0 SSIM, 1 squared error of luma, 2 and 3 of the chroma planes (means, full range). */
double EXPORT(result)(int what) {
  const double studio = (255.0 / 224) * (255.0 / 224) / (chroma_samples ? chroma_samples : 1);
  const Quality luma = measure_result(measured);
  return what == 0 ? luma.ssim : what == 1 ? luma.luma_mse : (what == 2 ? u_error : v_error) * studio;
}

/* Begins to decode a lossy file as viewers show it. 0: it is damaged, or of another size. */
int EXPORT(begin_rows)(const uint8_t *file, uint32_t length, int width, int height) {
  WebPInitUpsamplers();
  taken = allocate((size_t)width * 4 * 32); /* a strip has at most 16 rows, 24 at the end */
  kept_y = allocate(width);
  kept_u = allocate(width);
  kept_v = allocate(width);
  kept_a = allocate(width);
  return open_strips(file, length, take_rows, width, height) && VP8EnterCritical(decoder, &io) == VP8_STATUS_OK && VP8InitFrame(decoder, &io);
}

/* How many rows came next: 0 at the end, -1 where the file is damaged. */
int EXPORT(next_rows)(void) {
  rows_taken = 0;
  for (; !rows_taken && decoder->mb_y_ < decoder->br_mb_y_; decoder->mb_y_++) {
    if (!VP8ParseIntraModeRow(&decoder->br_, decoder)) return -1;
    VP8BitReader *tokens = &decoder->parts_[decoder->mb_y_ & decoder->num_parts_minus_one_];
    for (; decoder->mb_x_ < decoder->mb_w_; decoder->mb_x_++) if (!VP8DecodeMB(decoder, tokens)) return -1;
    VP8InitScanline(decoder);
    if (!VP8ProcessRow(decoder, &io)) return -1;
  }
  return rows_taken;
}

const uint8_t *EXPORT(taken_rows)(void) { return taken; }

/* Decodes a whole file to RGBA, width × height × 4 bytes. NULL: damaged, or of another size. */
const uint8_t *EXPORT(decode_rgba)(const uint8_t *file, uint32_t length, int width, int height) {
  int w, h;
  const uint8_t *pixels = WebPDecodeRGBA(file, length, &w, &h);
  return pixels && w == width && h == height ? pixels : NULL;
}
