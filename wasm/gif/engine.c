/* Functions that the host (gif.ts) calls, and passes over a GIF. */
#include <stdlib.h>
#include <string.h>

#include "../common/allocate.h"
#include "../common/host.h"
#include "frame_write.h"
#include "gif.h"
#include "row_hash.h"
#include "target_frame.h"

/* Pass modes. Modes above MODE_RECODE are MODE_RECODE plus the recoder's mode. */
enum { MODE_SCAN = 1, MODE_ENCODE = 2, MODE_VIEW = 3, MODE_RECODE = 3 };

/* State of the current pass over the file. */
typedef struct {
  int mode;
  bool waits;     /* MODE_ENCODE: a target frame is not written yet */
  bool delivered; /* the host has processed the frame that was decoded last */
  /* MODE_VIEW: hashes of the canvas and its rows, and the area that may differ from the canvas before. */
  u64 frame_digest, *row_digests;
  Box changed;
  /* MODE_VIEW: comparison with the canvas of another engine instance. */
  u32 *compared_row;
  Box compared_part;
  Quality compared;
} Pass;

/* A WebAssembly instance does one job, so that global state is safe. */
static Gif gif;
static Pass pass;

EXPORT(alloc) u8 *host_alloc(u32 bytes) { return allocate_zeroed(bytes); }
/* Returns the structure into which the host writes the quality floors of every frame. */
EXPORT(floors) QualityFloors *host_floors(void) { return &gif.encoder.floors; }

/* ---- callbacks for colour numbers and decoded frames ---- */

static void colours_in_use(void *user, bool *alive) {
  const Gif *g = user;
  const u16 *canvases[3] = {g->canvas.numbers, g->encoder.shown, g->encoder.frame.numbers};
  for (int c = 0; c < 3; c++)
    if (canvases[c])
      for (u32 i = 0; i < canvas_pixels(&g->canvas); i++) alive[canvases[c][i]] = true;
  for (int i = 0; i < g->encoder.common_size; i++) alive[g->encoder.common[i]] = true;
  decode_numbers_in_use(&g->decoder, alive);
}

static u64 row_digest(const Gif *g, int y) {
  const u16 *numbers = g->canvas.numbers;
  const u32 *rgba = g->colours.rgba;
  u64 sum = 0;
  u32 i = (u32)y * g->canvas.width, end = i + g->canvas.width;
  for (; i + 1 < end; i += 2) sum += hash_pair(rgba[numbers[i]], rgba[numbers[i + 1]], i);
  if (i < end) sum += hash_single(rgba[numbers[i]], i);
  return hash_in_row(sum, y);
}

static bool has_clear_within(const Canvas *canvas, Box box) {
  for (int y = box.y; y < box.y + box.h; y++)
    for (u32 i = (u32)y * canvas->width + box.x, end = i + box.w; i < end; i++)
      if (!canvas->numbers[i]) return true;
  return false;
}

static void encode_frame(Gif *g, Pass *p) {
  if (p->waits) {
    if (target_merge(g)) return;
    g->encoder.frame.disposal = target_disposal(g);
    g->encoder.frame.next = g->canvas.numbers;
    frame_write(g);
  }
  target_take(g);
  p->waits = true;
}

static void view_frame(Gif *g, Pass *p) {
  const Canvas *canvas = &g->canvas;
  const Box dirty = canvas->dirty;
  p->changed = dirty;
  if (g->decoder.frames_read == 1 || canvas->cleared) g->has_clear = g->has_clear || has_clear_within(canvas, dirty);
  if (!p->row_digests) p->row_digests = allocate_zeroed(canvas->height * sizeof *p->row_digests);
  for (int y = dirty.y; y < dirty.y + dirty.h; y++) p->row_digests[y] = row_digest(g, y);
  p->frame_digest = 0;
  for (int y = 0; y < canvas->height; y++) p->frame_digest += p->row_digests[y];
}

static void frame_read(void *user) {
  Gif *g = user;
  pass.delivered = false;
  if (pass.mode == MODE_SCAN) scan_frame(g);
  if (pass.mode == MODE_ENCODE) encode_frame(g, &pass);
  if (pass.mode == MODE_VIEW) view_frame(g, &pass);
}

/* ---- passes over the file ---- */

static void connect(Gif *g) {
  if (g->decoder.user) return;
  colours_begin(&g->colours, colours_in_use, g);
  g->decoder.canvas = &g->canvas;
  g->decoder.colours = &g->colours;
  g->decoder.recoder = &g->recoder;
  g->decoder.frame_read = frame_read;
  g->decoder.user = g;
  g->recoder.output = g->writer.output = &g->output;
  g->recoder.encoders = g->encoders;
  g->recoder.writer = &g->writer;
}

EXPORT(begin) void begin(int mode, bool exact, bool mute, bool hurry) {
  connect(&gif);
  pass.mode = mode;
  pass.waits = false;
  gif.encoder.hurried = hurry;
  gif.output.muted = mute;
  gif.canvas.keeps_painted = mode == MODE_ENCODE;
  recode_begin(&gif.recoder, mode > MODE_RECODE ? mode - MODE_RECODE : RECODE_OFF);
  decode_begin(&gif.decoder);
  if (mode != MODE_ENCODE) gif.has_clear = false;
  if (mode == MODE_SCAN) scan_begin(&gif);
  if (mode != MODE_ENCODE) return;
  target_begin(&gif);
  if (!gif.encoder.shown) host_fail(FAIL_MISUSE, "no scan before the encode");
  scan_use_colours(&gif);
  frames_begin(&gif, exact, gif.has_clear);
}

