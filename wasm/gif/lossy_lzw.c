#include "lossy_lzw.h"

#include <string.h>

#include "../common/allocate.h"

#define SLOT_SHIFT 19 /* shift that maps a 32-bit hash to one of LOSSY_SLOTS */

/* ---- the LZW table ---- */

static void table_clear(LossyLzw *l) {
  memset(l->table, 0, sizeof l->table);
  memset(l->first_child, 0, sizeof l->first_child);
}

static void table_add(LossyLzw *l, u32 code, u32 parent, u8 symbol) {
  const u32 key = parent << 8 | symbol;
  u32 h = (key * 0x9E3779B1u) >> SLOT_SHIFT;
  l->symbol_of[code] = symbol;
  l->parent_of[code] = parent;
  for (; l->table[h]; h = (h + 1) & (LOSSY_SLOTS - 1))
    if (l->table[h] >> 12 == key) return; /* keep the first of two equal phrases; decoders accept both */
  l->table[h] = key << 12 | code;
  l->next_sibling[code] = l->first_child[parent];
  l->first_child[parent] = code;
}

/* ---- search for the longest phrase ---- */

/* Returns the squared colour error of coding `symbol` for pixel `at`; -1: not allowed. */
static inline i32 cost_of(const LossyPixels *p, u32 at, u8 symbol) {
  const u8 exact = p->symbols[at];
  if (symbol == exact) return 0;
  if (symbol == p->clear_index) return p->may_repeat && may_stay(p->may_repeat, at) ? 0 : -1;
  if (exact == p->clear_index) return -1;
  const i32 d = p->distances[exact << 8 | symbol];
  if (!d || d > p->tolerance) return d ? -1 : 0;
  const size_t pixel = (size_t)(p->box.y + at / p->box.w) * p->canvas_width + p->box.x + at % p->box.w;
  return is_flat(p->flatness, pixel) || (d > p->smooth_tolerance && is_smooth(p->flatness, pixel)) ? -1 : d;
}

typedef struct {
  u16 code, depth;
  float error;
} Candidate;

/* Returns the longest phrase from pixel `at`; among equally long ones, the one with the least error. */
static Candidate search(const LossyLzw *l, const LossyPixels *p, u32 at) {
  Candidate stack[LOSSY_STACK], best = {p->symbols[at], 1, 0};
  int top = 0, steps = LOSSY_SEARCH_STEPS;
  const float each = p->tolerance * LOSSY_ERROR_PER_PIXEL, once = p->tolerance * LOSSY_ERROR_ONCE;
  /* Push a transparent first symbol if the pixel may stay unpainted. It is pushed first, so that the search visits it
   * last. */
  const bool stays = p->clear_index >= 0 && p->may_repeat && may_stay(p->may_repeat, at);
  if (stays && p->symbols[at] != p->clear_index) stack[top++] = (Candidate){p->clear_index, 1, 0};
  stack[top++] = best;
  while (top && steps-- > 0) {
    const Candidate c = stack[--top];
    if (c.depth > best.depth || (c.depth == best.depth && c.error < best.error)) best = c;
    const u32 next = at + c.depth;
    if (next >= p->count || c.depth >= LOSSY_PHRASE_LIMIT) continue;
    int exact = 0;
    for (int k = l->first_child[c.code]; k && top < LOSSY_STACK - 2; k = l->next_sibling[k]) {
      const i32 cost = cost_of(p, next, l->symbol_of[k]);
      if (cost < 0) continue;
      if (cost == 0 && l->symbol_of[k] == p->symbols[next]) {
        exact = k;
        continue;
      }
      if (c.error + cost > each * c.depth + once) continue;
      stack[top++] = (Candidate){k, c.depth + 1, c.error + cost};
    }
    if (exact) stack[top++] = (Candidate){exact, c.depth + 1, c.error};
  }
  return best;
}

/* True if the previous phrase plus its own first symbol fits at pixel `at`. LZW adds that entry just now, and it can be
 * used at once. */
static bool repeats(const LossyPixels *p, u32 before, u32 at) {
  const u32 length = at - before;
  if (at + length >= p->count || length >= LOSSY_PHRASE_LIMIT) return false;
  float error = 0;
  for (u32 j = 0; j <= length; j++) {
    const i32 cost = cost_of(p, at + j, p->symbols[j < length ? before + j : before]);
    if (cost < 0) return false;
    error += cost;
  }
  return error <= p->tolerance * (LOSSY_ERROR_PER_PIXEL * (length + 1) + LOSSY_ERROR_ONCE);
}

/* ---- packed LZW codes ---- */

#define PIECE_BITS 18
#define PIECE_BYTES (1u << PIECE_BITS)

static void pack_begin(LossyLzw *l) {
  l->packed_bytes = 0;
  l->bits = 0;
  l->bit_count = 0;
}

static inline void pack_byte(LossyLzw *l, u8 byte) {
  const u32 at = l->packed_bytes++ & (PIECE_BYTES - 1);
  if (!at) {
    u8 **next = &l->pieces[(l->packed_bytes - 1) >> PIECE_BITS];
    if (!*next) *next = allocate_zeroed(PIECE_BYTES);
    l->piece = *next;
  }
  l->piece[at] = byte;
}

