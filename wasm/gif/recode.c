#include "recode.h"

#include <stdlib.h>
#include <string.h>

#include "../common/host.h"
#include "colour_table.h"
#include "row_hash.h"

enum { STYLE_KEPT = 255 };    /* instead of a style: copy the source's codes, because they are smaller */
enum { RECODE_GLOBAL = 255 }; /* instead of table bits: drop the local table and use the global one */

/* ---- copied bytes ---- */

static void flush(Recoder *r) {
  if (r->raw_bytes) output_write(r->output, r->raw, r->raw_bytes);
  r->raw_bytes = 0;
}

static void copy(Recoder *r, u8 byte) {
  r->raw[r->raw_bytes++] = byte;
  if (r->raw_bytes == sizeof r->raw) flush(r);
}

static void put_byte(Recoder *r, u8 byte) {
  if (r->mode == RECODE_WRITE) copy(r, byte);
  if (r->mode == RECODE_DIGEST) r->head_hash = (r->head_hash ^ byte) * FNV_PRIME;
}

/* True if `control` is so far a graphic control extension without delay, transparency, user input and disposal (GIF89a
 * 23). */
static bool says_nothing(const Recoder *r) {
  static const u8 nothing[8] = {0x21, 0xf9, 4, 0, 0, 0, 0, 0};
  for (u32 i = 0; i < r->control_bytes; i++) {
    if (i == 6) continue;                                        /* skip the transparent index, which is not in use */
    const u8 byte = i == 3 ? r->control[i] & ~4 : r->control[i]; /* disposal 1 (do not dispose) has the effect of 0 */
    if (byte != nothing[i]) return false;
  }
  return true;
}

void recode_block(Recoder *r) { r->holds_control = !r->control_before; }

void recode_byte(Recoder *r, u8 byte) {
  if (!r->holds_control) {
    put_byte(r, byte);
    return;
  }
  r->control[r->control_bytes++] = byte;
  if (says_nothing(r) && r->control_bytes < sizeof r->control) return;
  if (!says_nothing(r))
    for (u32 i = 0; i < r->control_bytes; i++) put_byte(r, r->control[i]);
  r->holds_control = false;
  r->control_bytes = 0;
}

void recode_begin(Recoder *r, RecodeMode mode) {
  r->mode = mode;
  r->raw_bytes = 0;
  r->head_hash = FNV_OFFSET;
  r->output->bytes = 0;
  r->frame = 0;
  if (mode == RECODE_COUNT) {
    r->shrunk_count = r->choices_count = 0;
    r->global_counts = r->global_is_spared = false;
  }
  r->text_before = r->control_before = false;
  r->control_bytes = 0;
  r->holds_control = false;
}

/* ---- entries of colour tables ---- */

static bool is_kept(const KeptEntries *e, int index) { return e->kept[index >> 6] >> (index & 63) & 1; }
static void keep(KeptEntries *e, int index) { e->kept[index >> 6] |= 1ull << (index & 63); }

static int kept_below(const KeptEntries *e, int index) {
  int count = 0;
  for (int i = 0; i < index >> 6; i++) count += __builtin_popcountll(e->kept[i]);
  return index & 63 ? count + __builtin_popcountll(e->kept[index >> 6] << (64 - (index & 63))) : count;
}
static int kept_count(const KeptEntries *e) { return kept_below(e, 192) + __builtin_popcountll(e->kept[3]); }

/* Returns the choice for the frame being written; NULL: none, as before the trailer. */
static const RecodeChoice *choice_of(const Recoder *r) {
  return r->mode == RECODE_WRITE && r->frame < r->choices_count ? &r->choices[r->frame] : NULL;
}

/* Returns the entries that the written local table keeps; NULL: all, or the table is dropped. */
static const KeptEntries *shrinking(const Recoder *r) {
  const RecodeChoice *choice = choice_of(r);
  return choice && choice->table_bits && choice->table_bits != RECODE_GLOBAL ? &r->shrunk[choice->entries] : NULL;
}

static bool leaves_table_out(const Recoder *r) {
  const RecodeChoice *choice = choice_of(r);
  return choice && choice->table_bits == RECODE_GLOBAL;
}

static bool keeps_codes(const Recoder *r) {
  const RecodeChoice *choice = choice_of(r);
  return !choice || choice->style == STYLE_KEPT;
}

/* ---- bytes that the recoder may change ---- */

void recode_label(Recoder *r, u8 label, const u8 *global, int size) {
  if (label == 0x01) {
    r->text_before = r->global_counts = true;
    for (int i = 0; r->mode == RECODE_DIGEST && i < 3 * size; i++) put_byte(r, global[i]);
  }
  if (label == 0xf9) r->control_before = true;
}

/* True if the global table is written, or hashed, with the background colour only. */
static bool is_global_bare(const Recoder *r) {
  return r->mode == RECODE_DIGEST || (r->mode == RECODE_WRITE && r->global_is_spared);
}

