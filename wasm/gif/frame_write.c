#include "frame_write.h"

#include <string.h>

#include "gif.h"

enum { DISPOSE_BACKGROUND = 2, DISPOSE_PREVIOUS = 3 }; /* disposal methods (GIF89a 23.c.iv) */

void frames_begin(Gif *gif, bool exact, bool has_clear) {
  Encoder *e = &gif->encoder;
  e->lossy = !exact;
  e->frames_written = 0;
  e->frame.dirty = (Box){0, 0, 0, 0};
  gif->output.bytes = 0;
  memset(e->shown, 0, (size_t)canvas_pixels(&gif->canvas) * sizeof *e->shown);
  quality_begin(gif, has_clear);
  colour_tables_begin(gif);
  changes_begin(gif);
  codings_begin(gif);
  search_begin(gif);
}

/* ---- blocks of the output file ---- */

static void write_table(Gif *gif, const u16 *numbers, int size, int bits) {
  u8 rgb[768] = {0};
  for (int i = 0; i < size; i++) {
    const u32 c = gif->colours.rgba[numbers[i]];
    rgb[3 * i] = c, rgb[3 * i + 1] = c >> 8, rgb[3 * i + 2] = c >> 16;
  }
  output_write(&gif->output, rgb, 3u << bits);
}

/* Returns the index of the source's background colour in the global table of the output; 0 if it is missing. */
static int background_index(const Gif *gif) {
  const Decoder *d = &gif->decoder;
  const Encoder *e = &gif->encoder;
  if (d->background < 0) return 0;
  const u8 *rgb = d->global_table + 3 * d->background;
  for (int i = 0; i < e->common_size; i++)
    if ((gif->colours.rgba[e->common[i]] & 0xffffff) == (u32)(rgb[0] | rgb[1] << 8 | rgb[2] << 16)) return i;
  return 0;
}

/* Writes header, logical screen descriptor and global colour table (GIF89a 17, 18, 19). */
static void write_header(Gif *gif) {
  const int width = gif->canvas.width, height = gif->canvas.height, size = gif->encoder.common_size;
  const int bits = size ? table_bits_for(size) : 0;
  const u8 flags = size ? 0x80 | 0x70 | (bits - 1) : 0x70;
  const u8 background = size ? background_index(gif) : 0;
  const u8 head[13] = {
      'G', 'I', 'F', '8', '9', 'a', width, width >> 8, height, height >> 8, flags, background, gif->decoder.aspect};
  output_write(&gif->output, head, sizeof head);
  if (size) write_table(gif, gif->encoder.common, size, bits);
}

/* True if the frame has or needs a transparent index. Without one, some viewers clear to the background colour. */
static bool is_transparent(const Gif *gif, const Plan *plan) {
  if (plan->table.clear_index < 0) return false;
  if (gif->encoder.frame.disposal == DISPOSE_BACKGROUND) return true;
  const u8 *symbols = gif->prepared.symbols;
  for (u32 k = 0; k < (u32)plan->box.w * plan->box.h; k++)
    if (symbols[k] == plan->table.clear_index) return true;
  return false;
}

/* Writes graphic control extension, image descriptor, local table and image data (GIF89a 23, 20, 21, 22). */
static void write_image(Gif *gif, const Plan *plan) {
  const TargetFrame *frame = &gif->encoder.frame;
  const ColourTable *t = &plan->table;
  const Box b = plan->box;
  const bool transparent = is_transparent(gif, plan);
  const u8 control[8] = {0x21,
                         0xf9,
                         4,
                         frame->disposal << 2 | transparent,
                         frame->delay,
                         frame->delay >> 8,
                         transparent ? t->clear_index : 0,
                         0};
  output_write(&gif->output, control, sizeof control);
  const u8 flags = t->local ? 0x80 | (t->bits - 1) : 0;
  const u8 descriptor[10] = {0x2c, b.x, b.x >> 8, b.y, b.y >> 8, b.w, b.w >> 8, b.h, b.h >> 8, flags};
  output_write(&gif->output, descriptor, sizeof descriptor);
  if (t->local) write_table(gif, t->number, t->size, t->bits);
  const u8 code_size = table_code_size(t);
  output_write(&gif->output, &code_size, 1);
  if (plan->tolerance > 0) lossy_write(&gif->lossy_lzw, &gif->output);
  else symbols_write(gif, plan, search_style(gif, plan));
}

/* Updates `shown` to what the output shows after the frame's disposal (GIF89a 23.c.iv). */
static void show(Gif *gif, const Plan *plan) {
  const Box b = plan->box;
  const int disposal = gif->encoder.frame.disposal;
  const u8 *symbols = gif->prepared.symbols;
  u16 *shown = gif->encoder.shown;
  if (disposal == DISPOSE_PREVIOUS) return;
  if (disposal == DISPOSE_BACKGROUND) memset(gif->changes.row_differs + b.y, 1, b.h);
  u32 k = 0;
  for (int y = b.y; y < b.y + b.h; y++)
    for (int x = b.x; x < b.x + b.w; x++, k++) {
      const u32 i = (u32)y * gif->canvas.width + x;
      if (disposal == DISPOSE_BACKGROUND) shown[i] = CLEAR;
      else if (symbols[k] != plan->table.clear_index) shown[i] = plan->table.number[symbols[k]];
    }
}

/* ---- writing one frame ---- */

static bool is_good(Gif *gif, const Plan *plan, Quality q) {
  return holds_floors(gif, q) && points_left(gif, plan) >= 0 && !loses_its_change(gif, plan);
}

void frame_write(Gif *gif) {
  Encoder *e = &gif->encoder;
  TargetFrame *frame = &e->frame;
  if (!e->frames_written) write_header(gif);
  Plan plan = search_frame(gif);
  if (frame->extension_bytes) output_write(&gif->output, frame->extensions, frame->extension_bytes);
  Quality quality = {1, 0, 0, 0, 0};
  if (e->lossy) quality = measure_frame(gif, &plan, 1);
  /* repeat because trials measure only part of the frame */
  while (plan.tolerance > 0 && !is_good(gif, &plan, quality)) {
    if (!search_gentler(gif, &plan)) break;
    quality = measure_frame(gif, &plan, 1);
  }
  quality_keep(gif, &plan, quality);
  frame->dirty = frame->disposal > 1 ? plan.box : (Box){0, 0, 0, 0}; /* area that the frame's disposal removes */
  write_image(gif, &plan);
  e->frames_written++;
  show(gif, &plan);
}

void frames_end(Gif *gif) {
  const Decoder *d = &gif->decoder;
  if (d->extension_bytes) output_write(&gif->output, d->extensions, d->extension_bytes);
  const u8 trailer = 0x3b;
  output_write(&gif->output, &trailer, 1);
}
