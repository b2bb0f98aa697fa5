/* LZW encoder (GIF89a, appendix F) that may choose: a pixel that is shown already can be coded as transparent or as its
 * colour, and with a tolerance as any colour near enough.  The longest phrase that some choice allows is taken, found by a
 * depth-first search of the table with a bounded number of steps. */
#include "engine.h"

#define NODES 4096
#define STEPS 160   /* of one search */
#define DEEPEST 4000

/* The table as a tree: first child, next sibling, last symbol and parent of each code; and (parent, symbol) hashed. */
static u16 first_child[NODES + 1], next_sibling[NODES + 1], parent_of[NODES + 1];
static u8 symbol_of[NODES + 1];
static u16 hash_code[16384];
static u32 hash_key[16384];

static u8 block[256];
static u64 bits;
static int bit_count;
static u32 bytes_out;
static bool quiet;

static void put_byte(u8 b) {
  block[1 + block[0]++] = b;
  if (block[0] < 255) return;
  bytes_out += 256;
  if (!quiet) emit(block, 256);
  block[0] = 0;
}
static inline void put_code(u32 code, int size) {
  bits |= (u64)code << bit_count;
  for (bit_count += size; bit_count >= 8; bit_count -= 8, bits >>= 8) put_byte((u8)bits);
}
static void put_end(void) {
  if (bit_count) put_byte((u8)bits);
  if (block[0]) {
    bytes_out += block[0] + 1;
    if (!quiet) emit(block, block[0] + 1);
  }
  const u8 terminator = 0;
  bytes_out++;
  if (!quiet) emit(&terminator, 1);
}

static inline u32 slot_of(u32 key) { return (key * 0x9E3779B1u) >> 18; }
static int child(int code, u8 symbol) {
  const u32 key = (u32)code << 8 | symbol;
  u32 h = slot_of(key);
  for (; hash_code[h]; h = (h + 1) & 16383)
    if (hash_key[h] == key) return hash_code[h];
  return 0;
}

static void table_clear(void) {
  memset(hash_code, 0, sizeof hash_code);
  memset(first_child, 0, sizeof first_child);
}
static void table_add(int code, int parent, u8 symbol) {
  const u32 key = (u32)parent << 8 | symbol;
  u32 h = slot_of(key);
  for (; hash_code[h]; h = (h + 1) & 16383)
    if (hash_key[h] == key) break;
  symbol_of[code] = symbol;
  parent_of[code] = parent;
  if (hash_code[h]) return; /* the first of equals stays; the decoder does not mind */
  hash_code[h] = code;
  hash_key[h] = key;
  next_sibling[code] = first_child[parent];
  first_child[parent] = code;
}

/* What coding `symbol` for pixel `at` costs; -1 when it is not allowed. */
static inline i32 cost_of(const Pixels *p, u32 at, u8 symbol) {
  const u8 exact = p->exact[at];
  if (symbol == exact) return 0;
  if (symbol == p->clear_index) return p->may_repeat && p->may_repeat[at] ? 0 : -1;
  if (!p->tolerance || exact == p->clear_index) return -1;
  const i32 d = p->distances[exact << 8 | symbol];
  return d <= p->tolerance ? d : -1;
}

typedef struct { u16 code, depth; float error; } Candidate;