void recode_screen(Recoder *r, u8 byte, bool is_background) {
  recode_byte(r, !is_global_bare(r) ? byte : is_background ? 0 : byte & ~7);
}

void recode_global_table(Recoder *r, u8 byte, u32 at, int size, int background) {
  if (r->mode == RECODE_COUNT && !at) r->global_is_spared = background < size && size > 2;
  if (!is_global_bare(r) || (int)at / 3 == background) recode_byte(r, byte);
  if (r->mode == RECODE_WRITE && r->global_is_spared && at + 1 == 3u * size)
    for (int i = 0; i < 3; i++) recode_byte(r, 0);
}

void recode_clear_index(Recoder *r, u8 index) {
  const KeptEntries *kept = shrinking(r);
  recode_byte(r, r->mode == RECODE_DIGEST ? 0 : kept ? kept_below(kept, index) : index);
}

void recode_descriptor_flags(Recoder *r, u8 flags) {
  const bool bare = r->mode == RECODE_DIGEST || leaves_table_out(r);
  const bool shrinks = shrinking(r) != NULL;
  recode_byte(r, bare ? flags & 0x40 : shrinks ? (flags & ~7) | (choice_of(r)->table_bits - 1) : flags);
}

/* A digest includes the colour of each pixel instead of the table, because the tables may differ. */
void recode_local_table(Recoder *r, u8 byte, u32 at, u32 bytes) {
  const KeptEntries *kept = shrinking(r);
  if (r->mode == RECODE_DIGEST || leaves_table_out(r)) return;
  if (!kept || is_kept(kept, at / 3)) recode_byte(r, byte);
  if (!kept || at + 1 < bytes) return;
  for (u32 i = 3u * kept_count(kept); i < 3u << choice_of(r)->table_bits; i++) recode_byte(r, 0);
}

/* ---- image data of a frame ---- */

static void open_count(Recoder *r, int code_size) {
  if (r->frame >= r->choices_room) {
    r->choices_room = r->choices_room * 2 + 64;
    r->choices = realloc(r->choices, r->choices_room * sizeof *r->choices);
    if (!r->choices) host_fail(FAIL_MEMORY, "too many frames");
  }
  r->choices_count = r->frame + 1;
  r->alive = 1;
  r->parted = false;
  lzw_begin(&r->encoders[0], lzw_code_size(code_size > 8 ? 8 : code_size), lzw_styles[0], NULL);
}

static void open_write(Recoder *r, int code_size) {
  const bool keeps = keeps_codes(r);
  copy(r, keeps ? code_size : choice_of(r)->code_size);
  flush(r);
  const KeptEntries *kept = shrinking(r);
  for (int i = 0; kept && i < 256; i++) r->new_index[i] = kept_below(kept, i);
  if (!keeps) lzw_begin(&r->encoders[0], choice_of(r)->code_size, lzw_styles[choice_of(r)->style], r->writer);
}

void recode_open(Recoder *r, int code_size, RecodeTables tables) {
  r->tables = tables;
  const int size = tables.local_size ? tables.local_size : tables.global_size;
  const u8 *table = tables.local_size ? tables.local : tables.global;
  for (int i = 0; i < 256; i++)
    r->shown_as[i] = i < size ? 1u << 24 | table[3 * i] | table[3 * i + 1] << 8 | table[3 * i + 2] << 16 : 2u << 24 | i;
  if (tables.clear >= 0) r->shown_as[tables.clear] = 0;
  r->used = (KeptEntries){0};
  r->rows = 0;
  r->row_sum = 0;
  r->source_code_size = code_size;
  r->source_bytes = 0;
  r->highest = 0;
  if (r->mode == RECODE_COUNT) open_count(r, code_size);
  if (r->mode == RECODE_WRITE) open_write(r, code_size);
}

void recode_data(Recoder *r, const u8 *bytes, u32 count) {
  r->source_bytes += count;
  if (r->mode == RECODE_WRITE && keeps_codes(r))
    for (u32 i = 0; i < count; i++) copy(r, bytes[i]);
}

static void count_row(Recoder *r, const u8 *row, u32 width) {
  Lzw *encoders = r->encoders;
  KeptEntries used = r->used;
  int highest = r->highest;
  for (u32 x = 0; x < width; x++) {
    keep(&used, row[x]);
    if (row[x] > highest) highest = row[x];
  }
  r->used = used;
  r->highest = highest;
  u64 least = UINT64_MAX;
  for (int s = 0; s < LZW_STYLES; s++) {
    if (!(r->alive >> s & 1)) continue;
    lzw_row(&encoders[s], row, width);
    if (encoders[s].bits < least) least = encoders[s].bits;
  }
  if (!r->parted && encoders[0].filled) { /* all styles are equal until the table is full */
    r->parted = true;
    r->alive = (1 << LZW_STYLES) - 1;
    for (int s = 1; s < LZW_STYLES; s++) {
      encoders[s] = encoders[0];
      encoders[s].style = lzw_styles[s];
    }
  }
  for (int s = 0; s < LZW_STYLES; s++)
    if (r->alive >> s & 1 && lzw_hopeless(encoders[s].bits, least)) r->alive &= ~(1u << s);
}

