/* Frames as they are, better coded: nothing but rows of indices goes through, so that the size of the canvas does not matter.
 * A first pass finds for each frame how its codes should be made, a second one writes. Everything but the codes is copied. */
#include "plan.h"

int by_frame;

enum { KEPT = 255 }; /* in place of a style: the codes of the source are smaller */
typedef struct { u8 style, code_size; } Choice;
static Choice *choices;
static u32 choices_room;

static u8 raw[4096]; /* bytes to be copied */
static u32 raw_bytes;
static u64 head_hash, row_sum;
static u32 rows_seen, alive, source_bytes; /* of the frame; alive: a bit for each style that may still win */
static int source_code_size, highest;
static bool parted;

static void raw_flush(void) {
  if (raw_bytes) emit(raw, raw_bytes);
  raw_bytes = 0;
}

static void copy(u8 byte) {
  raw[raw_bytes++] = byte;
  if (raw_bytes == sizeof raw) raw_flush();
}

void by_frame_begin(int how) {
  by_frame = how;
  raw_bytes = 0;
  head_hash = 0xcbf29ce484222325u;
  written_bytes = 0;
}

/* A byte outside of image data. FNV-1a: Fowler, Noll, Vo. */
void by_frame_byte(u8 byte) {
  if (by_frame == BY_FRAME_WRITE) copy(byte);
  if (by_frame == BY_FRAME_LOOK) head_hash = (head_hash ^ byte) * 0x100000001b3u;
}

static bool keeps(void) { return choices[frames_read].style == KEPT; }

void by_frame_open(int code_size) {
  rows_seen = 0;
  row_sum = 0;
  source_code_size = code_size;
  source_bytes = 0;
  highest = 0;
  if (by_frame == BY_FRAME_COUNT) {
    if (frames_read >= choices_room) {
      choices_room = choices_room * 2 + 64;
      if (!(choices = realloc(choices, choices_room * sizeof *choices))) host_fail(FAIL_MEMORY, "too many frames");
    }
    alive = 1;
    parted = false;
    lzw_begin(&coders[0], code_size > 8 ? 8 : code_size < 2 ? 2 : code_size, styles[0], false);
  }
  if (by_frame == BY_FRAME_WRITE) {
    copy(keeps() ? code_size : choices[frames_read].code_size);
    raw_flush();
    if (!keeps()) lzw_begin(&coders[0], choices[frames_read].code_size, styles[choices[frames_read].style], true);
  }
}

/* Image data as it came, sub-block lengths included. */
void by_frame_data(const u8 *bytes, u32 count) {
  source_bytes += count;
  if (by_frame == BY_FRAME_WRITE && keeps())
    for (u32 i = 0; i < count; i++) copy(bytes[i]);
}

static void count_row(const u8 *row, u32 width) {
  u64 least = UINT64_MAX;
  for (u32 x = 0; x < width; x++)
    if (row[x] > highest) highest = row[x];
  for (int s = 0; s < STYLES; s++) {
    if (!(alive >> s & 1)) continue;
    lzw_row(&coders[s], row, width);
    if (coders[s].bits < least) least = coders[s].bits;
  }
  if (!parted && coders[0].filled) { /* until the table is full all styles are the same */
    parted = true;
    alive = (1 << STYLES) - 1;
    for (int s = 1; s < STYLES; s++) {
      coders[s] = coders[0];
      coders[s].style = styles[s];
    }
  }
  for (int s = 0; s < STYLES; s++)
    if (alive >> s & 1 && hopeless(coders[s].bits, least)) alive &= ~(1u << s);
}

void by_frame_row(const u8 *row, u32 width) {
  if (by_frame == BY_FRAME_COUNT) count_row(row, width);
  if (by_frame == BY_FRAME_WRITE && !keeps()) lzw_row(&coders[0], row, width);
  if (by_frame == BY_FRAME_LOOK) { /* NH, as of canvases */
    u64 sum = width;
    u32 x = 0;
    for (; x + 1 < width; x += 2) sum += (u64)(row[x] + x * 0x9E3779B1u) * (row[x + 1] + (x + 1) * 0x85EBCA77u);
    if (x < width) sum += (u64)(row[x] + x * 0x9E3779B1u) * 0x85EBCA77u;
    row_sum += sum * (2 * (u64)rows_seen + 1);
  }
  rows_seen++;
}

void by_frame_close(void) {
  if (by_frame == BY_FRAME_COUNT) {
    Choice *choice = &choices[frames_read];
    u32 fewest = UINT32_MAX;
    for (int s = 0; s < STYLES; s++) {
      if (!(alive >> s & 1)) continue;
      const u32 bytes = lzw_end(&coders[s]);
      if (bytes >= fewest) continue;
      fewest = bytes;
      choice->style = s;
    }
    const int bits = bits_for(highest + 1);
    choice->code_size = bits < 2 ? 2 : bits; /* GIF89a appendix F: at least two */
    if (fewest >= source_bytes && choice->code_size >= source_code_size) choice->style = KEPT;
  }
  if (by_frame == BY_FRAME_WRITE && !keeps()) lzw_end(&coders[0]);
}

void by_frame_end(bool closed) {
  if (by_frame == BY_FRAME_WRITE && !closed) copy(0x3b);
  raw_flush();
}

/* Of everything up to here but the way in which pixels are coded. */
u64 by_frame_digest(void) { return head_hash ^ row_sum * 0x9E3779B97F4A7C15u; }
