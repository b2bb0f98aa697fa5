/* Frames as they are, better coded: nothing but rows of indices goes through, so that the size of the canvas does not matter.
 * A first pass finds for each frame how its codes should be made, a second one writes. Local tables lose the entries that no pixel
 * uses, where that halves them, and go where the global table has the same colours. Graphic control extensions that say nothing are
 * left out. A global table that nothing uses keeps the colour of the background. Everything else but the codes is copied. */
#include "plan.h"

int by_frame;

enum { KEPT = 255 }; /* in place of a style: the codes of the source are smaller */
static bool global_counts;    /* a frame or a text uses the global table */
static bool global_is_spared; /* else it is written with the colour of the background alone */
/* Entries of a local table that are kept, a bit each. */
typedef struct { u64 kept[4]; } Entries;
enum { GLOBAL = 255, MOST_SHRUNK = 65536 }; /* tables; further ones stay as they are, so that memory does not grow with the number of frames */
typedef struct {
  u8 style, code_size, table_bits; /* of the table that is written; 0: as it is, GLOBAL: none */
  u32 entries;                     /* where its Entries are */
} Choice;
static Entries *shrunk, used;
static u32 shrunk_count, shrunk_room;
static Tables tables;      /* of the frame */
static bool text_before;   /* a plain text extension stands in front of the frame */
static bool control_before; /* a graphic control extension does */
static u8 control[8];      /* a graphic control extension, until it is known to say something */
static u32 control_bytes;
static bool holds_control;
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

/* FNV-1a: Fowler, Noll, Vo. */
static void head_byte(u8 byte) {
  if (by_frame == BY_FRAME_WRITE) copy(byte);
  if (by_frame == BY_FRAME_LOOK) head_hash = (head_hash ^ byte) * 0x100000001b3u;
}

/* Whether `control` begins as a graphic control extension without delay, transparency, input and disposal (GIF89a 23) does. */
static bool says_nothing(void) {
  static const u8 nothing[8] = {0x21, 0xf9, 4, 0, 0, 0, 0, 0};
  for (u32 i = 0; i < control_bytes; i++) {
    if (i == 3 ? control[i] & ~4 : i == 6 ? false : control[i] != nothing[i]) return false; /* "leave it" is what no disposal means */
  }
  return true;
}

void by_frame_block(void) { holds_control = !control_before; }

/* A byte outside of image data. */
void by_frame_byte(u8 byte) {
  if (!holds_control) {
    head_byte(byte);
    return;
  }
  control[control_bytes++] = byte;
  if (says_nothing() && control_bytes < sizeof control) return;
  if (!says_nothing())
    for (u32 i = 0; i < control_bytes; i++) head_byte(control[i]);
  holds_control = false;
  control_bytes = 0;
}

void by_frame_begin(int how) {
  by_frame = how;
  raw_bytes = 0;
  head_hash = 0xcbf29ce484222325u;
  written_bytes = 0;
  if (how == BY_FRAME_COUNT) shrunk_count = 0, global_counts = global_is_spared = false;
  text_before = control_before = false;
  control_bytes = 0;
  holds_control = false;
}

static bool is_kept(const Entries *e, int index) { return e->kept[index >> 6] >> (index & 63) & 1; }
static int kept_below(const Entries *e, int index) {
  int count = 0;
  for (int i = 0; i < index >> 6; i++) count += __builtin_popcountll(e->kept[i]);
  return index & 63 ? count + __builtin_popcountll(e->kept[index >> 6] << (64 - (index & 63))) : count;
}
static int kept_count(const Entries *e) { return kept_below(e, 192) + __builtin_popcountll(e->kept[3]); }

/* Of the frame that is being written, where its table shrinks. */
static const Choice *shrinking(void) {
  if (by_frame != BY_FRAME_WRITE) return NULL;
  const Choice *choice = &choices[frames_read];
  return choice->table_bits && choice->table_bits != GLOBAL ? choice : NULL;
}
static bool leaves_table_out(void) { return by_frame == BY_FRAME_WRITE && choices[frames_read].table_bits == GLOBAL; }

void by_frame_label(u8 label, const u8 *global, int size) {
  if (label == 0x01) {
    text_before = global_counts = true;
    for (int i = 0; by_frame == BY_FRAME_LOOK && i < 3 * size; i++) head_byte(global[i]);
  }
  if (label == 0xf9) control_before = true;
}

void by_frame_screen(u8 byte, bool background) {
  const bool bare = by_frame == BY_FRAME_LOOK || (by_frame == BY_FRAME_WRITE && global_is_spared);
  by_frame_byte(!bare ? byte : background ? 0 : byte & ~7);
}

void by_frame_global(u8 byte, u32 at, int size, int background) {
  if (by_frame == BY_FRAME_COUNT && !at) global_is_spared = background < size && size > 2;
  const bool bare = by_frame == BY_FRAME_LOOK || (by_frame == BY_FRAME_WRITE && global_is_spared);
  if (!bare || (int)at / 3 == background) by_frame_byte(byte);
  if (by_frame == BY_FRAME_WRITE && global_is_spared && at + 1 == 3u * size)
    for (int i = 0; i < 3; i++) by_frame_byte(0);
}

void by_frame_clear_index(u8 index) {
  const Choice *choice = shrinking();
  by_frame_byte(by_frame == BY_FRAME_LOOK ? 0 : choice ? kept_below(&shrunk[choice->entries], index) : index);
}

