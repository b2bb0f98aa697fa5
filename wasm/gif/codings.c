#include "codings.h"

#include <string.h>

#include "../common/allocate.h"
#include "gif.h"

void codings_begin(Gif *gif) {
  gif->codings.local_was_best = false;
  if (!gif->codings.row) gif->codings.row = allocate_zeroed(gif->canvas.width);
}

/* ---- symbols of a frame by transparency kind ---- */

/* One row of the frame's box: prepared symbols, and index of its first pixel. */
typedef struct {
  const u8 *symbols, *may_repeat;
  u32 first, width;
  int clear;
} PreparedRow;

static void mixed_row(const PreparedRow *row, int before, u8 *out) {
  const u8 *from = row->symbols, *may_repeat = row->may_repeat;
  const u32 first = row->first, width = row->width;
  for (u32 x = 0; x < width;) {
    if (!may_stay(may_repeat, first + x)) {
      before = out[x] = from[x];
      x++;
      continue;
    }
    u32 end = x + 1;
    bool mixed = !x && before == row->clear; /* true if the stretch continues from the row above */
    for (; end < width && may_stay(may_repeat, first + end); end++) mixed |= from[end] != from[x];
    if (mixed) memset(out + x, row->clear, end - x);
    else if (out != from) memcpy(out + x, from + x, end - x);
    x = end;
  }
}

static void source_row(const Gif *gif, const PreparedRow *row, u32 pixel, u8 *out) {
  const u8 *painted = gif->encoder.frame.painted, *from = row->symbols, *may_repeat = row->may_repeat;
  const u32 first = row->first, width = row->width, clear = row->clear;
  for (u32 x = 0; x < width; x++, pixel++) {
    const bool stays = may_stay(may_repeat, first + x) && !(painted[pixel >> 3] >> (pixel & 7) & 1);
    out[x] = stays ? clear : from[x];
  }
}

/* Computes the symbols of one row of the box for a transparency kind. `out` may overlap the prepared symbols. `before`:
 * symbol before the row; -1: none. */
static void symbols_row(const Gif *gif, const Plan *plan, TransparencyKind kind, int y, int before, u8 *out) {
  const u32 width = plan->box.w, first = (u32)y * width;
  const u8 *from = gif->prepared.symbols + (size_t)y * width, *may_repeat = gif->prepared.may_repeat;
  const int clear = plan->table.clear_index;
  const PreparedRow row = {from, may_repeat, first, width, clear};
  if (clear < 0 || kind == KIND_NONE || kind == KIND_FREE) {
    if (out != from) memcpy(out, from, width);
  } else if (kind == KIND_ALL) {
    for (u32 x = 0; x < width; x++) out[x] = may_stay(may_repeat, first + x) ? clear : from[x];
  } else if (kind == KIND_SOURCE) {
    source_row(gif, &row, (u32)(plan->box.y + y) * gif->canvas.width + plan->box.x, out);
  } else if (kind == KIND_MIXED) {
    mixed_row(&row, before, out);
  } else {
    for (u32 x = 0; x < width; x++)
      before = out[x] = may_stay(may_repeat, first + x) && before != from[x] ? clear : from[x];
  }
}

void symbols_settle(Gif *gif, const Plan *plan) {
  const u32 width = plan->box.w;
  u8 *symbols = gif->prepared.symbols;
  for (int y = 0; y < plan->box.h; y++) {
    const int before = y ? symbols[y * width - 1] : -1;
    symbols_row(gif, plan, plan->kind, y, before, symbols + (size_t)y * width);
  }
}

/* ---- several LZW encoders in one pass ---- */

/* Removes encoders from the bitmap `alive` that are too far behind the best one. Returns the new bitmap. */
static u32 drop_hopeless(const Lzw *encoders, int count, u32 alive) {
  u64 least = UINT64_MAX;
  for (int k = 0; k < count; k++)
    if (alive >> k & 1 && encoders[k].bits < least) least = encoders[k].bits;
  for (int k = 0; k < count; k++)
    if (alive >> k & 1 && lzw_hopeless(encoders[k].bits, least)) alive &= ~(1u << k);
  return alive;
}