static inline void pack(LossyLzw *l, u32 code, int size) {
  l->bits |= (u64)code << l->bit_count;
  for (l->bit_count += size; l->bit_count >= 8; l->bit_count -= 8, l->bits >>= 8) pack_byte(l, (u8)l->bits);
}

void lossy_write(const LossyLzw *l, Output *output) {
  for (u32 at = 0; at < l->packed_bytes;) {
    const u8 length = l->packed_bytes - at < 255 ? l->packed_bytes - at : 255;
    output_write(output, &length, 1);
    for (u32 end = at + length; at < end;) {
      const u32 here = at & (PIECE_BYTES - 1), rest = end - at < PIECE_BYTES - here ? end - at : PIECE_BYTES - here;
      output_write(output, l->pieces[at >> PIECE_BITS] + here, rest);
      at += rest;
    }
  }
  const u8 terminator = 0;
  output_write(output, &terminator, 1);
}

/* ---- choice of symbols ---- */

/* State of the LZW code sequence in lossy_settle. */
typedef struct {
  int clear, next_code, size;
  int previous;          /* code of the previous phrase; -1 after a clear code */
  u32 full_since, codes; /* first pixel and number of codes since the table became full */
  double recent;         /* moving average of phrase lengths */
} Codes;

static void codes_clear(Codes *c, int code_size) {
  c->next_code = c->clear + 2;
  c->size = code_size + 1;
  c->previous = -1;
}

/* Finds the best phrase from pixel `at` and sets its symbols. `before`: first pixel of the previous phrase. */
static Candidate take_phrase(LossyLzw *l, const LossyPixels *p, const Codes *codes, u32 before, u32 at) {
  Candidate c = search(l, p, at);
  const u32 again = at - before + 1;
  if (codes->previous >= 0 && codes->next_code < LZW_CODES && again > c.depth && repeats(p, before, at)) {
    memmove(p->symbols + at, p->symbols + before, again - 1);
    p->symbols[at + again - 1] = p->symbols[before];
    return (Candidate){codes->next_code, again, 0};
  }
  for (int code = c.code, d = c.depth; d > 0; d--, code = l->parent_of[code])
    p->symbols[at + d - 1] = l->symbol_of[code];
  return c;
}

/* Adds the previous phrase plus the symbol of pixel `at` to the table. Returns true if that fills the table. */
static bool enter_phrase(LossyLzw *l, Codes *c, u8 symbol, u32 at) {
  if (c->previous < 0 || c->next_code >= LZW_CODES) return false;
  table_add(l, c->next_code, c->previous, symbol);
  c->next_code++;
  if (c->next_code == 1 << c->size && c->size < LZW_CODE_BITS) c->size++;
  if (c->next_code < LZW_CODES) return false;
  c->full_since = at;
  c->codes = 0;
  c->recent = 0;
  return true;
}

/* True if a full LZW table should be cleared after a phrase of `depth` pixels that ends at `at`. */
static bool should_clear(Codes *c, LzwStyle style, u32 depth, u32 at) {
  c->recent = lzw_recent(c->recent, depth);
  const double average = (double)(at - c->full_since) / ++c->codes;
  return c->codes > style.clear_after && c->recent < average * style.clear_ratio;
}

/* True if an encoding with `bytes` bytes at this mark is too far behind the rival to become smaller. */
static bool is_behind(const LossyMarks *rival, u32 mark, u32 bytes) {
  if (!rival || mark < LOSSY_MARKS / 4 - 1) return false;
  return bytes > rival->bytes[mark] + rival->bytes[mark] / LOSSY_BEHIND_SHARE + LOSSY_BEHIND_BYTES;
}

u32 lossy_settle(LossyLzw *l, const LossyPixels *p, LzwStyle style, bool *filled, const LossyMarks *rival) {
  const u32 between = p->count / LOSSY_MARKS + 1;
  const u32 most = p->count - p->count / LOSSY_PIXELS_PER_SPARED_BYTE;
  Codes codes = {.clear = 1 << p->code_size};
  u32 mark = 0, before = 0;
  *filled = false;
  codes_clear(&codes, p->code_size);
  pack_begin(l);
  pack(l, codes.clear, codes.size);
  for (int i = 0; i < codes.clear; i++) l->symbol_of[i] = i;
  table_clear(l);
  for (u32 at = 0; at < p->count;) {
    const Candidate c = take_phrase(l, p, &codes, before, at);
    if (l->packed_bytes > most) return UINT32_MAX;
    pack(l, c.code, codes.size);
    *filled |= enter_phrase(l, &codes, p->symbols[at], at);
    codes.previous = c.code;
    before = at;
    at += c.depth;
    for (; mark < LOSSY_MARKS && at >= (mark + 1) * between; mark++) {
      l->marks.bytes[mark] = l->packed_bytes;
      if (is_behind(rival, mark, l->packed_bytes)) return UINT32_MAX;
    }
    if (codes.next_code < LZW_CODES || at >= p->count || !should_clear(&codes, style, c.depth, at)) continue;
    pack(l, codes.clear, codes.size);
    table_clear(l);
    codes_clear(&codes, p->code_size);
  }
  for (; mark < LOSSY_MARKS; mark++) l->marks.bytes[mark] = l->packed_bytes;
  pack(l, codes.clear + 1, codes.size);
  if (l->bit_count) pack_byte(l, (u8)l->bits);
  return lzw_block_bytes(l->packed_bytes);
}
