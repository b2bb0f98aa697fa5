#include "lzw.h"

#include <string.h>

const LzwStyle lzw_styles[LZW_STYLES] = LZW_STYLE_VALUES;

/* ---- writing LZW codes as bytes ---- */

static void writer_begin(LzwBits *w) {
  w->bits = 0;
  w->bit_count = 0;
  w->block[0] = 0;
}

static void put_byte(LzwBits *w, u8 byte) {
  w->block[1 + w->block[0]++] = byte;
  if (w->block[0] < 255) return;
  output_write(w->output, w->block, 256);
  w->block[0] = 0;
}

static void put_bits(LzwBits *w, u32 code, int size) {
  w->bits |= (u64)code << w->bit_count;
  for (w->bit_count += size; w->bit_count >= 8; w->bit_count -= 8, w->bits >>= 8) put_byte(w, (u8)w->bits);
}

static void writer_end(LzwBits *w) {
  if (w->bit_count) put_byte(w, (u8)w->bits);
  if (w->block[0]) output_write(w->output, w->block, w->block[0] + 1);
  const u8 terminator = 0;
  output_write(w->output, &terminator, 1);
}

/* ---- the LZW table ---- */

static inline u32 slot_of(u32 key) { return (key * 0x9E3779B1u) >> (32 - LZW_SLOT_BITS); }
static inline u32 find(const Lzw *lzw, u32 code, u8 symbol) {
  const u32 key = code << 8 | symbol;
  for (u32 h = slot_of(key);; h = (h + 1) & (LZW_SLOTS - 1)) {
    const u32 entry = lzw->table[h];
    if (!entry) return 0;
    if (entry >> 12 == key) return entry & 4095;
  }
}
static inline void enter(Lzw *lzw, u32 code, u8 symbol, u32 longer) {
  const u32 key = code << 8 | symbol;
  u32 h = slot_of(key);
  while (lzw->table[h]) h = (h + 1) & (LZW_SLOTS - 1);
  lzw->table[h] = key << 12 | longer;
}

static void put(Lzw *lzw, u32 code) {
  lzw->bits += lzw->size;
  if (lzw->writer) put_bits(lzw->writer, code, lzw->size);
}
static void clear(Lzw *lzw) {
  put(lzw, 1u << lzw->code_size);
  memset(lzw->table, 0, sizeof lzw->table);
  for (int i = 0; i < lzw->runs; i++) lzw->run_most[i] = 1;
  lzw->next_code = (1 << lzw->code_size) + 2;
  lzw->size = lzw->code_size + 1;
}

void lzw_begin(Lzw *lzw, int code_size, LzwStyle style, LzwBits *writer) {
  if (writer) writer_begin(writer);
  lzw->code_size = code_size;
  lzw->size = code_size + 1;
  lzw->style = style;
  lzw->writer = writer;
  lzw->filled = false;
  lzw->bits = 0;
  lzw->codes = 0;
  lzw->phrase = -1;
  lzw->runs = 0;
  memset(lzw->run_of, 255, sizeof lzw->run_of);
  clear(lzw);
}

/* Ends the phrase, because the table has no entry for the phrase followed by `next`. */
static inline void end_phrase(Lzw *lzw, u8 next) {
  put(lzw, lzw->phrase);
  lzw->at += lzw->length;
  if (lzw->next_code < LZW_CODES) {
    enter(lzw, lzw->phrase, next, lzw->next_code);
    if (++lzw->next_code > 1 << lzw->size && lzw->size < LZW_CODE_BITS) lzw->size++;
    if (lzw->next_code == LZW_CODES) {
      lzw->filled = true;
      lzw->at = lzw->codes = 0;
      lzw->recent = 0;
    }
  } else {
    lzw->recent = lzw_recent(lzw->recent, lzw->length);
    const double average = (double)lzw->at / ++lzw->codes;
    if (lzw->codes > lzw->style.clear_after && lzw->recent < average * lzw->style.clear_ratio) clear(lzw);
  }
  lzw->phrase = next;
  lzw->length = lzw->run = 1;
}

/* Returns the list of run codes of `symbol`, created if a list is free; -1: none. */
static int run_list(Lzw *lzw, u8 symbol) {
  if (lzw->run_of[symbol] >= 0 || lzw->runs == LZW_RUNS) return lzw->run_of[symbol];
  const int r = lzw->run_of[symbol] = lzw->runs++;
  u32 most = 1;
  lzw->run_codes[r][1] = symbol;
  for (u32 code = symbol; (code = find(lzw, code, symbol));) lzw->run_codes[r][++most] = code;
  lzw->run_most[r] = most;
  return r;
}

/* Encodes a run in steps of the longest known phrase of that symbol, instead of pixel by pixel. */
static void take_run(Lzw *lzw, u8 symbol, u32 count) {
  int r = lzw->run_of[symbol];
  if (r < 0 && count >= LZW_RUN_LEAST) r = run_list(lzw, symbol);
  while (r >= 0) {
    const u32 most = lzw->run_most[r], room = most - lzw->run;
    if (count <= room) {
      lzw->run += count;
      lzw->length += count;
      lzw->phrase = lzw->run_codes[r][lzw->run];
      return;
    }
    lzw->length += room;
    lzw->phrase = lzw->run_codes[r][most];
    const int added = lzw->next_code;
    end_phrase(lzw, symbol);
    if (lzw->next_code == added + 1) lzw->run_codes[r][++lzw->run_most[r]] = added;
    if (!(count -= room + 1)) return;
  }
  while (count--) {
    const u32 longer = find(lzw, lzw->phrase, symbol);
    if (longer) {
      lzw->phrase = longer;
      lzw->length++;
      lzw->run++;
    } else {
      end_phrase(lzw, symbol);
    }
  }
}

void lzw_row(Lzw *lzw, const u8 *row, u32 count) {
  u32 i = 0;
  if (lzw->phrase < 0) {
    lzw->phrase = row[i++];
    lzw->length = lzw->run = 1;
    lzw->at = 0;
    lzw->last = lzw->phrase;
  }
  while (i < count) {
    const u8 symbol = row[i];
    if (symbol == lzw->last && lzw->run) { /* the current phrase is a run of this symbol */
      u32 j = i + 1;
      while (j < count && row[j] == symbol) j++;
      take_run(lzw, symbol, j - i);
      i = j;
      continue;
    }
    lzw->last = symbol;
    const u32 longer = find(lzw, lzw->phrase, symbol);
    if (longer) {
      lzw->phrase = longer;
      lzw->length++;
      lzw->run = 0;
    } else {
      end_phrase(lzw, symbol);
    }
    i++;
  }
}

u32 lzw_end(Lzw *lzw) {
  put(lzw, lzw->phrase);
  if (lzw->next_code == 1 << lzw->size && lzw->size < LZW_CODE_BITS) lzw->size++;
  put(lzw, (1u << lzw->code_size) + 1);
  if (lzw->writer) writer_end(lzw->writer);
  return lzw_block_bytes((lzw->bits + 7) >> 3);
}
