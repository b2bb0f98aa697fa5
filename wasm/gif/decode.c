#include "decode.h"

#include <stdlib.h>
#include <string.h>

#include "../common/allocate.h"
#include "../common/host.h"
#include "decode_pixels.h"

/* block types and extension labels (GIF89a, appendix A) */
enum { EXTENSION_BLOCK = 0x21, IMAGE_BLOCK = 0x2c, TRAILER = 0x3b };
enum { PLAIN_TEXT = 0x01, GRAPHIC_CONTROL = 0xf9 };
/* Header with logical screen descriptor: 13 bytes. Image descriptor without its separator byte: 9 bytes. */
enum { HEADER_BYTES = 13, DESCRIPTOR_BYTES = 9 };
enum { DISPOSE_BACKGROUND = 2, DISPOSE_PREVIOUS = 3 };

static _Noreturn void damaged(const char *what) { host_fail(FAIL_DAMAGED, what); }

/* ---- start and end of a frame, disposal ---- */

static void clear_box(Canvas *canvas, Box box) {
  const int right = box.x + box.w < canvas->width ? box.x + box.w : canvas->width;
  const int bottom = box.y + box.h < canvas->height ? box.y + box.h : canvas->height;
  for (int y = box.y; y < bottom; y++)
    for (int x = box.x; x < right; x++) canvas->numbers[(size_t)y * canvas->width + x] = CLEAR;
}

static void numbers_from(Colours *colours, const u8 *table, int size, u16 *out) {
  for (int i = 0; i < 256; i++) {
    const u8 *rgb = table + 3 * i;
    out[i] = colour_number(colours, i < size ? rgb[0] | rgb[1] << 8 | rgb[2] << 16 : 0);
  }
}

/* Adds a box to the canvas area that changed since the last reported frame. */
static void touch(Decoder *d, Box box) { d->canvas->dirty = box_around(d->canvas->dirty, box); }

/* Saves the canvas pixels under the frame (`aside`), or restores them. */
static void save_rows(Decoder *d, bool aside) {
  const Box b = d->frame;
  if ((u32)b.w * b.h > d->saved_room) {
    free(d->saved);
    d->saved_room = (u32)b.w * b.h;
    d->saved = allocate_zeroed((size_t)d->saved_room * sizeof *d->saved);
  }
  for (int y = 0; y < b.h; y++) {
    u16 *row = d->canvas->numbers + (size_t)(b.y + y) * d->canvas->width + b.x, *kept = d->saved + (size_t)y * b.w;
    memcpy(aside ? kept : row, aside ? row : kept, b.w * sizeof *row);
  }
}

static void frame_begin(Decoder *d, int code_size) {
  Canvas *canvas = d->canvas;
  if (!d->local_size && !d->global_size) damaged("a frame without colours");
  if (d->local_size) numbers_from(d->colours, d->local_table, d->local_size, d->local_numbers);
  else numbers_from(d->colours, d->global_table, d->global_size, d->global_numbers);
  d->frame_disposal = d->disposal;
  d->frame_delay = d->delay;
  pixels_begin(d, code_size);
  if (d->recoder->mode) {
    const RecodeTables tables = {d->local_table, d->global_table, d->local_size, d->global_size, d->transparent};
    recode_open(d->recoder, code_size, tables);
    return;
  }
  if (d->frame_disposal == DISPOSE_PREVIOUS && !d->is_still) save_rows(d, true);
  if (canvas->keeps_painted) memset(canvas->painted, 0, (canvas_pixels(canvas) + 7) >> 3);
  touch(d, d->frame);
}

/* Fails if pixels of the ambiguous box are still visible. After "restore to background" without transparency, viewers
 * show different colours. Most such files paint these pixels again. */
static void refuse_ambiguous(Decoder *d) {
  const Box b = d->ambiguous_box;
  for (int y = b.y; y < b.y + b.h; y++)
    for (int x = b.x; x < b.x + b.w; x++)
      if (!d->canvas->numbers[(size_t)y * d->canvas->width + x])
        host_fail(FAIL_UNSUPPORTED, "a background that viewers show differently");
  d->ambiguous = false;
}

static void frame_done(Decoder *d) {
  if (d->pixel_at < (u32)d->frame.w * d->frame.h) host_fail(FAIL_TRUNCATED, "a frame with too few pixels");
  if (d->ambiguous) refuse_ambiguous(d);
  if (d->recoder->mode) recode_close(d->recoder);
  else if (!d->frames_read && d->transparent < 0 && d->pixel_at < canvas_pixels(d->canvas))
    /* Viewers show uncovered pixels either as transparent or in the background colour. */
    host_fail(FAIL_UNSUPPORTED, "a first frame that leaves open what viewers show differently");
  d->pixels_read += d->pixel_at;
  d->frames_read++;
  d->frame_transparent = d->transparent >= 0;
  d->frame_read(d->user);
  d->canvas->dirty = (Box){0, 0, 0, 0};
  d->canvas->cleared = false;
}