/* Allocates canvases. Called after the host has accepted the canvas size. */
EXPORT(make_canvas) void make_canvas(void) {
  Canvas *canvas = &gif.canvas;
  const u32 pixels = canvas_pixels(canvas);
  if (!canvas->numbers) canvas->numbers = allocate_zeroed((size_t)pixels * sizeof *canvas->numbers);
  if (!canvas->painted) canvas->painted = allocate_zeroed(PAINTED_BYTES(pixels));
  canvas->dirty = (Box){0, 0, canvas->width, canvas->height};
  if (pass.mode == MODE_SCAN && !gif.encoder.shown)
    gif.encoder.shown = allocate_zeroed((size_t)pixels * sizeof *gif.encoder.shown);
}

/* Decodes bytes up to the end of a frame and returns how many. Fact 2 (frame count) grows when a frame is complete; the
 * host can read its canvas until the next call. */
EXPORT(push) u32 push(const u8 *bytes, u32 count) {
  if (!pass.delivered && gif.decoder.frames_read) {
    decode_dispose(&gif.decoder);
    pass.delivered = true;
  }
  return decode(&gif.decoder, bytes, count);
}

/* Ends the pass. Returns the number of bytes written. */
EXPORT(finish) double finish(void) {
  decode_end(&gif.decoder);
  if (pass.mode == MODE_SCAN) {
    scan_end(&gif);
    gif.decoder.is_still = gif.decoder.frames_read == 1;
  }
  if (pass.mode == MODE_ENCODE) {
    if (pass.waits) {
      gif.encoder.frame.disposal = 1; /* disposal 1: the last frame stays visible */
      gif.encoder.frame.next = NULL;
      frame_write(&gif);
    }
    if (!pass.delivered) decode_dispose(&gif.decoder);
    frames_end(&gif);
  }
  return (double)gif.output.bytes;
}

/* ---- values that the host can query ---- */

/* Returns a value by number. 0 width, 1 height, 2 frames, 3 colours (257: more than 256), 4 has transparent pixels, 5
 * delay of the last frame, 6 shortest delay, 7 bytes written so far. 8 to 11: x, y, width and height of the area where
 * the last frame may differ from the one before. 12 pixels of all frames so far, 13 pixels of the largest frame that is
 * removed by its disposal. */
EXPORT(fact) double fact(int what) {
  switch (what) {
    case 0: return gif.canvas.width;
    case 1: return gif.canvas.height;
    case 2: return gif.decoder.frames_read;
    case 3: return gif.scan.colours;
    case 4: return gif.has_clear;
    case 5: return gif.decoder.frame_delay;
    case 6: return gif.scan.least_delay;
    case 7: return (double)gif.output.bytes;
    case 8: return pass.changed.x;
    case 9: return pass.changed.y;
    case 10: return pass.changed.w;
    case 11: return pass.changed.h;
    case 12: return (double)gif.decoder.pixels_read;
    case 13: return gif.decoder.saved_room;
    default: return 0;
  }
}

/* Returns the hash of the canvas, or in recode modes the hash of the frames without their LZW coding. */
EXPORT(digest) u64 digest(void) { return gif.recoder.mode ? recode_digest(&gif.recoder) : pass.frame_digest; }

/* Copies part of a canvas row as RGBA to `out`. */
EXPORT(row) void row(u32 y, u32 x, u32 count, u32 *out) {
  const Canvas *canvas = &gif.canvas;
  if (y >= (u32)canvas->height || x > (u32)canvas->width || count > canvas->width - x)
    host_fail(FAIL_MISUSE, "no such row");
  const u16 *numbers = canvas->numbers + (size_t)y * canvas->width + x;
  for (u32 i = 0; i < count; i++) out[i] = gif.colours.rgba[numbers[i]];
}

/* Returns a quality value by number. Worst of the written frames: 0 SSIM, 1 luma MSE, 2 RGB MSE, 6 SSIMULACRA 2.1, 7
 * SSIMULACRA 2.1 of the worst tile. Last compared canvases: 3 SSIM, 4 luma MSE, 5 RGB MSE. */
EXPORT(quality) double quality(int what) {
  const FrameQuality *worst = &gif.quality;
  const Quality *compared = &pass.compared;
  const double figures[] = {worst->worst_ssim,        worst->worst_luma_mse,        worst->worst_rgb_mse,
                            compared->ssim,           compared->luma_mse,           compared->rgb_mse,
                            worst->worst_score.score, worst->worst_score.worst_tile};
  return figures[what];
}

/* ---- comparison with the canvas of another engine instance ---- */

EXPORT(compare_begin) void compare_begin(bool alpha) {
  similarity_begin(&gif.similarity, gif.canvas.width, gif.canvas.height, alpha);
  if (!pass.compared_row) pass.compared_row = allocate_zeroed((size_t)gif.canvas.width * sizeof *pass.compared_row);
}
/* Enables transparent pixels in the comparison from now on. */
EXPORT(compare_alpha) void compare_alpha(void) { similarity_add_alpha(&gif.similarity); }
/* Starts comparing the area that has changed in either canvas. */
EXPORT(compare_part) void compare_part(int x, int y, int w, int h) {
  pass.compared_part = similarity_open(&gif.similarity, (Box){x, y, w, h}, 1);
}
/* Returns the area whose rows the host must pass to compare_row: 0 x, 1 y, 2 width, 3 height. */
EXPORT(compared) int compared(int what) { return ((const int *)&pass.compared_part)[what]; }
EXPORT(compare_row) void compare_row(u32 y, const u32 *other) {
  row(y, pass.compared_part.x, pass.compared_part.w, pass.compared_row);
  similarity_row(&gif.similarity, other, pass.compared_row);
}
EXPORT(compare_end) void compare_end(void) {
  pass.compared = similarity_close(&gif.similarity);
  similarity_keep(&gif.similarity);
}
