#include "target_frame.h"

#include <stdlib.h>
#include <string.h>

#include "../common/allocate.h"
#include "../common/host.h"
#include "gif.h"

enum { DISPOSE_NONE = 1, DISPOSE_BACKGROUND = 2, DISPOSE_PREVIOUS = 3 }; /* disposal methods (GIF89a 23.c.iv) */

void target_begin(Gif *gif) {
  TargetFrame *frame = &gif->encoder.frame;
  const Canvas *canvas = &gif->canvas;
  if (frame->numbers) return;
  const u32 pixels = canvas_pixels(canvas);
  const bool is_still = gif->decoder.is_still;
  frame->numbers = is_still ? canvas->numbers : allocate_zeroed((size_t)pixels * sizeof *frame->numbers);
  frame->painted = is_still ? canvas->painted : allocate_zeroed(PAINTED_BYTES(pixels));
}

static void take_extensions(TargetFrame *frame, const Decoder *d) {
  if (d->extension_bytes > frame->extension_room) {
    frame->extension_room = d->extension_bytes;
    frame->extensions = realloc(frame->extensions, frame->extension_room);
    if (!frame->extensions) host_fail(FAIL_MEMORY, "no memory for extensions");
  }
  if (d->extension_bytes) memcpy(frame->extensions, d->extensions, d->extension_bytes);
  frame->extension_bytes = d->extension_bytes;
}

void target_take(Gif *gif) {
  TargetFrame *frame = &gif->encoder.frame;
  const Canvas *canvas = &gif->canvas;
  const Decoder *d = &gif->decoder;
  const Box dirty = canvas->dirty;
  frame->changes = false;
  for (int y = dirty.y; y < dirty.y + dirty.h && !d->is_still; y++) {
    const size_t from = (size_t)y * canvas->width + dirty.x;
    const bool same = same_numbers(frame->numbers + from, canvas->numbers + from, dirty.w);
    frame->changes = frame->changes || !same;
    memcpy(frame->numbers + from, canvas->numbers + from, dirty.w * sizeof *frame->numbers);
  }
  memset(gif->changes.row_differs + dirty.y, 1, dirty.h);
  frame->dirty = box_around(frame->dirty, dirty);
  if (!d->is_still) memcpy(frame->painted, canvas->painted, (canvas_pixels(canvas) + 7) >> 3);
  frame->delay = d->frame_delay;
  frame->transparent = d->frame_transparent;
  take_extensions(frame, d);
}

/* Merges repeated frames, because lossy coding of a repetition could show a change that the source does not have.
 * Frames with delays below 20 ms are not merged, because viewers lengthen those, nor are frames separated by
 * extensions. */
bool target_merge(Gif *gif) {
  TargetFrame *frame = &gif->encoder.frame;
  const Canvas *canvas = &gif->canvas;
  const Decoder *d = &gif->decoder;
  const Box dirty = canvas->dirty;
  if (gif->scan.least_delay < MERGED_DELAY_LEAST || d->extension_bytes) return false;
  if (frame->delay + d->frame_delay > 65535) return false;
  for (int y = dirty.y; y < dirty.y + dirty.h; y++) {
    const size_t from = (size_t)y * canvas->width + dirty.x;
    if (!same_numbers(frame->numbers + from, canvas->numbers + from, dirty.w)) return false;
  }
  frame->delay += d->frame_delay;
  return true;
}

/* Compares the disposals: keep the frame, restore the canvas before it, or clear it. Only clearing makes pixels
 * transparent again. */
int target_disposal(const Gif *gif) {
  const Canvas *canvas = &gif->canvas;
  const u16 *target = gif->encoder.frame.numbers, *shown = gif->encoder.shown, *next = canvas->numbers;
  const int width = canvas->width;
  const Box dirty = canvas->dirty;
  u32 keep = 0, restore = 0; /* pixels to paint in the next frame */
  bool keep_possible = true, restore_possible = true;
  for (int y = 0; y < canvas->height; y++) {
    const bool new = y >= dirty.y &&y < dirty.y + dirty.h;
    if (!new && !gif->changes.row_differs[y]) continue;
    for (u32 i = (u32)y * width, end = i + width; i < end; i++) {
      keep += target[i] != next[i];
      restore += shown[i] != next[i];
      if (next[i]) continue;
      if (target[i]) keep_possible = false;
      if (shown[i]) restore_possible = false;
    }
  }
  const bool restore_better = restore + restore / RESTORE_GAIN_SHARE + RESTORE_GAIN_PIXELS < keep;
  if (restore_possible && (!keep_possible || restore_better)) return DISPOSE_PREVIOUS;
  return keep_possible ? DISPOSE_NONE : DISPOSE_BACKGROUND;
}
