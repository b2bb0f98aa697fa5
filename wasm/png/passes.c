#include "passes.h"

#include "png.h"
#include "samples.h"

static bool encodes(const Pass *p) { return p->mode == PASS_ENCODE || p->mode == PASS_REMAP || p->mode == PASS_NEAR; }
static bool measures(const Pass *p) { return p->mode == PASS_REMAP || p->mode == PASS_INDICES || p->mode == PASS_NEAR; }
static bool analyses(const Pass *p) { return p->mode == PASS_ANALYSE || p->mode == PASS_SURVEY; }
static bool counts_colours(const Pass *p) { return p->mode == PASS_HISTOGRAM || p->mode == PASS_SURVEY; }

/* ---- passes and frames ---- */

static void begin_histogram(Png *png) {
  histogram_begin(&png->histogram, picture_of(png)->width);
  quantise_begin(&png->quantiser);
  sample_begin(&png->sample, picture_of(png));
  numbered_forget(&png->trials.numbered);
}

static void begin_measuring(Png *png, bool alpha) {
  const Picture *picture = picture_of(png);
  free(png->pass.measure);
  png->pass.measure = measure_rgba_rows(picture, alpha);
  perceptual_begin(&png->perceptual, picture, picture->height, alpha, PERCEPTUAL_SHADES | PERCEPTUAL_SCORE);
  if (png->pass.mode == PASS_NEAR) near_begin(&png->near, &png->remap.hiding, &png->layout, picture->width);
  else remap_begin(&png->remap, &png->palette, picture->width);
}

void pass_begin(Png *png, int mode, int form, bool muted, bool alpha) {
  Pass *p = &png->pass;
  const u32 width = picture_of(png)->width;
  p->mode = mode;
  p->row_form = form;
  p->in_frame = false;
  p->digest = 0;
  p->frame_number = 0;
  if (analyses(p)) analyse_begin(&png->analysis);
  if (counts_colours(p)) begin_histogram(png);
  if (encodes(p)) encode_begin(&png->encoder, &png->layout, picture_of(png), muted);
  if (measures(p)) begin_measuring(png, alpha);
  free(p->out_row);
  free(p->index_row);
  p->out_row = allocate((size_t)width * 8 + 64);
  p->index_row = allocate_zeroed((size_t)width + 64);
}

void pass_begin_frame(Png *png, u32 width, u32 height) {
  Pass *p = &png->pass;
  if (p->in_frame) host_fail(FAIL_MISUSE, "a frame inside a frame");
  p->in_frame = true;
  p->fed_bytes = false;
  p->frame_number++;
  if (encodes(p)) encode_begin_frame(&png->encoder);
  source_begin_frame(&png->source, width, height);
}

void pass_feed(Png *png, const u8 *bytes, u32 count) {
  if (!png->pass.in_frame) host_fail(FAIL_MISUSE, "bytes outside a frame");
  png->pass.fed_bytes = true;
  source_feed(&png->source, bytes, count);
}

void pass_take_row(Png *png, const u8 *row) {
  if (!png->pass.in_frame || png->pass.fed_bytes) host_fail(FAIL_MISUSE, "rows outside a frame");
  source_take_row(&png->source, row);
}

void pass_end_frame(Png *png) {
  Pass *p = &png->pass;
  if (!p->in_frame) host_fail(FAIL_MISUSE, "no frame to end");
  if (p->fed_bytes) source_end_stream(&png->source);
  if (!png->source.complete) host_fail(FAIL_TRUNCATED, "fewer rows than the picture has");
  p->in_frame = false;
  if (encodes(p)) encode_end_frame(&png->encoder);
  if (p->measure && measures(p)) {
    measure_break(p->measure);
    p->figures = perceptual_figures(&png->perceptual);
    perceptual_end(&png->perceptual);
  }
}

/* ---- processing source rows ---- */

static u64 mix(u64 v) { /* 64-bit finaliser of the hash MurmurHash3 */
  v ^= v >> 33;
  v *= 0xff51afd7ed558ccdull;
  v ^= v >> 33;
  v *= 0xc4ceb9fe1a85ec53ull;
  return v ^ v >> 33;
}

static void digest_row(Png *png, const u8 *row, u32 y) {
  const Rows *rows = &png->source.rows;
  u16 *px = (u16 *)png->pass.out_row;
  to_rgba16(picture_of(png), row, rows->width, px, png->rgba_row);
  const u64 line = mix((u64)png->pass.frame_number << 32 | (rows->y0 + y * rows->dy));
  u64 sum = 0;
  for (u32 i = 0; i < rows->width; i++) {
    u64 colour;
    memcpy(&colour, px + 4 * i, 8);
    sum += mix(colour ^ (line + (u64)(rows->x0 + i * rows->dx) * 0x9E3779B97F4A7C15ull));
  }
  png->pass.digest += sum;
}