/* The longest phrase from pixel `at`; the least error decides among equals. */
static Candidate search(const Pixels *p, u32 at) {
  Candidate stack[600], best = {p->exact[at], 1, 0};
  int top = 0, steps = STEPS;
  const float each = p->tolerance * .3f, some = p->tolerance * 1.5f;
  /* An alternative first symbol: transparent where the pixel may stay, pushed first so that it is looked at last. */
  if (p->clear_index >= 0 && p->may_repeat && p->may_repeat[at] && p->exact[at] != p->clear_index) stack[top++] = (Candidate){p->clear_index, 1, 0};
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
      if (cost == 0 && symbol_of[k] == p->exact[next]) {
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

/* Without choices there is one way to walk. */
static Candidate walk(const Pixels *p, u32 at, u16 *path) {
  Candidate c = {p->exact[at], 1, 0};
  path[1] = c.code;
  while (at + c.depth < p->count && c.depth < DEEPEST) {
    int k = child(c.code, p->exact[at + c.depth]);
    if (!k) break;
    c.code = k;
    path[++c.depth] = k;
  }
  return c;
}

static Candidate phrase(const Pixels *p, u32 at, bool choices, int look_back) {
  static u16 path[DEEPEST + 2], other[DEEPEST + 2];
  Candidate c = choices ? search(p, at) : walk(p, at, path);
  if (!look_back || c.depth < 2 || at + c.depth >= p->count) return c;
  if (choices)
    for (int code = c.code, d = c.depth; d > 0; d--, code = parent_of[code]) path[d] = code;
  u32 furthest = 0;
  int best = c.depth;
  for (int d = c.depth; d >= 1 && d >= c.depth - look_back; d--) {
    Candidate next = choices ? search(p, at + d) : walk(p, at + d, other);
    if (at + d + next.depth > furthest) {
      furthest = at + d + next.depth;
      best = d;
    }
  }
  c.depth = best;
  c.code = path[best];
  return c;
}

/* The phrase before, followed by its own first symbol, is the entry that this very phrase makes: it may be used at once. */
static bool repeats(const Pixels *p, u32 before, u32 at) {
  const u32 length = at - before;
  if (at + length >= p->count || length >= DEEPEST) return false;
  float error = 0;
  for (u32 j = 0; j <= length; j++) {
    const i32 cost = cost_of(p, at + j, p->chosen[j < length ? before + j : before]);
    if (cost < 0) return false;
    error += cost;
  }
  return error <= p->tolerance * (.3f * (length + 1) + 1.5f);
}

u32 lzw_encode(const Pixels *p, LzwStyle style, bool mute) {
  const int clear = 1 << p->code_size, end = clear + 1;
  bool choices = p->tolerance > 0;
  if (!choices && p->clear_index >= 0 && p->may_repeat)
    for (u32 i = 0; i < p->count && !choices; i++) choices = p->may_repeat[i] && p->exact[i] != p->clear_index;
  quiet = mute;
  bytes_out = 0;
  bits = 0;
  bit_count = 0;
  block[0] = 0;
  int next_code = clear + 2, size = p->code_size + 1, previous = -1;
  u32 full_since = 0, codes = 0;
  double recent = 0;
  for (int i = 0; i < clear; i++) symbol_of[i] = i;
  table_clear();
  put_code(clear, size);
  u32 before = 0; /* where the previous phrase starts */
  for (u32 at = 0; at < p->count;) {
    Candidate c = phrase(p, at, choices, style.look_back);
    const u32 again = at - before + 1;
    if (previous >= 0 && next_code < NODES && again > c.depth && repeats(p, before, at)) {
      c = (Candidate){next_code, again, 0};
      memmove(p->chosen + at, p->chosen + before, again - 1);
      p->chosen[at + again - 1] = p->chosen[before];
    } else {
      for (int code = c.code, d = c.depth; d > 0; d--, code = parent_of[code]) p->chosen[at + d - 1] = symbol_of[code];
    }
    put_code(c.code, size);
    if (previous >= 0 && next_code < NODES) {
      table_add(next_code, previous, p->chosen[at]);
      next_code++;
      if (next_code == 1 << size && size < 12) size++;
      if (next_code == NODES) {
        full_since = at;
        codes = 0;
        recent = 0;
      }
    }
    previous = c.code;
    before = at;
    at += c.depth;
    if (next_code < NODES || at >= p->count) continue;
    recent = recent == 0 ? c.depth : recent * .995 + c.depth * .005;
    if (++codes > style.clear_after && recent < (double)(at - full_since) / codes * style.clear_ratio) {
      put_code(clear, size);
      table_clear();
      next_code = clear + 2;
      size = p->code_size + 1;
      previous = -1;
    }
  }
  put_code(end, size);
  put_end();
  return bytes_out;
}
