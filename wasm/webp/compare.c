#include <stdlib.h>

#include "../common/allocate.h"
#include "../common/host.h"
#include "webp.h"

static void to_full_range(const Webp *w, const uint8_t *in, uint8_t *out, int width) {
  for (int x = 0; x < width; x++) out[x] = w->full_range[in[x]];
}

/* Rows of a sample plane. */
typedef struct {
  const uint8_t *at;
  int stride;
} PlaneRows;

static double plane_error(PlaneRows a, PlaneRows b, int width, int height) {
  double total = 0;
  for (int y = 0; y < height; y++) {
    uint32_t sum = 0;
    for (int x = 0; x < width; x++) {
      const int d = a.at[(size_t)y * a.stride + x] - b.at[(size_t)y * b.stride + x];
      sum += d * d;
    }
    total += sum;
  }
  return total;
}

static int compare_strip(const VP8Io *strip) {
  Webp *w = strip->opaque;
  const WebPPicture *reference = w->reference;
  for (int i = 0; i < strip->mb_h; i++) {
    to_full_range(w, reference->y + (size_t)(strip->mb_y + i) * reference->y_stride, w->line_a, reference->width);
    to_full_range(w, strip->y + (size_t)i * strip->y_stride, w->line_b, reference->width);
    measure_row(w->measure, w->line_a, w->line_b);
  }
  const int half = (reference->width + 1) / 2, rows = (strip->mb_h + 1) / 2, stride = reference->uv_stride;
  const size_t at = (size_t)(strip->mb_y / 2) * stride;
  const PlaneRows u = {strip->u, strip->uv_stride}, v = {strip->v, strip->uv_stride};
  w->u_error += plane_error((PlaneRows){reference->u + at, stride}, u, half, rows);
  w->v_error += plane_error((PlaneRows){reference->v + at, stride}, v, half, rows);
  w->chroma_samples += (double)half * rows;
  return 1;
}

int compare_file(Webp *w, int which) {
  const WebPPicture *reference = w->reference = &w->pictures[which];
  const int width = reference->width, height = reference->height;
  free(w->measure);
  w->measure = measure_begin(allocate(measure_bytes(width, GREY_BYTES)), width, GREY_BYTES);
  measure_every(w->measure, measure_sampling(width, height));
  free(w->line_a);
  free(w->line_b);
  w->line_a = allocate(width);
  w->line_b = allocate(width);
  w->u_error = w->v_error = w->chroma_samples = 0;
  /* Maps studio range 16 to 235 (BT.601) to 0 to 255, rounded. */
  for (int i = 0; i < 256; i++) w->full_range[i] = i <= 16 ? 0 : i >= 235 ? 255 : ((i - 16) * 255 + 109) / 219;
  const LossyFile file = {w->file.mem, w->file.size, width, height};
  const int decoded = strips_open(&w->strips, file, compare_strip, w, 0) && strips_decode(&w->strips);
  measure_break(w->measure);
  return decoded;
}
