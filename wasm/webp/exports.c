/* Functions that the host calls. Owns the single engine instance. */
#include <stdlib.h>

#include "../common/allocate.h"
#include "../common/host.h"
#include "src/webp/decode.h"
#include "webp.h"

static Webp webp;

EXPORT(host_alloc) void *export_alloc(uint32_t bytes) { return allocate(bytes); }
EXPORT(host_free) void export_free(void *memory) { free(memory); }

EXPORT(begin) void export_begin(int width, int height, int channels, int exact, int fitted) {
  rows_begin(&webp, (RowsFormat){width, height, channels, exact, fitted});
}
EXPORT(rows) void export_rows(const uint8_t *bytes, int count) { rows_add(&webp, bytes, count); }
EXPORT(make_sample) int export_make_sample(int count) { return rows_sample(&webp, count); }
/* Returns the share of pixel pairs with strong hue differences in the whole picture. */
EXPORT(hue_contrast) double export_hue_contrast(void) {
  const WebPPicture *whole = &webp.pictures[WHOLE];
  return webp.hue_steps / (whole->width / 2.0 * whole->height);
}

EXPORT(encode) uint32_t export_encode(int which, float quality, int method, int lossless, int frugal) {
  return encode_file(&webp, which, (Settings){quality, method, lossless, frugal});
}
EXPORT(output) const uint8_t *export_output(void) { return webp.file.mem; }

EXPORT(measure) int export_measure(int which) { return compare_file(&webp, which); }
/* Returns 0 SSIM, 1 mean squared error of luma, 2 and 3 mean squared errors of the chroma planes, scaled to full
 * range. */
EXPORT(result) double export_result(int what) {
  const double studio = (255.0 / 224) * (255.0 / 224) / (webp.chroma_samples ? webp.chroma_samples : 1);
  const Quality luma = measure_result(webp.measure);
  switch (what) {
    case 0: return luma.ssim;
    case 1: return luma.luma_mse;
    case 2: return webp.u_error * studio;
    default: return webp.v_error * studio;
  }
}

EXPORT(begin_rows) int export_begin_rows(const uint8_t *file, uint32_t length, int width, int height) {
  return viewer_begin(&webp, file, length, width, height);
}
EXPORT(next_rows) int export_next_rows(void) { return viewer_next(&webp); }
EXPORT(taken_rows) const uint8_t *export_taken_rows(void) { return webp.rgba; }

/* Decodes a whole file to RGBA with width × height × 4 bytes. Returns NULL if the file is damaged or has another
 * size. */
EXPORT(decode_rgba) const uint8_t *export_decode_rgba(const uint8_t *file, uint32_t length, int width, int height) {
  int w, h;
  const uint8_t *pixels = WebPDecodeRGBA(file, length, &w, &h);
  return pixels && w == width && h == height ? pixels : NULL;
}
