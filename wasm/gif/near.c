/* LZW encoder (GIF89a, appendix F) that may choose: a pixel that is shown already can be coded as transparent or as its
 * colour, and any pixel as a colour near enough.  The longest phrase that some choice allows is taken, found by a depth-first
 * search of the table with a bounded number of steps.  It settles the symbols; lzw.c writes them. */
#include "engine.h"

#define STEPS 160   /* of one search */
#define DEEPEST 4000
#define SLOTS 8192

/* The table as a tree: first child, next sibling, last symbol and parent of each code; and (parent, symbol) << 12 | code hashed. */
static u16 first_child[LZW_CODES + 1], next_sibling[LZW_CODES + 1], parent_of[LZW_CODES + 1];
static u8 symbol_of[LZW_CODES + 1];
static u32 table[SLOTS];

static void table_clear(void) {
  memset(table, 0, sizeof table);
  memset(first_child, 0, sizeof first_child);
}
static void table_add(u32 code, u32 parent, u8 symbol) {
  const u32 key = parent << 8 | symbol;
  u32 h = (key * 0x9E3779B1u) >> 19;
  symbol_of[code] = symbol;
  parent_of[code] = parent;
  for (; table[h]; h = (h + 1) & (SLOTS - 1))
    if (table[h] >> 12 == key) return; /* the first of equals stays; the decoder does not mind */
  table[h] = key << 12 | code;
  next_sibling[code] = first_child[parent];
  first_child[parent] = code;
}

/* What coding `symbol` for pixel `at` costs; -1 when it is not allowed. */
static inline i32 cost_of(const Pixels *p, u32 at, u8 symbol) {
  const u8 exact = p->symbols[at];
  if (symbol == exact) return 0;
  if (symbol == p->clear_index) return p->may_repeat && may_stay(p->may_repeat, at) ? 0 : -1;
  if (exact == p->clear_index) return -1;
  const i32 d = p->distances[exact << 8 | symbol];
  if (!d || d > p->tolerance) return d ? -1 : 0;
  const size_t pixel = (size_t)(p->box.y + at / p->box.w) * canvas_width + p->box.x + at % p->box.w;
  return is_flat(pixel) || (d > p->smooth_tolerance && is_smooth_at(pixel)) ? -1 : d;
}

typedef struct { u16 code, depth; float error; } Candidate;

/* The longest phrase from pixel `at`; the least error decides among equals. */
static Candidate search(const Pixels *p, u32 at) {
  Candidate stack[600], best = {p->symbols[at], 1, 0};
  int top = 0, steps = STEPS;
  const float each = p->tolerance * .3f, some = p->tolerance * 1.5f;
  /* An alternative first symbol: transparent where the pixel may stay, pushed first so that it is looked at last. */
  if (p->clear_index >= 0 && p->may_repeat && may_stay(p->may_repeat, at) && p->symbols[at] != p->clear_index) stack[top++] = (Candidate){p->clear_index, 1, 0};
  stack[top++] = best;
  while (top && steps-- > 0) {
    const Candidate c = stack[--top];
    if (c.depth > best.depth || (c.depth == best.depth && c.error < best.error)) best = c;
    const u32 next = at + c.depth;
    if (next >= p->count || c.depth >= DEEPEST) continue;
    int exact = 0;
    for (int k = first_child[c.code]; k && top < 598; k = next_sibling[k]) {
      const i32 cost = cost_of(p, next, symbol_of[k]);
      if (cost < 0) continue;
      if (cost == 0 && symbol_of[k] == p->symbols[next]) {
        exact = k;
        continue;
      }
      if (c.error + cost > each * c.depth + some) continue;
      stack[top++] = (Candidate){k, c.depth + 1, c.error + cost};
    }
    if (exact) stack[top++] = (Candidate){exact, c.depth + 1, c.error};
  }
  return best;
}

/* The phrase before, followed by its own first symbol, is the entry that this very phrase makes: it may be used at once. */
static bool repeats(const Pixels *p, u32 before, u32 at) {
  const u32 length = at - before;
  if (at + length >= p->count || length >= DEEPEST) return false;
  float error = 0;
  for (u32 j = 0; j <= length; j++) {
    const i32 cost = cost_of(p, at + j, p->symbols[j < length ? before + j : before]);
    if (cost < 0) return false;
    error += cost;
  }
  return error <= p->tolerance * (.3f * (length + 1) + 1.5f);
}

