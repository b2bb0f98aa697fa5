/* Passes over a GIF, one frame behind: a frame is written when the next one is known, because that decides its disposal. */
#include "engine.h"

#include <wasm_simd128.h>

enum { SCAN = 1, ENCODE = 2, LOOK = 3, BY_FRAME = 3 /* and above: less that, as in recode.c */ };

void decode_begin(void);
void decode_end(void);
void decode_dispose(void);
u32 decode(const u8 *bytes, u32 count);
u32 saved_pixels(void);
void numbers_alive(bool *alive);

static int mode;
static bool waiting;          /* `wanted` holds a frame */
u8 *wanted_extensions;
u32 wanted_extension_bytes;
static u32 extension_room;
u16 common[256];
int common_size;
static u64 frame_digest, *row_digests;
static bool delivered;        /* the host was told about the frame that was read last */
bool still;                   /* SCAN saw a single frame */
bool any_clear;               /* in any frame that SCAN or LOOK saw */
static u8 scan_rgb[256][3];
static int scan_size;         /* colours of all frames, 257 for "more than 256" */
static u32 least_delay;
static Quality compared;
static Box looked;

EXPORT(alloc) u8 *host_alloc(u32 bytes) { return allocate_zeroed(bytes); }

Box box_around(Box a, Box b) {
  if (!a.h) return b;
  if (!b.h) return a;
  const int right = a.x + a.w > b.x + b.w ? a.x + a.w : b.x + b.w, bottom = a.y + a.h > b.y + b.h ? a.y + a.h : b.y + b.h;
  a.x = a.x < b.x ? a.x : b.x;
  a.y = a.y < b.y ? a.y : b.y;
  a.w = right - a.x;
  a.h = bottom - a.y;
  return a;
}

bool same_numbers(const u16 *a, const u16 *b, u32 count) {
  u32 i = 0;
  for (; i + 8 <= count; i += 8)
    if (wasm_v128_any_true(wasm_v128_xor(wasm_v128_load(a + i), wasm_v128_load(b + i)))) return false;
  for (; i < count; i++)
    if (a[i] != b[i]) return false;
  return true;
}

static u32 pixels(void) { return (u32)canvas_width * canvas_height; }

void colours_recycle(bool *alive) {
  u16 *all[3] = {canvas, shown, wanted};
  for (int c = 0; c < 3; c++)
    if (all[c])
      for (u32 i = 0; i < pixels(); i++) alive[all[c][i]] = true;
  for (int i = 0; i < common_size; i++) alive[common[i]] = true;
  numbers_alive(alive);
}

EXPORT(set_target) void set_target(double ssim, double psnr, double rgb_psnr, double block_psnr, double block_rgb_psnr, double cast, double smooth, double most, double score, double worst_tile) {
  target = (Target){ssim, psnr, block_psnr, block_rgb_psnr, rgb_psnr, cast, smooth, most, score, worst_tile};
}

EXPORT(begin) void begin(int wanted_mode, bool exact, bool mute, bool hurry) {
  hurried = hurry;
  mode = wanted_mode;
  muted = mute;
  waiting = false;
  painting = mode == ENCODE;
  by_frame_begin(mode > BY_FRAME ? mode - BY_FRAME : 0);
  decode_begin();
  if (mode != ENCODE) any_clear = false;
  if (mode == SCAN) {
    scan_size = 0;
    least_delay = 65535;
  }
  if (mode == ENCODE) {
    if (!wanted) { /* the only frame waits where it was read */
      wanted = still ? canvas : allocate_zeroed((size_t)pixels() * sizeof *wanted);
      wanted_painted = still ? painted : allocate_zeroed(((pixels() + 7) >> 3) + 2);
    }
    if (!shown) host_fail(FAIL_MISUSE, "no scan before the encode");
    for (int i = 0; i < common_size; i++) common[i] = number_of(scan_rgb[i][0] | scan_rgb[i][1] << 8 | scan_rgb[i][2] << 16);
    frames_begin(exact);
  }
}

/* Canvases are made once the host has accepted the size (after the first bytes). */
EXPORT(make_canvas) void make_canvas(void) {
  if (!canvas) canvas = allocate_zeroed((size_t)pixels() * sizeof *canvas);
  if (!painted) painted = allocate_zeroed(((pixels() + 7) >> 3) + 2);
  dirty = (Box){0, 0, canvas_width, canvas_height};
  if (mode == SCAN && !shown) shown = allocate_zeroed((size_t)pixels() * sizeof *shown);
}

/* Counts in how many frames each colour is painted over another one. */
static u32 painted_in[65536];

