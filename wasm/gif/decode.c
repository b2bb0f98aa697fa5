/* GIF89a, read byte by byte: blocks, colour tables, LZW, disposal. */
#include "engine.h"

#include <wasm_simd128.h>

int canvas_width, canvas_height, frame_delay, global_size, background = -1;
u16 *canvas;
u32 frames_read;
u64 pixels_read;
bool canvas_cleared;
u8 global_table[768], aspect;
u8 *painted;
Box dirty;
u8 *extensions;
u32 extension_bytes;

#define MOST_EXTENSION_BYTES (4u << 20)

enum { HEADER, GLOBAL_TABLE, BLOCK, LABEL, BLOCK_LENGTH, BLOCK_DATA, DESCRIPTOR, LOCAL_TABLE, CODE_SIZE, DATA_LENGTH, DATA, ENDED };
static int state;
static u32 have;              /* bytes of the part that is being read */
static u8 part[16];
static u32 left;              /* of a sub-block */
static int label;
static u8 control[8];         /* the sub-block of a graphic control extension, GIF89a 23 */
static u32 extension_room;
static u16 global_numbers[256], local_numbers[256];
static u8 local_table[768];
static int local_size;
static bool closed;           /* the trailer was read */

static Box frame;
static bool interlaced;
static int disposal, delay, transparent;     /* of the control extension in front of the next frame */
static u16 *saved;            /* what was where a frame is that says "restore to previous" */
static u32 saved_room;
static int frame_disposal;
static Box ambiguous_box;
static bool ambiguous;        /* something was cleared, and not to transparency by all viewers */
bool frame_transparent;

static _Noreturn void damaged(const char *what) { host_fail(FAIL_DAMAGED, what); }

/* ---- LZW, GIF89a appendix F ---- */

/* A phrase is the last one to eight pixels of it, and the code of those before them, whose number is a multiple of eight. */
static u64 tail[4096];
static u16 before_tail[4096];
static u16 length[4096];      /* of the phrase of a code */
static u8 first_pixel[4096];
static int code_size, clear_code, next_code, code_bits, old_code;
static u32 bit_buffer, bit_count;
static bool data_ended;
static u32 pixel_at;          /* pixels of the frame so far */
static int line, pass_step, pass_start;
static u8 pending[65535 + 4096 + 8]; /* indices that do not fill a row yet, and a phrase */
static u32 pending_count;
static const u16 *numbers;
bool painting;                /* painted[] is wanted */

static void pixels_begin(void) {
  clear_code = 1 << code_size;
  next_code = clear_code + 2;
  code_bits = code_size + 1;
  old_code = -1;
  bit_buffer = bit_count = 0;
  data_ended = false;
  pixel_at = 0;
  pending_count = 0;
  pass_start = 0;
  pass_step = interlaced ? 8 : 1;
  line = 0;
  for (int i = 0; i < clear_code && i < 4096; i++) tail[i] = first_pixel[i] = i, length[i] = 1;
  numbers = local_size ? local_numbers : global_numbers;
}

/* GIF89a appendix E: rows 0 8 16 …, 4 12 …, 2 6 …, 1 3 … */
static void next_line(void) {
  line += pass_step;
  while (interlaced && line >= frame.h && pass_step > 1) {
    if (pass_start == 0) {
      pass_start = 4;
    } else {
      pass_step >>= 1;
      pass_start = pass_step >> 1;
    }
    line = pass_start;
  }
}

static void put_row(const u8 *row) {
  if (by_frame) {
    by_frame_row(row, frame.w);
    return;
  }
  const size_t from = (size_t)(frame.y + line) * canvas_width + frame.x;
  u16 *out = canvas + from;
  const v128_t clear = wasm_i8x16_splat(transparent);
  int x = 0;
  for (; x + 16 <= frame.w; x += 16) {
    const u32 paints = transparent < 0 ? 65535 : wasm_i8x16_bitmask(wasm_i8x16_ne(wasm_v128_load(row + x), clear));
    if (!paints) continue;
    if (paints == 65535)
      for (int k = x; k < x + 16; k++) out[k] = numbers[row[k]];
    else
      for (u32 left = paints; left; left &= left - 1) out[x + __builtin_ctz(left)] = numbers[row[x + __builtin_ctz(left)]];
    if (painting) {
      u8 *at = painted + ((from + x) >> 3);
      const u32 bits = paints << ((from + x) & 7);
      at[0] |= bits, at[1] |= bits >> 8, at[2] |= bits >> 16;
    }
  }
  for (; x < frame.w; x++) {
    if (row[x] == transparent) continue;
    out[x] = numbers[row[x]];
    if (painting) painted[(from + x) >> 3] |= 1 << ((from + x) & 7);
  }
  next_line();
}

