#include "scan.h"

#include <string.h>

#include "gif.h"

void scan_begin(Gif *gif) {
  gif->scan.colours = 0;
  gif->scan.least_delay = 65535;
}

static void count_colours(Gif *gif) {
  Scan *s = &gif->scan;
  const u32 frame = gif->decoder.frames_read;
  const int width = gif->canvas.width;
  const Box dirty = gif->canvas.dirty;
  const u16 *numbers = gif->canvas.numbers;
  u16 *before = gif->encoder.shown; /* buffer `shown` is not used otherwise in the scan pass */
  if (frame == 1) {
    memset(s->painted_in, 0, sizeof s->painted_in);
    memset(s->last_frame, 0, sizeof s->last_frame);
    memset(before, 0, (size_t)canvas_pixels(&gif->canvas) * sizeof *before);
  }
  for (int y = dirty.y; y < dirty.y + dirty.h; y++)
    for (u32 i = (u32)y * width + dirty.x, end = i + dirty.w; i < end; i++) {
      const u16 n = numbers[i];
      if (!n) gif->has_clear = true;
      if (n == before[i]) continue;
      before[i] = n;
      if (!n || s->last_frame[n] == frame) continue;
      s->last_frame[n] = frame;
      s->painted_in[n]++;
    }
}

void scan_frame(Gif *gif) {
  const u32 delay = gif->decoder.frame_delay;
  if (delay < gif->scan.least_delay) gif->scan.least_delay = delay;
  count_colours(gif);
}

/* Keeps the 256 colours that the most frames paint, most frequent first. Low indices let many frames use short LZW
 * codes. */
void scan_end(Gif *gif) {
  Scan *s = &gif->scan;
  u16 *order = s->order;
  u32 count = 0;
  for (u32 n = 1; n < COLOURS; n++)
    if (s->painted_in[n]) order[count++] = n;
  s->colours = count > 256 ? 257 : count;
  const u32 keep = count < 256 ? count : 256;
  for (u32 i = 0; i < keep; i++) { /* partial selection sort of at most 256 rounds */
    u32 most = i;
    for (u32 j = i + 1; j < count; j++)
      if (s->painted_in[order[j]] > s->painted_in[order[most]]) most = j;
    const u16 n = order[most];
    memmove(order + i + 1, order + i, (most - i) * sizeof *order); /* stable: equal counts keep their order */
    order[i] = n;
    const u32 c = gif->colours.rgba[n];
    s->rgb[i][0] = c, s->rgb[i][1] = c >> 8, s->rgb[i][2] = c >> 16;
  }
  gif->encoder.common_size = keep;
}

void scan_use_colours(Gif *gif) {
  for (int i = 0; i < gif->encoder.common_size; i++) {
    const u8 *rgb = gif->scan.rgb[i];
    gif->encoder.common[i] = colour_number(&gif->colours, rgb[0] | rgb[1] << 8 | rgb[2] << 16);
  }
}