static void give_row(Png *png, const u8 *row, u32 y) {
  const Picture *picture = picture_of(png);
  const Rows *rows = &png->source.rows;
  const u32 n = rows->width;
  u32 *px = png->rgba_row;
  u8 *out = png->pass.out_row;
  switch (png->pass.row_form) {
    case FORM_NATIVE: host_row(row, rows->row_bytes, y); return;
    case FORM_RGBA8:
      to_rgba8(picture, row, n, px);
      host_row((u8 *)px, n * 4, y);
      return;
    case FORM_RGB8:
      to_rgba8(picture, row, n, px);
      for (u32 i = 0; i < n; i++) memcpy(out + 3 * i, px + i, 3);
      host_row(out, n * 3, y);
      return;
    case FORM_GRAY8:
      to_rgba8(picture, row, n, px);
      for (u32 i = 0; i < n; i++) out[i] = px[i];
      host_row(out, n, y);
      return;
    case FORM_RGBA16:
      to_rgba16(picture, row, n, (u16 *)out, px);
      host_row(out, n * 8, y);
      return;
  }
}

static void count_row(Png *png, const u8 *row, u32 y) {
  const u32 width = png->source.rows.width;
  u32 *px = png->rgba_row;
  to_rgba8(picture_of(png), row, width, px);
  histogram_row(&png->histogram, px, width, png->sample.hard.new_colours, BLOCK);
  sample_row(&png->sample, px, width, y);
}

static void measure_rows(Png *png, const u32 *shown) {
  measure_row(png->pass.measure, png->rgba_row, shown);
  perceptual_row(&png->perceptual, png->rgba_row, shown);
}

static void remap_one(Png *png, const u8 *row, u32 y) {
  Pass *p = &png->pass;
  const u32 n = png->source.rows.width;
  if (n != picture_of(png)->width) host_fail(FAIL_MISUSE, "a palette for parts of a picture");
  to_rgba8(picture_of(png), row, n, png->rgba_row);
  remap_row(&png->remap, &png->palette, png->rgba_row, n, p->index_row);
  u32 *mapped = (u32 *)p->out_row;
  for (u32 i = 0; i < n; i++) mapped[i] = png->layout.palette[p->index_row[i]];
  measure_rows(png, mapped);
  if (p->mode == PASS_INDICES) {
    host_row(p->index_row, n, y);
    return;
  }
  pack_indices(&png->layout, p->index_row, n, p->out_row);
  encode_row(&png->encoder, p->out_row);
}

static void near_one(Png *png, const u8 *row) {
  const u32 n = png->source.rows.width;
  if (n != picture_of(png)->width) host_fail(FAIL_MISUSE, "a picture near to parts of another");
  to_rgba8(picture_of(png), row, n, png->rgba_row);
  u32 *shown = (u32 *)png->pass.out_row;
  encode_filtered(&png->encoder, near_row(&png->near, &png->remap.hiding, png->rgba_row, shown));
  measure_rows(png, shown);
}

static void encode_one(Png *png, const u8 *row) {
  u8 *packed = png->pass.out_row;
  pack_row(&png->layout, picture_of(png), &png->analysis, row, png->source.rows.width, packed, png->rgba_row);
  encode_row(&png->encoder, packed);
}

void pass_rows_begin(void *context) {
  Png *png = context;
  if (encodes(&png->pass)) encode_begin_rows(&png->encoder, png->source.rows.width);
}

void pass_row(void *context, const u8 *row, u32 y) {
  Png *png = context;
  const Rows *rows = &png->source.rows;
  switch (png->pass.mode) {
    case PASS_DIGEST: digest_row(png, row, y); break;
    case PASS_ROWS: give_row(png, row, y); break;
    case PASS_ENCODE: encode_one(png, row); break;
    case PASS_ANALYSE: analyse_row(&png->analysis, picture_of(png), rows, row, png->rgba_row); break;
    case PASS_SURVEY:
      analyse_row(&png->analysis, picture_of(png), rows, row, png->rgba_row);
      count_row(png, row, y);
      break;
    case PASS_HISTOGRAM: count_row(png, row, y); break;
    case PASS_REMAP:
    case PASS_INDICES: remap_one(png, row, y); break;
    case PASS_NEAR: near_one(png, row); break;
    default: host_fail(FAIL_MISUSE, "no pass was begun");
  }
}
