/* The picture that comes in: scanlines unfiltered, Adam7 passes, rows handed to the pass that runs (engine.c). */
#include "engine.h"

#include <wasm_simd128.h>

Source source;
Rows rows;

void row_arrived(const u8 *row, u32 y); /* engine.c: a row of the delivered rows, `y` counts within them */
void rows_begin(void);                  /* engine.c: `rows` changed */

/* W3C PNG, 8.2: Adam7 */
static const u8 pass_x0[7] = {0, 4, 0, 2, 0, 1, 0}, pass_y0[7] = {0, 0, 4, 0, 2, 0, 1};
static const u8 pass_dx[7] = {8, 8, 4, 4, 2, 2, 1}, pass_dy[7] = {8, 8, 8, 4, 4, 2, 2};

static u8 *current, *above; /* filter byte, then the row; 16 bytes of room on both sides */
static u32 have, row_at;    /* bytes of the row, rows of the pass */
static int pass;
static bool complete;
static u32 frame_width, frame_height;
static u8 *gathered; /* the whole picture, for INTERLACE_GATHER */
static u32 gathered_stride;
static bool delivers_later; /* as the host asks for its rows */
static u32 delivered;       /* of them */

u32 row_bytes_of(u32 width, int bits) { return (u32)(((u64)width * bits + 7) >> 3); }

/* ---- Adam7 gathered in memory ---- */

static void gather_row(const u8 *row) {
  const u32 y = rows.y0 + row_at * rows.dy, bits = source.pixel_bits;
  u8 *line = gathered + (size_t)y * gathered_stride;
  if (bits >= 8) {
    const u32 bytes = bits >> 3;
    for (u32 i = 0; i < rows.width; i++) memcpy(line + (size_t)(rows.x0 + i * rows.dx) * bytes, row + i * bytes, bytes);
    return;
  }
  const u32 mask = (1u << bits) - 1;
  for (u32 i = 0; i < rows.width; i++) {
    u32 from = i * bits, to = (rows.x0 + i * rows.dx) * bits;
    u32 value = row[from >> 3] >> (8 - bits - (from & 7)) & mask;
    line[to >> 3] |= value << (8 - bits - (to & 7));
  }
}

/* Up to `count` more; returns how many are left. */
static u32 deliver_gathered(u32 count) {
  if (!delivered) {
    rows = (Rows){frame_width, frame_height, 0, 0, 1, 1, gathered_stride};
    rows_begin();
  }
  for (; count && delivered < frame_height; count--, delivered++) row_arrived(gathered + (size_t)delivered * gathered_stride, delivered);
  return frame_height - delivered;
}

/* Who copies rows would copy the whole picture otherwise, which comes at once when its last pass ends. */
EXPORT(deliver_later) void deliver_later(void) { delivers_later = true; }

EXPORT(deliver) u32 deliver(u32 count) {
  return delivers_later && complete && source.interlace == INTERLACE_GATHER ? deliver_gathered(count) : 0;
}

/* ---- frames and passes ---- */

static void begin_pass(int p) {
  for (; p < 7; p++) {
    u32 w = frame_width > pass_x0[p] ? (frame_width - pass_x0[p] + pass_dx[p] - 1) / pass_dx[p] : 0;
    u32 h = frame_height > pass_y0[p] ? (frame_height - pass_y0[p] + pass_dy[p] - 1) / pass_dy[p] : 0;
    if (!w || !h) continue; /* W3C PNG, 8.2: empty passes have no scanlines */
    pass = p;
    rows = (Rows){w, h, pass_x0[p], pass_y0[p], pass_dx[p], pass_dy[p], row_bytes_of(w, source.pixel_bits)};
    row_at = have = 0;
    memset(above, 0, rows.row_bytes + 1);
    if (source.interlace == INTERLACE_PASSES) rows_begin();
    return;
  }
  complete = true;
  if (source.interlace == INTERLACE_GATHER && !delivers_later) deliver_gathered(frame_height);
}

void source_frame(u32 width, u32 height) {
  if (!width || !height || width > source.width || height > source.height) host_fail(FAIL_DAMAGED, "a frame larger than the picture");
  if (!current) {
    size_t room = row_bytes_of(source.width, source.pixel_bits) + 48;
    current = (u8 *)zeroed(room) + 15;
    above = (u8 *)zeroed(room) + 15;
  }
  frame_width = width;
  frame_height = height;
  complete = false;
  delivered = 0;
  inflate_begin();
  if (source.interlace == INTERLACE_NONE) {
    rows = (Rows){width, height, 0, 0, 1, 1, row_bytes_of(width, source.pixel_bits)};
    row_at = have = 0;
    memset(above, 0, rows.row_bytes + 1);
    rows_begin();
    return;
  }
  if (source.interlace == INTERLACE_GATHER) {
    gathered_stride = row_bytes_of(width, source.pixel_bits);
    free(gathered);
    gathered = zeroed((size_t)gathered_stride * height);
  }
  begin_pass(0);
}