/* The longer phrase that `pixel` makes of a code's. */
static void phrase_add(int longer, int code, u8 pixel) {
  const u32 n = length[code], shift = (n & 7) * 8;
  length[longer] = n + 1;
  first_pixel[longer] = first_pixel[code];
  tail[longer] = shift ? tail[code] | (u64)pixel << shift : pixel;
  before_tail[longer] = shift ? before_tail[code] : code;
}

/* Pixels of a phrase, from its last eight to its first. */
static void put_phrase(int code) {
  const u32 total = (u32)frame.w * frame.h;
  u32 count = length[code], at = count;
  u8 *to = pending + pending_count;
  if (at & 7) {
    at &= ~7u;
    memcpy(to + at, &tail[code], 8); /* some of it past the end */
    code = before_tail[code];
  }
  for (; at; code = before_tail[code]) memcpy(to + (at -= 8), &tail[code], 8);
  if (count > total - pixel_at) count = total - pixel_at;
  pixel_at += count;
  pending_count += count;
  u32 from = 0;
  for (; pending_count - from >= (u32)frame.w; from += frame.w) put_row(pending + from);
  if (from) memmove(pending, pending + from, pending_count -= from);
}

static void take_code(int code) {
  if (code == clear_code) {
    next_code = clear_code + 2;
    code_bits = code_size + 1;
    old_code = -1;
    return;
  }
  const u32 total = (u32)frame.w * frame.h;
  if (code == clear_code + 1) {
    data_ended = true;
    return;
  }
  if (pixel_at >= total) return; /* more than was announced: viewers ignore it */
  if (old_code < 0) {
    if (code >= clear_code) damaged("an LZW code before its table");
    put_phrase(code);
    old_code = code;
    return;
  }
  if (code > next_code) damaged("an LZW code that does not exist yet");
  if (next_code < 4096) {
    phrase_add(next_code, old_code, first_pixel[code == next_code ? old_code : code]); /* the new one ends with its own first */
    if (++next_code == 1 << code_bits && code_bits < 12) code_bits++;
  }
  put_phrase(code);
  old_code = code;
}

static void take_data(const u8 *bytes, u32 count) {
  for (u32 i = 0; i < count && !data_ended; i++) {
    bit_buffer |= (u32)bytes[i] << bit_count;
    bit_count += 8;
    while (bit_count >= (u32)code_bits && !data_ended) {
      int code = bit_buffer & ((1 << code_bits) - 1);
      bit_buffer >>= code_bits;
      bit_count -= code_bits;
      take_code(code);
    }
  }
}

/* ---- frames ---- */

static void clear_box(void) {
  const int right = frame.x + frame.w < canvas_width ? frame.x + frame.w : canvas_width;
  const int bottom = frame.y + frame.h < canvas_height ? frame.y + frame.h : canvas_height;
  for (int y = frame.y; y < bottom; y++)
    for (int x = frame.x; x < right; x++) canvas[(size_t)y * canvas_width + x] = CLEAR;
}

static void numbers_from(const u8 *table, int size, u16 *out) {
  for (int i = 0; i < 256; i++) out[i] = i < size ? number_of(table[3 * i] | table[3 * i + 1] << 8 | table[3 * i + 2] << 16) : number_of(0);
}

/* Pixels that may have changed since frame_read was last called. */
static void touch(Box box) { dirty = box_around(dirty, box); }

/* The part of the canvas that the frame covers, there or back. */
static void saved_rows(bool there) {
  const Box b = frame;
  if ((u32)b.w * b.h > saved_room) {
    free(saved);
    saved = allocate_zeroed((size_t)(saved_room = (u32)b.w * b.h) * sizeof *saved);
  }
  for (int y = 0; y < b.h; y++) {
    u16 *row = canvas + (size_t)(b.y + y) * canvas_width + b.x, *kept = saved + (size_t)y * b.w;
    memcpy(there ? kept : row, there ? row : kept, b.w * sizeof *row);
  }
}

static void frame_begin(void) {
  if (!local_size && !global_size) damaged("a frame without colours");
  if (local_size) numbers_from(local_table, local_size, local_numbers);
  else numbers_from(global_table, global_size, global_numbers);
  frame_disposal = disposal;
  frame_delay = delay;
  pixels_begin();
  if (by_frame) return;
  if (frame_disposal == 3 && !still) saved_rows(true);
  if (painting) memset(painted, 0, ((size_t)canvas_width * canvas_height + 7) >> 3);
  touch(frame);
}