static void scan_colours(void) {
  static u32 last_frame[65536];
  if (frames_read == 1) {
    memset(painted_in, 0, sizeof painted_in);
    memset(last_frame, 0, sizeof last_frame);
    memset(shown, 0, (size_t)pixels() * sizeof *shown);
  }
  for (int y = dirty.y; y < dirty.y + dirty.h; y++)
    for (u32 i = (u32)y * canvas_width + dirty.x, end = i + dirty.w; i < end; i++) {
      const u16 n = canvas[i];
      if (!n) any_clear = true;
      if (n == shown[i]) continue;
      shown[i] = n;
      if (!n || last_frame[n] == frames_read) continue;
      last_frame[n] = frames_read;
      painted_in[n]++;
    }
}

/* The 256 colours that most frames paint, those of most frames first: then many frames need short codes only. */
static void scan_end(void) {
  static u16 order[65536];
  u32 count = 0;
  for (u32 n = 1; n < 65536; n++)
    if (painted_in[n]) order[count++] = n;
  scan_size = count > 256 ? 257 : count;
  const u32 keep = count < 256 ? count : 256;
  for (u32 i = 0; i < keep; i++) { /* a partial selection sort: few enough rounds */
    u32 most = i;
    for (u32 j = i + 1; j < count; j++)
      if (painted_in[order[j]] > painted_in[order[most]]) most = j;
    const u16 n = order[most];
    memmove(order + i + 1, order + i, (most - i) * sizeof *order); /* equals stay in order of arrival */
    order[i] = n;
    const u32 c = colour_of[n];
    scan_rgb[i][0] = c, scan_rgb[i][1] = c >> 8, scan_rgb[i][2] = c >> 16;
  }
  common_size = keep;
}

/* How the frame that waits should go, so that the frame that was read is cheapest to paint over it. */
static int choose_disposal(void) {
  u32 keep = 0, restore = 0;
  bool keep_possible = true, restore_possible = true;
  for (int y = 0; y < canvas_height; y++) {
    const bool new = y >= dirty.y && y < dirty.y + dirty.h;
    if (!new && !row_differs[y]) continue;
    for (u32 i = (u32)y * canvas_width, end = i + canvas_width; i < end; i++) {
      const u16 next = canvas[i];
      keep += wanted[i] != next;
      restore += shown[i] != next;
      if (!next) {
        if (wanted[i]) keep_possible = false;
        if (shown[i]) restore_possible = false;
      }
    }
  }
  if (restore_possible && (!keep_possible || restore + restore / 8 + 16 < keep)) return 3;
  return keep_possible ? 1 : 2;
}

static void take_waiting(void) {
  wanted_changes = false;
  for (int y = dirty.y; y < dirty.y + dirty.h && !still; y++) {
    const size_t from = (size_t)y * canvas_width + dirty.x;
    wanted_changes = wanted_changes || !same_numbers(wanted + from, canvas + from, dirty.w);
    memcpy(wanted + from, canvas + from, dirty.w * sizeof *wanted);
  }
  memset(row_differs + dirty.y, 1, dirty.h);
  wanted_dirty = box_around(wanted_dirty, dirty);
  if (!still) memcpy(wanted_painted, painted, (pixels() + 7) >> 3);
  wanted_delay = frame_delay;
  wanted_transparent = frame_transparent;
  if (extension_bytes > extension_room) {
    extension_room = extension_bytes;
    if (!(wanted_extensions = realloc(wanted_extensions, extension_room))) host_fail(FAIL_MEMORY, "no memory for extensions");
  }
  if (extension_bytes) memcpy(wanted_extensions, extensions, extension_bytes);
  wanted_extension_bytes = extension_bytes;
  waiting = true;
}

/* A frame that repeats the frame before it only makes that one longer. Coded as a frame of its own, tolerance could let it show a
 * change that the upload has not. Not where delays are below 20 ms, because viewers stretch those, and not across extensions. */
static bool merge_possible(void) {
  if (least_delay < 2 || extension_bytes || wanted_delay + frame_delay > 65535) return false;
  for (int y = dirty.y; y < dirty.y + dirty.h; y++) {
    const size_t from = (size_t)y * canvas_width + dirty.x;
    if (!same_numbers(wanted + from, canvas + from, dirty.w)) return false;
  }
  wanted_delay += frame_delay;
  return true;
}

/* Hash of a row in its place: sums of products of neighbours, each with a key of its position (NH, Black et al. 1999). */
static u64 row_digest(int y) {
  u64 sum = 0;
  u32 i = (u32)y * canvas_width, end = i + canvas_width;
  for (; i + 1 < end; i += 2)
    sum += (u64)(colour_of[canvas[i]] + i * 0x9E3779B1u) * (colour_of[canvas[i + 1]] + (i + 1) * 0x85EBCA77u);
  if (i < end) sum += (u64)(colour_of[canvas[i]] + i * 0x9E3779B1u) * 0x85EBCA77u;
  return sum * (2 * (u64)y + 1);
}

static bool clear_within(Box box) {
  for (int y = box.y; y < box.y + box.h; y++)
    for (u32 i = (u32)y * canvas_width + box.x, end = i + box.w; i < end; i++)
      if (!canvas[i]) return true;
  return false;
}