bool source_complete(void) { return complete; }

static void row_done(const u8 *row) {
  if (source.interlace == INTERLACE_GATHER) gather_row(row);
  else row_arrived(row, row_at);
  if (++row_at < rows.height) return;
  if (source.interlace == INTERLACE_NONE) complete = true;
  else begin_pass(pass + 1);
}

/* Plain rows from the host, without filters. */
void source_row(const u8 *row) {
  if (complete || source.interlace != INTERLACE_NONE) host_fail(FAIL_MISUSE, "more rows than the picture has");
  row_done(row);
}

/* ---- W3C PNG, 9.2: filters ---- */

u8 paeth(int left, int up, int corner) {
  int to_up = up - corner, to_left = left - corner, to_corner = to_up + to_left;
  int pa = to_up < 0 ? -to_up : to_up, pb = to_left < 0 ? -to_left : to_left, pc = to_corner < 0 ? -to_corner : to_corner;
  return pa <= pb && pa <= pc ? left : pb <= pc ? up : corner;
}

/* Filters 1, 3 and 4 of pixels of three or four bytes, a pixel at a time. */
static inline __attribute__((always_inline)) void unfilter_pixels(int filter, u8 *row, const u8 *up, u32 n, const u32 step) {
  v128_t left = wasm_i16x8_splat(0), corner = left;
  for (u32 i = 0; i + step <= n; i += step) { /* there is room behind the row */
    const v128_t raw = wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(row + i)),
                 over = wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(up + i));
    v128_t predicted = left;
    if (filter == 3) predicted = wasm_u16x8_shr(wasm_i16x8_add(left, over), 1);
    if (filter == 4) {
      const v128_t to_up = wasm_i16x8_sub(over, corner), to_left = wasm_i16x8_sub(left, corner);
      const v128_t a = wasm_i16x8_abs(to_up), b = wasm_i16x8_abs(to_left), c = wasm_i16x8_abs(wasm_i16x8_add(to_up, to_left));
      const v128_t not_left = wasm_v128_or(wasm_i16x8_gt(a, b), wasm_i16x8_gt(a, c));
      predicted = wasm_v128_bitselect(wasm_v128_bitselect(corner, over, wasm_i16x8_gt(b, c)), left, not_left);
    }
    left = wasm_v128_and(wasm_i16x8_add(raw, predicted), wasm_i16x8_splat(255));
    corner = over;
    const u32 pixel = wasm_u32x4_extract_lane(wasm_u8x16_narrow_i16x8(left, left), 0);
    memcpy(row + i, &pixel, step);
  }
}

static void unfilter(int filter, u8 *restrict row, const u8 *restrict up, u32 n, u32 step) {
  u32 i;
  const u32 head = step < n ? step : n;
  if ((step == 3 || step == 4) && n % step == 0) {
    switch (filter << 3 | step) {
      case 1 << 3 | 3: unfilter_pixels(1, row, up, n, 3); return;
      case 1 << 3 | 4: unfilter_pixels(1, row, up, n, 4); return;
      case 3 << 3 | 3: unfilter_pixels(3, row, up, n, 3); return;
      case 3 << 3 | 4: unfilter_pixels(3, row, up, n, 4); return;
      case 4 << 3 | 3: unfilter_pixels(4, row, up, n, 3); return;
      case 4 << 3 | 4: unfilter_pixels(4, row, up, n, 4); return;
    }
  }
  switch (filter) {
    case 0: break;
    case 1:
      for (i = step; i < n; i++) row[i] += row[i - step];
      break;
    case 2:
      for (i = 0; i < n; i++) row[i] += up[i];
      break;
    case 3:
      for (i = 0; i < head; i++) row[i] += up[i] >> 1;
      for (; i < n; i++) row[i] += (row[i - step] + up[i]) >> 1;
      break;
    case 4:
      for (i = 0; i < head; i++) row[i] += up[i];
      for (; i < n; i++) row[i] += paeth(row[i - step], up[i], up[i - step]);
      break;
    default: host_fail(FAIL_DAMAGED, "a row with an unknown filter");
  }
}

void source_bytes(const u8 *bytes, u32 count) {
  while (count && !complete) {
    const u32 whole = rows.row_bytes + 1;
    u32 run = whole - have;
    if (run > count) run = count;
    memcpy(current + have, bytes, run);
    have += run;
    bytes += run;
    count -= run;
    if (have < whole) return;
    have = 0;
    unfilter(current[0], current + 1, above + 1, rows.row_bytes, source.filter_bytes);
    u8 *done = current;
    current = above;
    above = done;
    row_done(done + 1);
  }
}