void count_kinds(Gif *gif, Plan *plan, u32 kinds, int style) {
  const u32 width = plan->box.w;
  Lzw *encoders = gif->encoders;
  u8 *row = gif->codings.row;
  int before[KINDS];
  for (int k = 0; k < KINDS; k++) {
    before[k] = -1;
    if (kinds >> k & 1) lzw_begin(&encoders[k], table_code_size(&plan->table), lzw_styles[style], NULL);
  }
  for (int y = 0; y < plan->box.h; y++) {
    for (int k = 0; k < KINDS; k++) {
      if (!(kinds >> k & 1)) continue;
      symbols_row(gif, plan, k, y, before[k], row);
      before[k] = row[width - 1];
      lzw_row(&encoders[k], row, width);
    }
    kinds = drop_hopeless(encoders, KINDS, kinds);
  }
  plan->bytes = UINT32_MAX;
  for (int k = 0; k < KINDS; k++) {
    if (!(kinds >> k & 1)) continue;
    const bool filled = encoders[k].filled;
    const u32 bytes = lzw_end(&encoders[k]) + table_bytes(&plan->table);
    if (bytes >= plan->bytes) continue;
    plan->bytes = bytes;
    plan->kind = k;
    plan->filled = filled;
  }
}

/* Encodes once until the LZW table is full, because all clearing styles are equal up to there. Then the other styles
 * start as copies of that encoder. */
int best_style(Gif *gif, const Plan *plan) {
  const u32 width = plan->box.w;
  Lzw *encoders = gif->encoders;
  lzw_begin(&encoders[0], table_code_size(&plan->table), lzw_styles[0], NULL);
  u32 alive = 1;
  for (int y = 0; y < plan->box.h; y++) {
    for (int s = 0; s < LZW_STYLES; s++)
      if (alive >> s & 1) lzw_row(&encoders[s], gif->prepared.symbols + (size_t)y * width, width);
    if (alive == 1 && encoders[0].filled) {
      /* The copies start at the end of the row, not at the exact code. This error is a code or two. */
      for (int s = 1; s < LZW_STYLES; s++) {
        encoders[s] = encoders[0];
        encoders[s].style = lzw_styles[s];
      }
      alive = (1u << LZW_STYLES) - 1;
    }
    alive = drop_hopeless(encoders, LZW_STYLES, alive);
  }
  int best = 0;
  u32 fewest = UINT32_MAX;
  for (int s = 0; s < LZW_STYLES; s++) {
    if (!(alive >> s & 1)) continue;
    const u32 bytes = lzw_end(&encoders[s]);
    if (bytes >= fewest) continue;
    fewest = bytes;
    best = s;
  }
  return best;
}

/* ---- choice of the colour table ---- */

/* Returns the extra bytes of LZW codes for a table of `bits` bits instead of `smaller`, until both code widths are
 * equal. */
static u32 longer_codes(int bits, int smaller) {
  u32 sum = 0;
  for (u32 i = 0; i < 1u << bits; i++) {
    const u32 a = (1u << bits) + 2 + i, b = (1u << smaller) + 2 + i;
    sum += __builtin_clz(b) - __builtin_clz(a);
  }
  return sum / 8;
}

/* A local table costs 3 << bits bytes. It may give shorter LZW codes, and more of them before the LZW table is full. */
bool choose_table(Gif *gif, Plan *plan, int style) {
  Codings *c = &gif->codings;
  if (!prepare_common(gif, plan)) return prepare_local(gif, plan);
  ColourTable own;
  if (!find_local_table(gif, plan, &own) || own.code_bits >= plan->table.code_bits) return true;
  const bool large = (u32)plan->box.w * plan->box.h > LARGE_FRAME / 8;
  const bool shorter = longer_codes(plan->table.code_bits, own.code_bits) >= 3u << own.bits;
  const bool explores = c->local_was_best || gif->encoder.frames_written % LOCAL_TABLE_EVERY == 0;
  if (!shorter && !(large && explores)) return true;
  count_kinds(gif, plan, 1 << KIND_ALL, style);
  if (!shorter && !plan->filled) return true;
  Plan local = *plan;
  c->local_was_best = false;
  if (!prepare_local(gif, &local) || local.inexact) return prepare_common(gif, plan);
  count_kinds(gif, &local, 1 << KIND_ALL, style);
  if (local.bytes >= plan->bytes) return prepare_common(gif, plan);
  c->local_was_best = true;
  *plan = local;
  return true;
}

void symbols_write(Gif *gif, const Plan *plan, LzwStyle style) {
  Lzw *encoder = &gif->encoders[0];
  lzw_begin(encoder, table_code_size(&plan->table), style, &gif->writer);
  for (int y = 0; y < plan->box.h; y++) lzw_row(encoder, gif->prepared.symbols + (size_t)y * plan->box.w, plan->box.w);
  lzw_end(encoder);
}
