/* LZW encoder (GIF89a, appendix F) for symbols that are settled. Several encoders can take the same rows side by side, so that
 * ways to clear the table, or to use transparency, are compared in one pass; they count bits, one of them writes.
 *
 * A run of one symbol is taken in steps of the longest known phrase of that symbol alone, not pixel by pixel. */
#include "engine.h"

/* ---- bytes ---- */

static u8 block[256];
static u64 bits;
static int bit_count;

static void bits_begin(void) {
  bits = 0;
  bit_count = 0;
  block[0] = 0;
}
static void put_byte(u8 b) {
  block[1 + block[0]++] = b;
  if (block[0] < 255) return;
  emit(block, 256);
  block[0] = 0;
}
static void bits_put(u32 code, int size) {
  bits |= (u64)code << bit_count;
  for (bit_count += size; bit_count >= 8; bit_count -= 8, bits >>= 8) put_byte((u8)bits);
}
static void bits_end(void) {
  if (bit_count) put_byte((u8)bits);
  if (block[0]) emit(block, block[0] + 1);
  const u8 terminator = 0;
  emit(&terminator, 1);
}
/* Bytes that `count` bits make, with the lengths of sub-blocks and the terminator. */
static u32 bits_bytes(u64 count) {
  const u32 payload = (count + 7) >> 3;
  return payload + (payload + 254) / 255 + 1;
}

/* ---- the table: (code, symbol) << 12 | code of the longer phrase, 0 for an empty slot ---- */

static inline u32 slot_of(u32 key) { return (key * 0x9E3779B1u) >> (32 - LZW_SLOT_BITS); }
static inline u32 find(const Lzw *l, u32 code, u8 symbol) {
  const u32 key = code << 8 | symbol;
  for (u32 h = slot_of(key);; h = (h + 1) & (LZW_SLOTS - 1)) {
    const u32 entry = l->table[h];
    if (!entry) return 0;
    if (entry >> 12 == key) return entry & 4095;
  }
}
static inline void enter(Lzw *l, u32 code, u8 symbol, u32 longer) {
  const u32 key = code << 8 | symbol;
  u32 h = slot_of(key);
  while (l->table[h]) h = (h + 1) & (LZW_SLOTS - 1);
  l->table[h] = key << 12 | longer;
}

static void put(Lzw *l, u32 code) {
  l->bits += l->size;
  if (l->writing) bits_put(code, l->size);
}
static void clear(Lzw *l) {
  put(l, 1u << l->code_size);
  memset(l->table, 0, sizeof l->table);
  for (int i = 0; i < l->runs; i++) l->run_most[i] = 1;
  l->next_code = (1 << l->code_size) + 2;
  l->size = l->code_size + 1;
}

void lzw_begin(Lzw *l, int code_size, LzwStyle style, bool writing) {
  if (writing) bits_begin();
  l->code_size = code_size;
  l->size = code_size + 1;
  l->style = style;
  l->writing = writing;
  l->filled = false;
  l->bits = 0;
  l->codes = 0;
  l->phrase = -1;
  l->runs = 0;
  memset(l->run_of, 255, sizeof l->run_of);
  clear(l);
}

/* The phrase ends because `next` cannot follow. */
static inline void end_phrase(Lzw *l, u8 next) {
  put(l, l->phrase);
  l->at += l->length;
  if (l->next_code < LZW_CODES) {
    enter(l, l->phrase, next, l->next_code);
    if (++l->next_code > 1 << l->size && l->size < 12) l->size++;
    if (l->next_code == LZW_CODES) {
      l->filled = true;
      l->at = l->codes = 0;
      l->recent = 0;
    }
  } else {
    l->recent = l->recent == 0 ? l->length : l->recent * .995 + l->length * .005;
    if (++l->codes > l->style.clear_after && l->recent < (double)l->at / l->codes * l->style.clear_ratio) clear(l);
  }
  l->phrase = next;
  l->length = l->run = 1;
}

/* Phrases of this symbol alone from now on go into a list. */
static int run_list(Lzw *l, u8 symbol) {
  if (l->run_of[symbol] >= 0 || l->runs == LZW_RUNS) return l->run_of[symbol];
  const int r = l->run_of[symbol] = l->runs++;
  u32 most = 1;
  l->run_codes[r][1] = symbol;
  for (u32 code = symbol; (code = find(l, code, symbol)); ) l->run_codes[r][++most] = code;
  l->run_most[r] = most;
  return r;
}

static void take_run(Lzw *l, u8 symbol, u32 count) {
  int r = l->run_of[symbol];
  if (r < 0 && count >= 8) r = run_list(l, symbol);
  while (r >= 0) {
    const u32 most = l->run_most[r], room = most - l->run;
    if (count <= room) {
      l->run += count;
      l->length += count;
      l->phrase = l->run_codes[r][l->run];
      return;
    }
    l->length += room;
    l->phrase = l->run_codes[r][most];
    const int added = l->next_code;
    end_phrase(l, symbol);
    if (l->next_code == added + 1) l->run_codes[r][++l->run_most[r]] = added;
    if (!(count -= room + 1)) return;
  }
  while (count--) {
    const u32 longer = find(l, l->phrase, symbol);
    if (longer) {
      l->phrase = longer;
      l->length++;
      l->run++;
    } else {
      end_phrase(l, symbol);
    }
  }
}

void lzw_row(Lzw *l, const u8 *row, u32 count) {
  u32 i = 0;
  if (l->phrase < 0) {
    l->phrase = row[i++];
    l->length = l->run = 1;
    l->at = 0;
    l->last = l->phrase;
  }
  while (i < count) {
    const u8 symbol = row[i];
    if (symbol == l->last && l->run) { /* the phrase is a run of this symbol */
      u32 j = i + 1;
      while (j < count && row[j] == symbol) j++;
      take_run(l, symbol, j - i);
      i = j;
      continue;
    }
    l->last = symbol;
    const u32 longer = find(l, l->phrase, symbol);
    if (longer) {
      l->phrase = longer;
      l->length++;
      l->run = 0;
    } else {
      end_phrase(l, symbol);
    }
    i++;
  }
}

u32 lzw_end(Lzw *l) {
  put(l, l->phrase);
  if (l->next_code == 1 << l->size && l->size < 12) l->size++;
  put(l, (1u << l->code_size) + 1);
  if (l->writing) bits_end();
  return bits_bytes(l->bits);
}