void decode_dispose(Decoder *d) {
  if (d->recoder->mode || d->is_still) d->frame_disposal = 0;
  if (d->frame_disposal >= DISPOSE_BACKGROUND) touch(d, d->frame);
  if (d->frame_disposal == DISPOSE_BACKGROUND && d->transparent < 0) {
    d->ambiguous = true;
    d->ambiguous_box = d->frame;
  }
  d->canvas->cleared = d->frame_disposal == DISPOSE_BACKGROUND;
  if (d->canvas->cleared) clear_box(d->canvas, d->frame);
  else if (d->frame_disposal == DISPOSE_PREVIOUS) save_rows(d, false);
  d->disposal = d->delay = 0;
  d->transparent = -1;
  d->extension_bytes = 0;
}

void decode_numbers_in_use(const Decoder *d, bool *alive) {
  for (u32 i = 0; i < d->saved_room; i++) alive[d->saved[i]] = true;
  for (int i = 0; i < 256; i++) alive[d->global_numbers[i]] = alive[d->local_numbers[i]] = true;
}

/* ---- blocks of the GIF file ---- */

/* Buffers extension bytes, which are written before the frame. */
static void keep_extension(Decoder *d, const void *bytes, u32 count) {
  if (d->recoder->mode) return; /* the recoder has copied these bytes already */
  if (d->extension_bytes + count > EXTENSION_BYTES_LIMIT)
    host_fail(FAIL_MEMORY, "more than 4 MB of extensions in front of a frame");
  if (d->extension_bytes + count > d->extension_room) {
    d->extension_room = (d->extension_bytes + count) * 2;
    d->extensions = realloc(d->extensions, d->extension_room);
    if (!d->extensions) host_fail(FAIL_MEMORY, "no memory for extensions");
  }
  memcpy(d->extensions + d->extension_bytes, bytes, count);
  d->extension_bytes += count;
}

static u32 little_endian(const u8 *p) { return p[0] | p[1] << 8; }

void decode_begin(Decoder *d) {
  Canvas *canvas = d->canvas;
  d->state = HEADER;
  d->have = d->extension_bytes = d->frames_read = 0;
  d->pixels_read = 0;
  d->closed = d->ambiguous = false;
  d->disposal = d->delay = 0;
  d->transparent = -1;
  canvas->dirty = (Box){0, 0, canvas->width, canvas->height};
  if (canvas->numbers) memset(canvas->numbers, 0, (size_t)canvas_pixels(canvas) * sizeof *canvas->numbers);
}

/* Parses header and logical screen descriptor (GIF89a 17 and 18). */
static void read_header(Decoder *d) {
  const u8 *part = d->part;
  if (memcmp(part, "GIF87a", 6) && memcmp(part, "GIF89a", 6)) damaged("no GIF signature");
  d->canvas->width = little_endian(part + 6);
  d->canvas->height = little_endian(part + 8);
  if (!d->canvas->width || !d->canvas->height) damaged("a canvas without pixels");
  d->aspect = part[12];
  d->global_size = part[10] & 128 ? 2 << (part[10] & 7) : 0;
  d->background = d->global_size ? part[11] : -1;
}

/* Parses an image descriptor (GIF89a 20). */
static void read_descriptor(Decoder *d) {
  const u8 *part = d->part;
  d->frame = (Box){little_endian(part), little_endian(part + 2), little_endian(part + 4), little_endian(part + 6)};
  d->is_interlaced = part[8] >> 6 & 1;
  d->local_size = part[8] & 128 ? 2 << (part[8] & 7) : 0;
  if (!d->frame.w || !d->frame.h) damaged("a frame without pixels");
  if (d->frame.x + d->frame.w > d->canvas->width || d->frame.y + d->frame.h > d->canvas->height)
    /* frames beyond the canvas are shown differently by viewers */
    host_fail(FAIL_UNSUPPORTED, "a frame that reaches over its canvas");
}

/* Parses a graphic control extension (GIF89a 23). */
static void read_control(Decoder *d) {
  d->disposal = d->control[0] >> 2 & 7;
  if (d->disposal > DISPOSE_PREVIOUS) d->disposal = 0;
  d->delay = little_endian(d->control + 1);
  d->transparent = d->control[0] & 1 ? d->control[3] : -1;
}

/* Passes a byte outside image data to the recoder. Bytes that the recoder may change have functions of their own
 * (GIF89a 18 to 21, 23). */
static void recode_head(Decoder *d, u8 c) {
  Recoder *r = d->recoder;
  const DecodeState state = d->state;
  if (state == BLOCK && (c == EXTENSION_BLOCK || c == IMAGE_BLOCK)) recode_block(r);
  if (state == LABEL) recode_label(r, c, d->global_table, d->global_size);
  if (state == BLOCK_DATA && d->label == GRAPHIC_CONTROL && d->have == 3 && d->control[0] & 1) recode_clear_index(r, c);
  else if (state == HEADER && (d->have == 10 || d->have == 11)) recode_screen(r, c, d->have == 11);
  else if (state == GLOBAL_TABLE) recode_global_table(r, c, d->have, d->global_size, d->background);
  else if (state == DESCRIPTOR && d->have == 8) recode_descriptor_flags(r, c);
  else if (state == LOCAL_TABLE) recode_local_table(r, c, d->have, 3u * d->local_size);
  else if (r->mode != RECODE_DIGEST || state != BLOCK || c != TRAILER) recode_byte(r, c);
}

