/* Ways to code a frame whose table is prepared, compared side by side. */
#include "plan.h"

static u8 *row_symbols;
const LzwStyle styles[STYLES] = {{600, .82}, {300, .95}, {2000, .9}, {0, 1e9}, {1200, .7}, {1000, .97}, {150, .99}};

static bool own_was_best; /* a table of its own, in the last large frame */

void codings_begin(void) {
  own_was_best = false;
  if (!row_symbols) row_symbols = allocate_zeroed(canvas_width);
}

/* Stretches that may stay become transparent where they have two colours or more, or go on from the row above. */
static void mixed_row(const u8 *from, u32 first, u32 w, int clear, int before, u8 *out) {
  for (u32 x = 0; x < w;) {
    if (!may_stay(may_repeat, first + x)) {
      before = out[x] = from[x];
      x++;
      continue;
    }
    u32 end = x + 1;
    bool mixed = !x && before == clear;
    for (; end < w && may_stay(may_repeat, first + end); end++) mixed |= from[end] != from[x];
    if (mixed) memset(out + x, clear, end - x);
    else if (out != from) memcpy(out + x, from + x, end - x);
    x = end;
  }
}

/* Symbols of a row of the box, which may go where they were prepared. `before` is the symbol that stands in front of it. */
static void symbols_row(const Plan *plan, int kind, int row, int before, u8 *out) {
  const u32 w = plan->box.w;
  const u8 *from = symbols + (size_t)row * w;
  const u32 first = (u32)row * w;
  const int clear = plan->table.clear_index;
  if (clear < 0 || kind == KIND_NONE || kind == KIND_FREE) {
    if (out != from) memcpy(out, from, w);
  } else if (kind == KIND_ALL) {
    for (u32 x = 0; x < w; x++) out[x] = may_stay(may_repeat, first + x) ? clear : from[x];
  } else if (kind == KIND_SOURCE) {
    u32 i = (u32)(plan->box.y + row) * canvas_width + plan->box.x;
    for (u32 x = 0; x < w; x++, i++) out[x] = may_stay(may_repeat, first + x) && !(wanted_painted[i >> 3] >> (i & 7) & 1) ? clear : from[x];
  } else if (kind == KIND_MIXED) {
    mixed_row(from, first, w, clear, before, out);
  } else {
    for (u32 x = 0; x < w; x++) before = out[x] = may_stay(may_repeat, first + x) && before != from[x] ? clear : from[x];
  }
}
void symbols_settle(const Plan *plan) {
  const u32 w = plan->box.w;
  for (int row = 0; row < plan->box.h; row++)
    symbols_row(plan, plan->kind, row, row ? symbols[row * w - 1] : -1, symbols + (size_t)row * w);
}

int code_size_of(const Table *t) { return t->code_bits < 2 ? 2 : t->code_bits; } /* GIF89a appendix F: at least two */
u32 head_bytes(const Table *t) { return 1 + (t->local ? 3u << t->bits : 0); }

Lzw coders[STYLES];

bool hopeless(u64 bits, u64 least) { return bits > least + (least >> 3) + 4096; }

/* The kind that makes the frame smallest, all coded side by side. Sets kind, bytes and filled. */
void count_kinds(Plan *plan, u32 kinds, int style) {
  const u32 w = plan->box.w;
  u8 *row = row_symbols;
  int before[KINDS];
  for (int k = 0; k < KINDS; k++) {
    before[k] = -1;
    if (kinds >> k & 1) lzw_begin(&coders[k], code_size_of(&plan->table), styles[style], false);
  }
  for (int y = 0; y < plan->box.h; y++) {
    u64 least = UINT64_MAX;
    for (int k = 0; k < KINDS; k++) {
      if (!(kinds >> k & 1)) continue;
      symbols_row(plan, k, y, before[k], row);
      before[k] = row[w - 1];
      lzw_row(&coders[k], row, w);
      if (coders[k].bits < least) least = coders[k].bits;
    }
    for (int k = 0; k < KINDS; k++)
      if (kinds >> k & 1 && hopeless(coders[k].bits, least)) kinds &= ~(1u << k);
  }
  plan->bytes = UINT32_MAX;
  for (int k = 0; k < KINDS; k++) {
    if (!(kinds >> k & 1)) continue;
    const bool filled = coders[k].filled;
    const u32 bytes = lzw_end(&coders[k]) + head_bytes(&plan->table);
    if (bytes >= plan->bytes) continue;
    plan->bytes = bytes;
    plan->kind = k;
    plan->filled = filled;
  }
}

