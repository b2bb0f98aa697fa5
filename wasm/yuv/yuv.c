#include "yuv.h"

#include <stdlib.h>

#include "../common/allocate.h"

#define LEVELS_OF_TABLES 65536 /* sample values with 16 bits */

struct Yuv {
  YuvPlanes planes;
  YuvView view;
  /* Samples as fractions: luma from 0 to 1, chroma from -0.5 to 0.5, before clipping. */
  float *luma_of, *chroma_of;
  /* One span of pixels. */
  float *luma, *cb, *cr, *near;
  float red_factor, blue_factor, green_cb, green_cr;
};

static float *table_of(int bits, float zero, float range) {
  const int count = 1 << bits;
  float *table = allocate((size_t)count * sizeof *table);
  for (int i = 0; i < count; i++) table[i] = ((float)i - zero) / range;
  return table;
}

/* Sets the tables for full or narrow range (ITU-T H.273, 8.3, equations 20 to 31). */
static void make_tables(Yuv *yuv) {
  const int bits = yuv->planes.bits;
  const float step = (float)(1 << (bits - 8)), most = (float)((1 << bits) - 1), half = (float)(1 << (bits - 1));
  const bool full = yuv->view.full_range, is_identity = yuv->view.colours == COLOURS_IDENTITY;
  yuv->luma_of = full ? table_of(bits, 0, most) : table_of(bits, 16 * step, 219 * step);
  if (is_identity) yuv->chroma_of = yuv->luma_of;
  else yuv->chroma_of = full ? table_of(bits, half, most) : table_of(bits, half, 224 * step);
}

static bool is_valid(const YuvPlanes *p, const YuvView *v) {
  if (p->bits < 8 || p->bits > 16 || v->orientation < 1 || v->orientation > 8) return false;
  if (v->width < 1 || v->height < 1 || v->x < 0 || v->y < 0 || v->x > p->width - v->width ||
      v->y > p->height - v->height)
    return false;
  if (v->grey) return true;
  if (!p->has_chroma) return false;
  return v->colours != COLOURS_IDENTITY || (!p->shift_x && !p->shift_y);
}

Yuv *yuv_open(const YuvPlanes *planes, const YuvView *view) {
  if (!is_valid(planes, view)) return NULL;
  Yuv *yuv = allocate_zeroed(sizeof *yuv);
  yuv->planes = *planes;
  yuv->view = *view;
  make_tables(yuv);
  const size_t longest = (size_t)(view->width > view->height ? view->width : view->height);
  yuv->luma = allocate(longest * sizeof(float));
  yuv->cb = allocate(longest * sizeof(float));
  yuv->cr = allocate(longest * sizeof(float));
  yuv->near = allocate((size_t)(planes->width + 2) * sizeof(float));
  const float kr = view->red_weight, kb = view->blue_weight, kg = 1 - kr - kb;
  yuv->red_factor = 2 * (1 - kr);
  yuv->blue_factor = 2 * (1 - kb);
  yuv->green_cr = kg > 0 ? 2 * kr * (1 - kr) / kg : 0;
  yuv->green_cb = kg > 0 ? 2 * kb * (1 - kb) / kg : 0;
  return yuv;
}

void yuv_close(Yuv *yuv) {
  if (!yuv) return;
  if (yuv->chroma_of != yuv->luma_of) free(yuv->chroma_of);
  free(yuv->luma_of);
  free(yuv->luma);
  free(yuv->cb);
  free(yuv->cr);
  free(yuv->near);
  free(yuv);
}

/* Reads `count` samples of a row as fractions. Bits above the depth, which only damaged data has, are ignored. */
static void read_row(const YuvPlanes *p, int plane, int y, int x, int count, const float *table, float *to) {
  const u8 *row = p->planes[plane] + (ptrdiff_t)y * p->strides[plane];
  if (p->bits == 8) {
    for (int i = 0; i < count; i++) to[i] = table[row[x + i]];
    return;
  }
  const u16 *wide = (const u16 *)(const void *)row + x, mask = (u16)((1 << p->bits) - 1);
  for (int i = 0; i < count; i++) to[i] = table[wide[i] & mask];
}

/* Adds a quarter of the neighbouring chroma row to three quarters of the row that is nearer. */
static void blend_row(const YuvPlanes *p, int plane, int y, int x, int count, const float *table, float *to) {
  const u8 *row = p->planes[plane] + (ptrdiff_t)y * p->strides[plane];
  const u16 *wide = (const u16 *)(const void *)row, mask = (u16)((1 << p->bits) - 1);
  for (int i = 0; i < count; i++) {
    const float other = p->bits == 8 ? table[row[x + i]] : table[wide[x + i] & mask];
    to[i] = 0.75f * to[i] + 0.25f * other;
  }
}