static void take_block(Decoder *d, u8 c) {
  if (c == TRAILER) {
    d->state = ENDED;
    d->closed = true;
  } else if (c == EXTENSION_BLOCK) {
    d->state = LABEL;
  } else if (c == IMAGE_BLOCK) {
    d->state = DESCRIPTOR;
    d->have = 0;
  } else if (c != 0) { /* extra block terminators are common and ignored; any other byte is damage */
    damaged("a block of unknown kind");
  }
}

static void take_label(Decoder *d, u8 c) {
  d->label = c;
  if (c == PLAIN_TEXT && !d->recoder->mode) host_fail(FAIL_UNSUPPORTED, "a plain text extension");
  if (c != GRAPHIC_CONTROL) {
    const u8 start[2] = {EXTENSION_BLOCK, c};
    keep_extension(d, start, 2);
  }
  d->have = 0;
  d->state = BLOCK_LENGTH;
}

static void take_block_length(Decoder *d, u8 c) {
  if (d->label != GRAPHIC_CONTROL) keep_extension(d, &c, 1);
  d->left = c;
  if (!c && d->label == GRAPHIC_CONTROL && d->have >= 4) read_control(d);
  d->state = c ? BLOCK_DATA : BLOCK;
}

static void take_block_data(Decoder *d, u8 c) {
  if (d->label == GRAPHIC_CONTROL) {
    if (d->have < sizeof d->control) d->control[d->have] = c;
    d->have++;
  } else {
    keep_extension(d, &c, 1);
  }
  if (!--d->left) d->state = BLOCK_LENGTH;
}

static void take_code_size(Decoder *d, u8 c) {
  if (c < 1 || c > 11) damaged("an LZW code size out of range");
  frame_begin(d, c);
  d->state = DATA_LENGTH;
}

/* Handles a sub-block length byte of image data. Returns true if the frame is complete. */
static bool take_data_length(Decoder *d, u8 c) {
  d->left = c;
  if (d->recoder->mode) recode_data(d->recoder, &c, 1);
  d->state = c ? DATA : BLOCK;
  if (!c) frame_done(d);
  return !c;
}

/* Appends a byte to the header or descriptor. Returns true if it is complete. */
static bool take_part(Decoder *d, u8 c, u32 bytes) {
  d->part[d->have++] = c;
  if (d->have < bytes) return false;
  if (d->state == HEADER) read_header(d);
  else read_descriptor(d);
  d->have = 0;
  return true;
}

/* Parses a byte outside image data. Returns true if the host must act: check the size before memory is allocated, or
 * process a frame. */
static bool take_byte(Decoder *d, u8 c) {
  switch (d->state) {
    case HEADER:
      if (!take_part(d, c, HEADER_BYTES)) return false;
      d->state = d->global_size ? GLOBAL_TABLE : BLOCK;
      return true;
    case GLOBAL_TABLE:
      d->global_table[d->have++] = c;
      if (d->have == 3u * d->global_size) d->state = BLOCK;
      return false;
    case BLOCK: take_block(d, c); return false;
    case LABEL: take_label(d, c); return false;
    case BLOCK_LENGTH: take_block_length(d, c); return false;
    case BLOCK_DATA: take_block_data(d, c); return false;
    case DESCRIPTOR:
      if (take_part(d, c, DESCRIPTOR_BYTES)) d->state = d->local_size ? LOCAL_TABLE : CODE_SIZE;
      return false;
    case LOCAL_TABLE:
      d->local_table[d->have++] = c;
      if (d->have == 3u * d->local_size) d->state = CODE_SIZE;
      return false;
    case CODE_SIZE: take_code_size(d, c); return false;
    case DATA_LENGTH: return take_data_length(d, c);
    default: return false;
  }
}

u32 decode(Decoder *d, const u8 *bytes, u32 count) {
  u32 i = 0;
  while (i < count && d->state != ENDED) {
    if (d->state == DATA) {
      const u32 run = count - i < d->left ? count - i : d->left;
      if (d->recoder->mode) recode_data(d->recoder, bytes + i, run);
      pixels_take(d, bytes + i, run);
      i += run;
      d->left -= run;
      if (!d->left) d->state = DATA_LENGTH;
      continue;
    }
    const u8 c = bytes[i++];
    if (d->recoder->mode && d->state < CODE_SIZE) recode_head(d, c);
    if (take_byte(d, c)) return i;
  }
  return d->state == ENDED ? count : i;
}

void decode_end(Decoder *d) {
  if (!d->frames_read) host_fail(FAIL_TRUNCATED, "no frame");
  if (d->recoder->mode) recode_end(d->recoder, d->closed);
  if (!d->closed && d->state != BLOCK && d->state != ENDED) host_fail(FAIL_TRUNCATED, "the file ends inside a block");
}