/* The style that makes symbols[] smallest. All go together until the table is full. */
int best_style(const Plan *plan, u32 tried) {
  const u32 w = plan->box.w;
  int first = 0;
  while (!(tried >> first & 1)) first++;
  lzw_begin(&coders[first], code_size_of(&plan->table), styles[first], false);
  u32 alive = 1u << first;
  for (int y = 0; y < plan->box.h; y++) {
    u64 least = UINT64_MAX;
    for (int s = 0; s < STYLES; s++) {
      if (!(alive >> s & 1)) continue;
      lzw_row(&coders[s], symbols + (size_t)y * w, w);
      if (coders[s].bits < least) least = coders[s].bits;
    }
    if (alive == 1u << first && tried != alive && coders[first].filled) {
      /* A row may have gone past the point where they part: a code or two of a difference. */
      for (int s = 0; s < STYLES; s++)
        if (s != first && tried >> s & 1) {
          coders[s] = coders[first];
          coders[s].style = styles[s];
          alive |= 1u << s;
        }
      tried = alive;
    }
    for (int s = 0; s < STYLES; s++)
      if (alive >> s & 1 && hopeless(coders[s].bits, least)) alive &= ~(1u << s);
  }
  int best = first;
  u32 fewest = UINT32_MAX;
  for (int s = 0; s < STYLES; s++) {
    if (!(alive >> s & 1)) continue;
    const u32 bytes = lzw_end(&coders[s]);
    if (bytes >= fewest) continue;
    fewest = bytes;
    best = s;
  }
  return best;
}

/* Bytes that codes of a table of `bits` take more than codes of a smaller one, until both have grown to the same size. */
static u32 longer_codes(int bits, int smaller) {
  u32 sum = 0;
  for (u32 i = 0; i < 1u << bits; i++) {
    const u32 a = (1u << bits) + 2 + i, b = (1u << smaller) + 2 + i;
    sum += __builtin_clz(b) - __builtin_clz(a);
  }
  return sum / 8;
}

/* Table and map for a tolerance: the smaller of the common table and one of its own. */
bool choose_table(Plan *plan, int style, int disposal, const u16 *next) {
  if (!prepare_common(plan, disposal, next)) return prepare_local(plan, disposal, next);
  /* A table of its own costs 3 << bits bytes and may have shorter codes, and more of them before the LZW table is full. */
  Table own;
  if (!own_table(plan, &own) || own.code_bits >= plan->table.code_bits) return true;
  const bool large = (u32)plan->box.w * plan->box.h > LARGE_FRAME / 8;
  const bool shorter = longer_codes(plan->table.code_bits, own.code_bits) >= 3u << own.bits;
  if (!shorter && !(large && (own_was_best || frames_written % 8 == 0))) return true;
  count_kinds(plan, 1 << KIND_ALL, style);
  if (!shorter && !plan->filled) return true;
  Plan local = *plan;
  own_was_best = false;
  if (!prepare_local(&local, disposal, next) || local.inexact) return prepare_common(plan, disposal, next);
  count_kinds(&local, 1 << KIND_ALL, style);
  if (local.bytes >= plan->bytes) return prepare_common(plan, disposal, next);
  own_was_best = true;
  *plan = local;
  return true;
}

void symbols_write(const Plan *plan, LzwStyle style) {
  lzw_begin(&coders[0], code_size_of(&plan->table), style, true);
  for (int row = 0; row < plan->box.h; row++) lzw_row(&coders[0], symbols + (size_t)row * plan->box.w, plan->box.w);
  lzw_end(&coders[0]);
}