static void write_row(Recoder *r, const u8 *row, u32 width) {
  if (!shrinking(r)) {
    lzw_row(&r->encoders[0], row, width);
    return;
  }
  u8 part[256];
  for (u32 x = 0; x < width; x += sizeof part) {
    const u32 count = width - x < sizeof part ? width - x : sizeof part;
    for (u32 i = 0; i < count; i++) part[i] = r->new_index[row[x + i]];
    lzw_row(&r->encoders[0], part, count);
  }
}

static u64 hash_of_row(const Recoder *r, const u8 *row, u32 width) {
  u64 sum = width;
  u32 x = 0;
  for (; x + 1 < width; x += 2) sum += hash_pair(r->shown_as[row[x]], r->shown_as[row[x + 1]], x);
  if (x < width) sum += hash_single(r->shown_as[row[x]], x);
  return sum;
}

void recode_row(Recoder *r, const u8 *row, u32 width) {
  if (r->mode == RECODE_COUNT) count_row(r, row, width);
  if (r->mode == RECODE_WRITE && !keeps_codes(r)) write_row(r, row, width);
  if (r->mode == RECODE_DIGEST) r->row_sum += hash_in_row(hash_of_row(r, row, width), r->rows);
  r->rows++;
}

/* True if the global table has the frame's used colours at the same indices. */
static bool is_in_global(const Recoder *r) {
  const RecodeTables *t = &r->tables;
  if (r->highest >= t->global_size) return false;
  for (int i = 0; i <= r->highest; i++)
    if (is_kept(&r->used, i) && i != t->clear && memcmp(t->local + 3 * i, t->global + 3 * i, 3)) return false;
  return true;
}

/* Drops the frame's local table, or its unused entries. Returns the bytes saved. */
static u32 shrink(Recoder *r, RecodeChoice *choice) {
  const int clear = r->tables.clear, size = r->tables.local_size;
  if (!size || r->highest >= size || r->text_before || clear >= size) return 0;
  if (is_in_global(r)) {
    choice->table_bits = RECODE_GLOBAL;
    return 3u * size;
  }
  if (clear >= 0) keep(&r->used, clear);
  const int bits = table_bits_for(kept_count(&r->used));
  if (1 << bits >= size || r->shrunk_count == SHRUNK_TABLES_LIMIT) return 0;
  if (r->shrunk_count == r->shrunk_room) {
    r->shrunk_room = r->shrunk_room * 2 + 64;
    r->shrunk = realloc(r->shrunk, r->shrunk_room * sizeof *r->shrunk);
    if (!r->shrunk) host_fail(FAIL_MEMORY, "too many frames");
  }
  r->shrunk[r->shrunk_count] = r->used;
  choice->table_bits = bits;
  choice->entries = r->shrunk_count++;
  return 3u * (size - (1 << bits));
}

static void choose(Recoder *r) {
  RecodeChoice *choice = &r->choices[r->frame];
  u32 fewest = UINT32_MAX;
  for (int s = 0; s < LZW_STYLES; s++) {
    if (!(r->alive >> s & 1)) continue;
    const u32 bytes = lzw_end(&r->encoders[s]);
    if (bytes >= fewest) continue;
    fewest = bytes;
    choice->style = s;
  }
  choice->table_bits = 0;
  const u32 saved = shrink(r, choice);
  const bool shrinks = saved && choice->table_bits != RECODE_GLOBAL;
  choice->code_size = lzw_code_size(shrinks ? choice->table_bits : table_bits_for(r->highest + 1));
  if (fewest >= r->source_bytes + saved && choice->code_size >= r->source_code_size) {
    choice->style = STYLE_KEPT;
    choice->table_bits = 0;
  }
  r->global_counts |= !r->tables.local_size || choice->table_bits == RECODE_GLOBAL;
}

void recode_close(Recoder *r) {
  if (r->mode == RECODE_COUNT) choose(r);
  r->text_before = r->control_before = false;
  if (r->mode == RECODE_WRITE && !keeps_codes(r)) lzw_end(&r->encoders[0]);
  r->frame++;
}

void recode_end(Recoder *r, bool closed) {
  if (r->mode == RECODE_COUNT) r->global_is_spared &= !r->global_counts;
  if (r->mode == RECODE_WRITE && !closed) copy(r, 0x3b);
  flush(r);
}

u64 recode_digest(const Recoder *r) { return r->head_hash ^ r->row_sum * HASH_MIX; }