/* Interpolates halved chroma linearly between the centres of its samples, as libavif and browsers do. */
static void read_chroma(Yuv *yuv, int plane, int y, int x, int count, float *to) {
  const YuvPlanes *p = &yuv->planes;
  const int width = (p->width + p->shift_x) >> p->shift_x, height = (p->height + p->shift_y) >> p->shift_y;
  const int cy = y >> p->shift_y, other = (y & 1) ? cy + 1 : cy - 1;
  const bool is_blended = p->shift_y && other >= 0 && other < height;
  if (!p->shift_x) {
    read_row(p, plane, cy, x, count, yuv->chroma_of, to);
    if (is_blended) blend_row(p, plane, other, x, count, yuv->chroma_of, to);
    return;
  }
  /* One sample more on either side, where there is one. */
  const int first = (x >> 1) > 0 ? (x >> 1) - 1 : 0,
            end = ((x + count - 1) >> 1) + 2 < width ? ((x + count - 1) >> 1) + 2 : width;
  float *near = yuv->near;
  read_row(p, plane, cy, first, end - first, yuv->chroma_of, near);
  if (is_blended) blend_row(p, plane, other, first, end - first, yuv->chroma_of, near);
  for (int i = 0; i < count; i++) {
    const int cx = (x + i) >> 1, beside = ((x + i) & 1) ? cx + 1 : cx - 1;
    const float here = near[cx - first];
    to[i] = beside < 0 || beside >= width ? here : 0.75f * here + 0.25f * near[beside - first];
  }
}

/* Converts Y'CbCr in `luma`, `cb` and `cr` to red, green and blue in place (H.273, equations 38 to 69). */
static void to_colours(Yuv *yuv, int count) {
  float *luma = yuv->luma, *cb = yuv->cb, *cr = yuv->cr;
  if (yuv->view.colours == COLOURS_IDENTITY) {
    for (int i = 0; i < count; i++) {
      const float green = luma[i], blue = cb[i], red = cr[i];
      luma[i] = red, cb[i] = green, cr[i] = blue;
    }
    return;
  }
  if (yuv->view.colours == COLOURS_YCGCO) {
    for (int i = 0; i < count; i++) {
      const float base = luma[i] - cb[i], green = luma[i] + cb[i], orange = cr[i];
      luma[i] = base + orange, cb[i] = green, cr[i] = base - orange;
    }
    return;
  }
  const float red_factor = yuv->red_factor, blue_factor = yuv->blue_factor, green_cb = yuv->green_cb,
              green_cr = yuv->green_cr;
  for (int i = 0; i < count; i++) {
    const float y = luma[i], b = cb[i], r = cr[i];
    luma[i] = y + red_factor * r;
    cb[i] = y - green_cb * b - green_cr * r;
    cr[i] = y + blue_factor * b;
  }
}

static float clipped(float value) { return value < 0 ? 0 : value > 1 ? 1 : value; }

/* Writes samples as integers, `step` samples apart. */
static void put(const Yuv *yuv, const float *from, int count, u8 *to, ptrdiff_t step) {
  if (yuv->view.wide) {
    u16 *wide = (u16 *)(void *)to;
    for (int i = 0; i < count; i++) wide[i * step] = (u16)(clipped(from[i]) * 65535 + 0.5f);
  } else {
    for (int i = 0; i < count; i++) to[i * step] = (u8)(clipped(from[i]) * 255 + 0.5f);
  }
}

/* Converts `count` pixels of a stored row and writes them `step` samples apart. */
static void convert_span(Yuv *yuv, int y, int x, int count, u8 *to, ptrdiff_t step) {
  const int bytes = yuv->view.wide ? 2 : 1;
  read_row(&yuv->planes, 0, y, x, count, yuv->luma_of, yuv->luma);
  if (!yuv->view.grey) {
    read_chroma(yuv, 1, y, x, count, yuv->cb);
    read_chroma(yuv, 2, y, x, count, yuv->cr);
    to_colours(yuv, count);
    put(yuv, yuv->cb, count, to + bytes, step);
    put(yuv, yuv->cr, count, to + 2 * bytes, step);
  }
  put(yuv, yuv->luma, count, to, step);
}

/* Orientations are those of EXIF 2.32, 4.6.4.A: from 5 on, stored rows are columns of the output. */
void yuv_rows(Yuv *yuv, int first, int count, u8 *to) {
  const YuvView *v = &yuv->view;
  const int orientation = v->orientation;
  const bool swaps = orientation >= 5;
  const bool flip_x = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool flip_y = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const ptrdiff_t channels = v->grey ? 1 : 3, bytes = v->wide ? 2 : 1;
  const ptrdiff_t row = channels * (swaps ? v->height : v->width);
  if (!swaps) {
    for (int i = 0; i < count; i++) {
      const int y = flip_y ? v->height - 1 - (first + i) : first + i;
      u8 *start = to + bytes * (row * i + (flip_x ? channels * (v->width - 1) : 0));
      convert_span(yuv, v->y + y, v->x, v->width, start, flip_x ? -channels : channels);
    }
    return;
  }
  /* Output rows are stored columns: a span of `count` pixels of each stored row. */
  const int x = flip_x ? v->width - first - count : first;
  for (int y = 0; y < v->height; y++) {
    const ptrdiff_t column = flip_y ? v->height - 1 - y : y;
    u8 *start = to + bytes * (channels * column + (flip_x ? row * (count - 1) : 0));
    convert_span(yuv, v->y + y, v->x + x, count, start, flip_x ? -row : row);
  }
}