/* Viewers do not agree what "restore to background" leaves behind a frame without transparency. Most files that say so paint
 * everything again. */
static void refuse_ambiguous(void) {
  const Box b = ambiguous_box;
  for (int y = b.y; y < b.y + b.h; y++)
    for (int x = b.x; x < b.x + b.w; x++)
      if (!canvas[(size_t)y * canvas_width + x]) host_fail(FAIL_UNSUPPORTED, "a background that viewers show differently");
  ambiguous = false;
}

static void frame_done(void) {
  if (pixel_at < (u32)frame.w * frame.h) host_fail(FAIL_TRUNCATED, "a frame with too few pixels");
  if (ambiguous) refuse_ambiguous();
  if (by_frame) by_frame_close();
  else if (!frames_read && transparent < 0 && pixel_at < (u32)canvas_width * canvas_height)
    host_fail(FAIL_UNSUPPORTED, "a first frame that leaves open what viewers show differently"); /* nothing, or a colour */
  pixels_read += pixel_at;
  frames_read++;
  frame_transparent = transparent >= 0;
  frame_read();
  dirty = (Box){0, 0, 0, 0};
  canvas_cleared = false;
}

/* After the frame was shown (GIF89a 23.c.iv). */
static void dispose(void) {
  if (by_frame || still) frame_disposal = 0;
  if (frame_disposal >= 2) touch(frame);
  if (frame_disposal == 2 && transparent < 0) {
    ambiguous = true;
    ambiguous_box = frame;
  }
  canvas_cleared = frame_disposal == 2;
  if (canvas_cleared) clear_box();
  else if (frame_disposal == 3) saved_rows(false);
  disposal = delay = 0;
  transparent = -1;
  extension_bytes = 0;
}

u32 saved_pixels(void) { return saved_room; }
void numbers_alive(bool *alive) {
  for (u32 i = 0; i < saved_room; i++) alive[saved[i]] = true;
  for (int i = 0; i < 256; i++) alive[global_numbers[i]] = alive[local_numbers[i]] = true;
}

/* ---- blocks ---- */

static void keep(const void *bytes, u32 count) {
  if (by_frame) return; /* copied already */
  if (extension_bytes + count > MOST_EXTENSION_BYTES) host_fail(FAIL_MEMORY, "more than 4 MB of extensions in front of a frame");
  if (extension_bytes + count > extension_room) {
    extension_room = (extension_bytes + count) * 2;
    if (!(extensions = realloc(extensions, extension_room))) host_fail(FAIL_MEMORY, "no memory for extensions");
  }
  memcpy(extensions + extension_bytes, bytes, count);
  extension_bytes += count;
}

static u32 little(const u8 *p) { return p[0] | p[1] << 8; }

static void read_header(void) {
  if (memcmp(part, "GIF87a", 6) && memcmp(part, "GIF89a", 6)) damaged("no GIF signature");
  canvas_width = little(part + 6);
  canvas_height = little(part + 8);
  if (!canvas_width || !canvas_height) damaged("a canvas without pixels");
  aspect = part[12];
  global_size = part[10] & 128 ? 2 << (part[10] & 7) : 0;
  background = global_size ? part[11] : -1;
}

void decode_begin(void) {
  state = HEADER;
  have = extension_bytes = frames_read = 0;
  pixels_read = 0;
  closed = ambiguous = false;
  disposal = delay = 0;
  transparent = -1;
  dirty = (Box){0, 0, canvas_width, canvas_height};
  if (canvas) memset(canvas, 0, (size_t)canvas_width * canvas_height * sizeof *canvas);
}

static void read_descriptor(void) { /* GIF89a 20 */
  frame = (Box){little(part), little(part + 2), little(part + 4), little(part + 6)};
  interlaced = part[8] >> 6 & 1;
  local_size = part[8] & 128 ? 2 << (part[8] & 7) : 0;
  if (!frame.w || !frame.h) damaged("a frame without pixels");
  if (frame.x + frame.w > canvas_width || frame.y + frame.h > canvas_height)
    host_fail(FAIL_UNSUPPORTED, "a frame that reaches over its canvas"); /* viewers do not agree what that shows */
}