void by_frame_packed(u8 packed) {
  const Choice *choice = shrinking();
  const bool bare = by_frame == BY_FRAME_LOOK || leaves_table_out();
  by_frame_byte(bare ? packed & 0x40 : choice ? (packed & ~7) | (choice->table_bits - 1) : packed);
}

/* Colours are compared pixel by pixel: the table itself may differ. */
void by_frame_table(u8 byte, u32 at, u32 bytes) {
  const Choice *choice = shrinking();
  if (by_frame == BY_FRAME_LOOK || leaves_table_out()) return;
  if (!choice || is_kept(&shrunk[choice->entries], at / 3)) by_frame_byte(byte);
  if (!choice || at + 1 < bytes) return;
  for (u32 i = 3u * kept_count(&shrunk[choice->entries]); i < 3u << choice->table_bits; i++) by_frame_byte(0);
}

static bool keeps(void) { return choices[frames_read].style == KEPT; }

static u8 index_now[256]; /* of an entry of the frame's table, in the one that is written */
static u32 shown_as[256]; /* what a frame's indices show: 0 nothing, a colour, or an entry that the table does not have */

void by_frame_open(int code_size, Tables now) {
  tables = now;
  const int size = now.local_size ? now.local_size : now.global_size, clear = now.clear;
  const u8 *table = now.local_size ? now.local : now.global;
  for (int i = 0; i < 256; i++) shown_as[i] = i < size ? 1u << 24 | table[3 * i] | table[3 * i + 1] << 8 | table[3 * i + 2] << 16 : 2u << 24 | i;
  if (clear >= 0) shown_as[clear] = 0;
  used = (Entries){0};
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
    const Choice *choice = shrinking();
    for (int i = 0; choice && i < 256; i++) index_now[i] = kept_below(&shrunk[choice->entries], i);
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
  for (u32 x = 0; x < width; x++) {
    used.kept[row[x] >> 6] |= 1ull << (row[x] & 63);
    if (row[x] > highest) highest = row[x];
  }
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

static void write_row(const u8 *row, u32 width) {
  if (!shrinking()) {
    lzw_row(&coders[0], row, width);
    return;
  }
  u8 some[256];
  for (u32 x = 0; x < width; x += sizeof some) {
    const u32 count = width - x < sizeof some ? width - x : sizeof some;
    for (u32 i = 0; i < count; i++) some[i] = index_now[row[x + i]];
    lzw_row(&coders[0], some, count);
  }
}

void by_frame_row(const u8 *row, u32 width) {
  if (by_frame == BY_FRAME_COUNT) count_row(row, width);
  if (by_frame == BY_FRAME_WRITE && !keeps()) write_row(row, width);
  if (by_frame == BY_FRAME_LOOK) { /* NH, as of canvases */
    u64 sum = width;
    u32 x = 0;
    for (; x + 1 < width; x += 2) sum += (u64)(shown_as[row[x]] + x * 0x9E3779B1u) * (shown_as[row[x + 1]] + (x + 1) * 0x85EBCA77u);
    if (x < width) sum += (u64)(shown_as[row[x]] + x * 0x9E3779B1u) * 0x85EBCA77u;
    row_sum += sum * (2 * (u64)rows_seen + 1);
  }
  rows_seen++;
}

/* Are the colours that the frame uses those of the global table, at the same places? */
static bool is_in_global(void) {
  if (highest >= tables.global_size) return false;
  for (int i = 0; i <= highest; i++)
    if (is_kept(&used, i) && i != tables.clear && memcmp(tables.local + 3 * i, tables.global + 3 * i, 3)) return false;
  return true;
}

/* Leaves the frame's table out, or entries that no pixel uses. @returns the bytes that saves */
static u32 shrink(Choice *choice) {
  const int clear = tables.clear, size = tables.local_size;
  if (!size || highest >= size || text_before || clear >= size) return 0;
  if (is_in_global()) {
    choice->table_bits = GLOBAL;
    return 3u * size;
  }
  if (clear >= 0) used.kept[clear >> 6] |= 1ull << (clear & 63);
  const int bits = bits_for(kept_count(&used));
  if (1 << bits >= size || shrunk_count == MOST_SHRUNK) return 0;
  if (shrunk_count == shrunk_room) {
    shrunk_room = shrunk_room * 2 + 64;
    if (!(shrunk = realloc(shrunk, shrunk_room * sizeof *shrunk))) host_fail(FAIL_MEMORY, "too many frames");
  }
  shrunk[shrunk_count] = used;
  choice->table_bits = bits;
  choice->entries = shrunk_count++;
  return 3u * (size - (1 << bits));
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
    choice->table_bits = 0;
    const u32 saved = shrink(choice);
    const int bits = saved && choice->table_bits != GLOBAL ? choice->table_bits : bits_for(highest + 1);
    choice->code_size = bits < 2 ? 2 : bits; /* GIF89a appendix F: at least two */
    if (fewest >= source_bytes + saved && choice->code_size >= source_code_size) choice->style = KEPT, choice->table_bits = 0;
  }
  global_counts |= by_frame == BY_FRAME_COUNT && (!tables.local_size || choices[frames_read].table_bits == GLOBAL);
  text_before = control_before = false;
  if (by_frame == BY_FRAME_WRITE && !keeps()) lzw_end(&coders[0]);
}

void by_frame_end(bool closed) {
  if (by_frame == BY_FRAME_COUNT) global_is_spared &= !global_counts;
  if (by_frame == BY_FRAME_WRITE && !closed) copy(0x3b);
  raw_flush();
}

/* Of everything up to here but the way in which pixels are coded. */
u64 by_frame_digest(void) { return head_hash ^ row_sum * 0x9E3779B97F4A7C15u; }