void frame_read(void) {
  delivered = false;
  if ((u32)frame_delay < least_delay) least_delay = frame_delay;
  if (mode == SCAN) scan_colours();
  if (mode == ENCODE) {
    if (waiting && merge_possible()) return;
    if (waiting) frame_write(choose_disposal(), canvas);
    take_waiting();
  }
  if (mode == LOOK) {
    looked = dirty;
    if (frames_read == 1 || canvas_cleared) any_clear = any_clear || clear_within(dirty);
    if (!row_digests) row_digests = allocate_zeroed(canvas_height * sizeof *row_digests);
    for (int y = dirty.y; y < dirty.y + dirty.h; y++) row_digests[y] = row_digest(y);
    frame_digest = 0;
    for (int y = 0; y < canvas_height; y++) frame_digest += row_digests[y];
  }
}

/* Takes bytes up to the end of a frame; returns how many. `frames` grows when one was completed; its canvas can then be
 * looked at until the next call. */
EXPORT(push) u32 push(const u8 *bytes, u32 count) {
  if (!delivered && frames_read) {
    decode_dispose();
    delivered = true;
  }
  return decode(bytes, count);
}

/* The end of the file. */
EXPORT(finish) double finish(void) {
  decode_end();
  if (mode == SCAN) {
    scan_end();
    still = frames_read == 1;
  }
  if (mode == ENCODE) {
    if (waiting) frame_write(1, NULL);
    /* Extensions behind the last frame. */
    if (!delivered) decode_dispose();
    if (extension_bytes) emit(extensions, extension_bytes);
    const u8 trailer = 0x3b;
    emit(&trailer, 1);
  }
  return (double)written_bytes;
}

/* 0 width, 1 height, 2 frames, 3 colours (257: more), 4 any transparency, 5 delay of the last frame, 6 least delay, 7 bytes
 * written so far; and where the frame that was read last may differ from the one before: 8 x, 9 y, 10 width, 11 height; 12 pixels of
 * all frames so far; 13 of the largest frame that is taken away again. */
EXPORT(fact) double fact(int what) {
  switch (what) {
    case 0: return canvas_width;
    case 1: return canvas_height;
    case 2: return frames_read;
    case 3: return scan_size;
    case 4: return any_clear;
    case 5: return frame_delay;
    case 6: return least_delay;
    case 7: return (double)written_bytes;
    case 8: return looked.x;
    case 9: return looked.y;
    case 10: return looked.w;
    case 11: return looked.h;
    case 12: return (double)pixels_read;
    case 13: return saved_pixels();
    default: return 0;
  }
}
EXPORT(digest) u64 digest(void) { return by_frame ? by_frame_digest() : frame_digest; }
/* Part of a row of the canvas as RGBA. */
EXPORT(row) void row(u32 y, u32 x, u32 count, u32 *out) {
  if (y >= (u32)canvas_height || x > (u32)canvas_width || count > canvas_width - x) host_fail(FAIL_MISUSE, "no such row");
  const u16 *line = canvas + (size_t)y * canvas_width + x;
  for (u32 i = 0; i < count; i++) out[i] = colour_of[line[i]];
}
/* Of the frames written: 0 worst SSIM, 1 worst luma MSE, 2 worst RGB MSE. Of what was compared last: 3, 4, 5 the same. 6 worst SSIMULACRA 2.1
 * of the frames written, 7 that of their worst tile. */
EXPORT(quality) double quality(int what) {
  const double figures[] = {worst_ssim, worst_luma_mse, worst_rgb_mse, compared.ssim, compared.luma_mse, compared.rgb_mse,
                            worst_seen.score, worst_seen.worst_tile};
  return figures[what];
}

/* ---- the canvas beside another engine's, while looking ---- */

static u32 *compared_row;
static Box compared_part;

EXPORT(compare_begin) void compare_begin(bool alpha) {
  similarity_begin(alpha);
  if (!compared_row) compared_row = allocate_zeroed((size_t)canvas_width * sizeof *compared_row);
}
/* Something is transparent from now on. */
EXPORT(compare_alpha) void compare_alpha(void) { similarity_alpha(); }
/* The part that has changed in either, and what to give of it: 0 x, 1 y, 2 width, 3 height. */
EXPORT(compare_part) void compare_part(int x, int y, int w, int h) { compared_part = similarity_open((Box){x, y, w, h}, 1); }
EXPORT(compared) int compared_fact(int what) { return ((const int *)&compared_part)[what]; }
EXPORT(compare_row) void compare_row(u32 y, const u32 *other) {
  row(y, compared_part.x, compared_part.w, compared_row);
  similarity_row(other, compared_row);
}
EXPORT(compare_end) void compare_end(void) {
  compared = similarity_close();
  similarity_keep();
}