static void control_done(void) {
  disposal = control[0] >> 2 & 7;
  if (disposal > 3) disposal = 0;
  delay = little(control + 1);
  transparent = control[0] & 1 ? control[3] : -1;
}

/* A byte outside of image data. Those that change where tables get smaller are named (GIF89a 18 to 21, 23). */
static void by_frame_head(u8 c) {
  if (state == BLOCK && (c == 0x21 || c == 0x2c)) by_frame_block();
  if (state == LABEL) by_frame_label(c, global_table, global_size);
  if (state == BLOCK_DATA && label == 0xf9 && have == 3 && control[0] & 1) by_frame_clear_index(c);
  else if (state == HEADER && (have == 10 || have == 11)) by_frame_screen(c, have == 11);
  else if (state == GLOBAL_TABLE) by_frame_global(c, have, global_size, background);
  else if (state == DESCRIPTOR && have == 8) by_frame_packed(c);
  else if (state == LOCAL_TABLE) by_frame_table(c, have, 3u * local_size);
  else if (by_frame != BY_FRAME_LOOK || state != BLOCK || c != 0x3b) by_frame_byte(c);
}

/* Takes bytes until a frame is complete or they end; returns how many it took. */
u32 decode(const u8 *bytes, u32 count) {
  u32 i = 0;
  while (i < count && state != ENDED) {
    const u8 c = bytes[i++];
    if (by_frame && state < CODE_SIZE) by_frame_head(c);
    switch (state) {
      case HEADER:
        part[have++] = c;
        if (have < 13) break;
        read_header();
        have = 0;
        state = global_size ? GLOBAL_TABLE : BLOCK;
        return i; /* the host looks at the size before anything is allocated */
      case GLOBAL_TABLE:
        global_table[have++] = c;
        if (have == 3u * global_size) state = BLOCK;
        break;
      case BLOCK:
        if (c == 0x3b) {
          state = ENDED;
          closed = true;
        } else if (c == 0x21) {
          state = LABEL;
        } else if (c == 0x2c) {
          state = DESCRIPTOR;
          have = 0;
        } else if (c != 0) { /* stray terminators are common, anything else is damage */
          damaged("a block of unknown kind");
        }
        break;
      case LABEL:
        label = c;
        if (label == 0x01 && !by_frame) host_fail(FAIL_UNSUPPORTED, "a plain text extension");
        if (label != 0xf9) {
          const u8 start[2] = {0x21, c};
          keep(start, 2);
        }
        have = 0;
        state = BLOCK_LENGTH;
        break;
      case BLOCK_LENGTH:
        if (label != 0xf9) keep(&c, 1);
        left = c;
        if (!c && label == 0xf9 && have >= 4) control_done();
        state = c ? BLOCK_DATA : BLOCK;
        break;
      case BLOCK_DATA:
        if (label == 0xf9) {
          if (have < sizeof control) control[have] = c;
          have++;
        } else {
          keep(&c, 1);
        }
        if (!--left) state = BLOCK_LENGTH;
        break;
      case DESCRIPTOR:
        part[have++] = c;
        if (have < 9) break;
        read_descriptor();
        have = 0;
        state = local_size ? LOCAL_TABLE : CODE_SIZE;
        break;
      case LOCAL_TABLE:
        local_table[have++] = c;
        if (have == 3u * local_size) state = CODE_SIZE;
        break;
      case CODE_SIZE:
        code_size = c;
        if (c < 1 || c > 11) damaged("an LZW code size out of range");
        frame_begin();
        if (by_frame) by_frame_open(c, (Tables){local_table, global_table, local_size, global_size, transparent});
        state = DATA_LENGTH;
        break;
      case DATA_LENGTH:
        left = c;
        if (by_frame) by_frame_data(&c, 1);
        state = DATA;
        if (c) break;
        state = BLOCK;
        frame_done();
        return i;
      case DATA: {
        i--;
        u32 run = count - i < left ? count - i : left;
        if (by_frame) by_frame_data(bytes + i, run);
        take_data(bytes + i, run);
        i += run;
        left -= run;
        if (!left) state = DATA_LENGTH;
        break;
      }
    }
  }
  return state == ENDED ? count : i;
}

void decode_dispose(void) { dispose(); }

/* The file ended; was it whole? A missing trailer alone is common and harmless. */
void decode_end(void) {
  if (!frames_read) host_fail(FAIL_TRUNCATED, "no frame");
  if (by_frame) by_frame_end(closed);
  if (!closed && state != BLOCK && state != ENDED) host_fail(FAIL_TRUNCATED, "the file ends inside a block");
}
