#include <stdlib.h>
#include <string.h>

#include "../common/allocate.h"
#include "../common/host.h"
#include "src/dsp/yuv.h"
#include "src/utils/utils.h"
#include "tuning.h"
#include "webp.h"

void rows_begin(Webp *w, RowsFormat format) {
  WebPPicture *whole = &w->pictures[WHOLE];
  if (!WebPPictureInit(whole)) host_fail(FAIL_MISUSE, "another version of libwebp");
  const int as_pixels = format.exact || format.fitted;
  whole->width = format.width;
  whole->height = format.height;
  whole->use_argb = as_pixels;
  w->is_fitted = format.fitted;
  whole->colorspace = format.channels == 2 || format.channels == 4 ? WEBP_YUV420A : WEBP_YUV420;
  if (!WebPPictureAlloc(whole)) host_fail(FAIL_MEMORY, "out of memory");
  w->channels = format.channels;
  w->sums = as_pixels ? NULL : allocate_zeroed((format.width + 1) / 2 * 3 * sizeof *w->sums);
}

static void exact_row(Webp *w, WebPPicture *p, const uint8_t *row) {
  const int channels = w->channels, grey = channels < 3;
  uint32_t *out = p->argb + (size_t)w->next_row * p->argb_stride;
  for (int x = 0; x < p->width; x++, row += channels) {
    const uint32_t alpha = channels == 2 ? row[1] : channels == 4 ? row[3] : 255;
    out[x] = alpha << 24 | row[0] << 16 | row[grey ? 0 : 1] << 8 | row[grey ? 0 : 2];
  }
}

/* Writes a chroma row: means of 2×2 pixels. */
static void chroma_row(Webp *w, WebPPicture *p) {
  const size_t at = (size_t)(w->next_row / 2) * p->uv_stride;
  const int pairs = (p->width + 1) / 2;
  for (int x = 0; x < pairs; x++) {
    const uint32_t *sum = w->sums + x * 3;
    p->u[at + x] = VP8RGBToU(sum[0], sum[1], sum[2], YUV_HALF << 2);
    p->v[at + x] = VP8RGBToV(sum[0], sum[1], sum[2], YUV_HALF << 2);
  }
  memset(w->sums, 0, pairs * 3 * sizeof *w->sums);
}

/* Converts a row to BT.601 in studio range, as VP8 requires. */
static void yuv_row(Webp *w, WebPPicture *p, const uint8_t *row) {
  const int y = w->next_row, channels = w->channels, width = p->width, grey = channels < 3, last = y == p->height - 1;
  uint8_t *luma = p->y + (size_t)y * p->y_stride, *a = p->a ? p->a + (size_t)y * p->a_stride : NULL;
  uint32_t hue_steps = 0, *sums = w->sums;
  for (int x = 0; x < width; x++, row += channels) {
    const int r = row[0], g = row[grey ? 0 : 1], b = row[grey ? 0 : 2];
    luma[x] = VP8RGBToY(r, g, b, YUV_HALF);
    if (a) a[x] = row[channels - 1];
    /* the last column or row counts twice if its number is odd */
    const int weight = (x == width - 1 && !(x & 1) ? 2 : 1) * (last && !(y & 1) ? 2 : 1);
    uint32_t *sum = sums + x / 2 * 3;
    sum[0] += r * weight;
    sum[1] += g * weight;
    sum[2] += b * weight;
    if (!grey && !(x & 1) && x + 1 < width) {
      const uint8_t *next = row + channels;
      hue_steps += abs(r - g - next[0] + next[1]) + abs(b - g - next[2] + next[1]) > HUE_STEP;
    }
  }
  w->hue_steps += hue_steps;
  if ((y & 1) || last) chroma_row(w, p);
}

/* Converts the stored pixels to planes and frees the pixels. */
static void fit(WebPPicture *p) {
  if (!WebPPictureSharpARGBToYUVA(p)) host_fail(FAIL_MEMORY, "out of memory");
  WebPSafeFree(p->memory_argb_);
  p->memory_argb_ = NULL;
  p->argb = NULL;
  p->argb_stride = 0;
}

void rows_add(Webp *w, const uint8_t *bytes, int count) {
  WebPPicture *p = &w->pictures[WHOLE];
  for (int i = 0; i < count && w->next_row < p->height; i++, w->next_row++) {
    const uint8_t *row = bytes + (size_t)i * p->width * w->channels;
    if (p->use_argb) exact_row(w, p, row);
    else yuv_row(w, p, row);
  }
  if (w->is_fitted && w->next_row == p->height) fit(p);
}

/* ---- the sample of the picture ---- */

typedef struct {
  const uint8_t *from;
  uint8_t *to;
  int from_stride, to_stride;
} PlaneCopy;

static void copy_rows(PlaneCopy plane, int from_row, int to_row, int width, int count) {
  for (int i = 0; i < count; i++)
    memcpy(plane.to + (size_t)(to_row + i) * plane.to_stride, plane.from + (size_t)(from_row + i) * plane.from_stride,
           width);
}

int rows_sample(Webp *w, int count) {
  const WebPPicture *p = &w->pictures[WHOLE];
  WebPPicture *s = &w->pictures[SAMPLE];
  const int bands = p->height / BAND_ROWS, half = (p->width + 1) / 2;
  if (bands < count * SAMPLE_SHARE) return 0;
  WebPPictureInit(s);
  s->width = p->width;
  s->height = count * BAND_ROWS;
  s->colorspace = WEBP_YUV420;
  if (!WebPPictureAlloc(s)) host_fail(FAIL_MEMORY, "out of memory");
  const PlaneCopy y = {p->y, s->y, p->y_stride, s->y_stride};
  const PlaneCopy u = {p->u, s->u, p->uv_stride, s->uv_stride}, v = {p->v, s->v, p->uv_stride, s->uv_stride};
  for (int i = 0; i < count; i++) {
    const int from = (int)((i + 0.5) * bands / count) * BAND_ROWS, to = i * BAND_ROWS;
    copy_rows(y, from, to, p->width, BAND_ROWS);
    copy_rows(u, from / 2, to / 2, half, BAND_ROWS / 2);
    copy_rows(v, from / 2, to / 2, half, BAND_ROWS / 2);
  }
  return 1;
}
