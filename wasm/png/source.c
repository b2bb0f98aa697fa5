#include "source.h"

#include "filters.h"

/* Adam7 interlacing (W3C PNG, 8.2). */
#define PASSES 7
static const u8 pass_x0[PASSES] = {0, 4, 0, 2, 0, 1, 0}, pass_y0[PASSES] = {0, 0, 4, 0, 2, 0, 1};
static const u8 pass_dx[PASSES] = {8, 8, 4, 4, 2, 2, 1}, pass_dy[PASSES] = {8, 8, 8, 4, 4, 2, 2};

static void rows_begin(Source *s) { s->taker.rows_begin(s->taker.context); }
static void hand_out(Source *s, const u8 *row, u32 y) { s->taker.row(s->taker.context, row, y); }

/* ---- Adam7 buffered in memory ---- */

static void gather_row(Source *s, const u8 *row) {
  const Rows *rows = &s->rows;
  const u32 y = rows->y0 + s->row_at * rows->dy, bits = s->picture.pixel_bits;
  u8 *line = s->gathered + (size_t)y * s->gathered_stride;
  if (bits >= 8) {
    const u32 bytes = bits >> 3;
    for (u32 i = 0; i < rows->width; i++)
      memcpy(line + (size_t)(rows->x0 + i * rows->dx) * bytes, row + i * bytes, bytes);
    return;
  }
  const u32 mask = (1u << bits) - 1;
  for (u32 i = 0; i < rows->width; i++) {
    u32 from = i * bits, to = (rows->x0 + i * rows->dx) * bits;
    u32 value = row[from >> 3] >> (8 - bits - (from & 7)) & mask;
    line[to >> 3] |= value << (8 - bits - (to & 7));
  }
}

/* Delivers up to `count` buffered rows. Returns the number of rows left. */
static u32 deliver_gathered(Source *s, u32 count) {
  if (!s->delivered) {
    s->rows = (Rows){s->frame_width, s->frame_height, 0, 0, 1, 1, s->gathered_stride};
    rows_begin(s);
  }
  for (; count && s->delivered < s->frame_height; count--, s->delivered++)
    hand_out(s, s->gathered + (size_t)s->delivered * s->gathered_stride, s->delivered);
  return s->frame_height - s->delivered;
}

u32 source_deliver(Source *s, u32 count) {
  const bool ready = s->delivers_later && s->complete && s->picture.interlace == INTERLACE_GATHER;
  return ready ? deliver_gathered(s, count) : 0;
}

/* ---- frames and Adam7 passes ---- */

static void expect_rows(Source *s, Rows rows) {
  s->rows = rows;
  s->row_at = s->row_filled = 0;
  memset(s->above, 0, rows.row_bytes + 1);
}

static void begin_pass(Source *s, int p) {
  for (; p < PASSES; p++) {
    const u32 dx = pass_dx[p], dy = pass_dy[p];
    u32 w = s->frame_width > pass_x0[p] ? (s->frame_width - pass_x0[p] + dx - 1) / dx : 0;
    u32 h = s->frame_height > pass_y0[p] ? (s->frame_height - pass_y0[p] + dy - 1) / dy : 0;
    if (!w || !h) continue; /* empty Adam7 passes have no scanlines (W3C PNG, 8.2) */
    s->pass = p;
    expect_rows(s, (Rows){w, h, pass_x0[p], pass_y0[p], dx, dy, row_bytes_of(w, s->picture.pixel_bits)});
    if (s->picture.interlace == INTERLACE_PASSES) rows_begin(s);
    return;
  }
  s->complete = true;
  if (s->picture.interlace == INTERLACE_GATHER && !s->delivers_later) deliver_gathered(s, s->frame_height);
}

static void row_done(Source *s, const u8 *row) {
  if (s->picture.interlace == INTERLACE_GATHER) gather_row(s, row);
  else hand_out(s, row, s->row_at);
  if (++s->row_at < s->rows.height) return;
  if (s->picture.interlace == INTERLACE_NONE) s->complete = true;
  else begin_pass(s, s->pass + 1);
}

/* InflateTaker callback: collects scanlines from the zlib stream and reverses their filters. */
static void take_scanlines(void *context, const u8 *bytes, u32 count) {
  Source *s = context;
  while (count && !s->complete) {
    const u32 whole = s->rows.row_bytes + 1;
    u32 run = whole - s->row_filled;
    if (run > count) run = count;
    memcpy(s->current + s->row_filled, bytes, run);
    s->row_filled += run;
    bytes += run;
    count -= run;
    if (s->row_filled < whole) return;
    s->row_filled = 0;
    unfilter_row(s->current[0], s->current + 1, s->above + 1, s->rows.row_bytes, s->picture.filter_bytes);
    u8 *done = s->current;
    s->current = s->above;
    s->above = done;
    row_done(s, done + 1);
  }
}

void source_begin_frame(Source *s, u32 width, u32 height) {
  const Picture *p = &s->picture;
  if (!width || !height || width > p->width || height > p->height)
    host_fail(FAIL_DAMAGED, "a frame larger than the picture");
  if (!s->current) {
    size_t room = row_bytes_of(p->width, p->pixel_bits) + 48;
    s->current = (u8 *)allocate_zeroed(room) + 15;
    s->above = (u8 *)allocate_zeroed(room) + 15;
  }
  s->frame_width = width;
  s->frame_height = height;
  s->complete = false;
  s->delivered = 0;
  inflate_begin(&s->inflate, take_scanlines, s);
  const u32 row_bytes = row_bytes_of(width, p->pixel_bits);
  if (p->interlace == INTERLACE_NONE) {
    expect_rows(s, (Rows){width, height, 0, 0, 1, 1, row_bytes});
    rows_begin(s);
    return;
  }
  if (p->interlace == INTERLACE_GATHER) {
    s->gathered_stride = row_bytes;
    free(s->gathered);
    s->gathered = allocate_zeroed((size_t)row_bytes * height);
  }
  begin_pass(s, 0);
}

void source_feed(Source *s, const u8 *bytes, u32 count) { inflate_push(&s->inflate, bytes, count); }
void source_end_stream(Source *s) { inflate_end(&s->inflate); }

void source_take_row(Source *s, const u8 *row) {
  if (s->complete || s->picture.interlace != INTERLACE_NONE) host_fail(FAIL_MISUSE, "more rows than the picture has");
  row_done(s, row);
}