/* The codes of the last call, packed; written when the frame is settled on. In pieces, as many as were ever needed. */
#define PIECE_BITS 18
#define PIECE (1u << PIECE_BITS)
static u8 *pieces[512];
static u8 *piece;
static u32 packed_bytes;
static u64 bits;
static int bit_count;

/* Bytes of codes that are worth having for so many pixels. */
static u32 most_packed(u32 pixels) { return pixels - pixels / 16; }

static void pack_begin(void) {
  packed_bytes = 0;
  bits = 0;
  bit_count = 0;
}
static inline void pack_byte(u8 byte) {
  const u32 at = packed_bytes++ & (PIECE - 1);
  if (!at) {
    u8 **next = &pieces[(packed_bytes - 1) >> PIECE_BITS];
    if (!*next) *next = allocate_zeroed(PIECE);
    piece = *next;
  }
  piece[at] = byte;
}
static inline void pack(u32 code, int size) {
  bits |= (u64)code << bit_count;
  for (bit_count += size; bit_count >= 8; bit_count -= 8, bits >>= 8) pack_byte((u8)bits);
}
void near_write(void) {
  for (u32 at = 0; at < packed_bytes;) {
    const u8 length = packed_bytes - at < 255 ? packed_bytes - at : 255;
    emit(&length, 1);
    for (u32 end = at + length; at < end;) {
      const u32 here = at & (PIECE - 1), rest = end - at < PIECE - here ? end - at : PIECE - here;
      emit(pieces[at >> PIECE_BITS] + here, rest);
      at += rest;
    }
  }
  const u8 terminator = 0;
  emit(&terminator, 1);
}

NearMarks near_marks;

u32 near_settle(const Pixels *p, LzwStyle style, bool *filled, const NearMarks *rival) {
  const u32 between = p->count / NEAR_MARKS + 1;
  u32 mark = 0;
  const int clear = 1 << p->code_size;
  const u32 most = most_packed(p->count);
  *filled = false;
  pack_begin();
  int next_code = clear + 2, size = p->code_size + 1, previous = -1;
  pack(clear, size);
  u32 full_since = 0, codes = 0;
  double recent = 0;
  for (int i = 0; i < clear; i++) symbol_of[i] = i;
  table_clear();
  u32 before = 0; /* where the previous phrase starts */
  for (u32 at = 0; at < p->count;) {
    Candidate c = search(p, at);
    const u32 again = at - before + 1;
    if (previous >= 0 && next_code < LZW_CODES && again > c.depth && repeats(p, before, at)) {
      c = (Candidate){next_code, again, 0};
      memmove(p->symbols + at, p->symbols + before, again - 1);
      p->symbols[at + again - 1] = p->symbols[before];
    } else {
      for (int code = c.code, d = c.depth; d > 0; d--, code = parent_of[code]) p->symbols[at + d - 1] = symbol_of[code];
    }
    if (packed_bytes > most) return UINT32_MAX; /* no better than none */
    pack(c.code, size);
    if (previous >= 0 && next_code < LZW_CODES) {
      table_add(next_code, previous, p->symbols[at]);
      next_code++;
      if (next_code == 1 << size && size < 12) size++;
      if (next_code == LZW_CODES) {
        full_since = at;
        *filled = true;
        codes = 0;
        recent = 0;
      }
    }
    previous = c.code;
    before = at;
    at += c.depth;
    for (; mark < NEAR_MARKS && at >= (mark + 1) * between; mark++) {
      near_marks.bytes[mark] = packed_bytes;
      /* What is behind by this much after a quarter will not catch up. */
      if (rival && mark >= NEAR_MARKS / 4 - 1 && packed_bytes > rival->bytes[mark] + rival->bytes[mark] / 64 + 64) return UINT32_MAX;
    }
    if (next_code < LZW_CODES || at >= p->count) continue;
    recent = recent == 0 ? c.depth : recent * .995 + c.depth * .005;
    if (++codes > style.clear_after && recent < (double)(at - full_since) / codes * style.clear_ratio) {
      pack(clear, size);
      table_clear();
      next_code = clear + 2;
      size = p->code_size + 1;
      previous = -1;
    }
  }
  for (; mark < NEAR_MARKS; mark++) near_marks.bytes[mark] = packed_bytes;
  pack(clear + 1, size);
  if (bit_count) pack_byte((u8)bits);
  return packed_bytes + (packed_bytes + 254) / 255 + 1;
}
