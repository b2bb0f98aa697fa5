#include "coder.h"

#include "jchuff.h"

/* ---- output of coded bytes ---- */

void flush(Lane *lane) {
  Output *out = lane->output;
  out->lane = lane->number;
  if (lane->filled && !out->only_counting) host_write(lane->buffer, lane->filled);
  out->written += lane->filled;
  lane->filled = 0;
}

void put_byte(Lane *lane, int byte) {
  if (lane->filled == sizeof lane->buffer) flush(lane);
  lane->buffer[lane->filled++] = byte;
}

void put_word(Lane *lane, int word) {
  put_byte(lane, word >> 8);
  put_byte(lane, word & 255);
}

/* Inserts 00 after a coded byte FF (T.81, B.1.1.5). */
static void put_coded(Lane *lane, uint32_t byte) {
  put_byte(lane, byte);
  if (byte == 255) put_byte(lane, 0);
}

/* Appends up to 32 bits; full groups of four bytes are written. */
void put_bits(Coder *c, uint32_t value, int count) {
  c->bits = c->bits << count | value;
  c->pending += count;
  if (c->pending < 32) return;
  c->pending -= 32;
  const uint32_t four = c->bits >> c->pending;
  const int has_ff = ((~four - 0x01010101) & four & 0x80808080) != 0;
  Lane *lane = c->lane;
  if (has_ff || lane->filled + 4 > sizeof lane->buffer) {
    for (int shift = 24; shift >= 0; shift -= 8) put_coded(lane, four >> shift & 255);
    return;
  }
  const uint32_t swapped = __builtin_bswap32(four);
  memcpy(lane->buffer + lane->filled, &swapped, 4);
  lane->filled += 4;
}

/* Pads the last byte with ones (T.81, F.1.2.3). */
void end_bits(Coder *c) {
  put_bits(c, 127, 7);
  for (; c->pending >= 8; c->pending -= 8) put_coded(c->lane, c->bits >> (c->pending - 8) & 255);
}

/* ---- Huffman symbols ---- */

static inline void note(Coder *c, uint32_t what) {
  if (c->noted < c->room) c->notes[c->noted++] = what;
  else c->room = 0;
}

/* Counts, or writes, a symbol and the `count` bits that follow it. */
static inline void symbol(Coder *c, int value, uint32_t bits, int count) {
  bits &= (1u << count) - 1;
  if (c->emitting) {
    put_bits(c, (uint32_t)c->code[value] << count | bits, c->length[value] + count);
  } else {
    c->count[value]++;
    note(c, NOTE(value, count, bits));
  }
}

static inline int size_of(uint32_t magnitude) { return magnitude ? 32 - __builtin_clz(magnitude) : 0; }

static void corrections(Coder *c, const uint8_t *bits, int count) {
  for (int from = 0; from < count; from += 16) {
    const int part = count - from < 16 ? count - from : 16;
    uint32_t value = 0;
    for (int i = 0; i < part; i++) value = value << 1 | bits[from + i];
    if (c->emitting) put_bits(c, value, part);
    else note(c, NOTE_ALONE | NOTE(0, part, value));
  }
}

void end_run(Coder *c) {
  if (!c->run) return;
  const int size = size_of(c->run) - 1;
  symbol(c, size << 4, c->run, size);
  c->run = 0;
  corrections(c, c->correction, c->waiting);
  c->waiting = 0;
}

/* ---- DC scans, first AC scans, AC refinement scans ---- */

/* DC scan with all bits at once (T.81, G.1.2.1). */
static void dc_row(Coder *c, const uint8_t *in, uint32_t blocks) {
  int dc = 0, gap, value;
  for (uint32_t x = 0; x < blocks; x++) {
    int difference;
    in = read_dc(in, &difference);
    dc += difference;
    const int step = dc - c->previous, size = size_of(step < 0 ? -step : step);
    c->previous = dc;
    symbol(c, size, step < 0 ? step - 1 : step, size);
    for (uint32_t token; (token = *in++);) in = read_ac(in, token, &gap, &value);
  }
}

/* First AC scan of a spectral band (T.81, G.1.2.2). */
static void ac_first_row(Coder *c, const Scan *scan, const uint8_t *in, uint32_t blocks) {
  const int from = scan->from, to = scan->to, low = scan->low;
  int difference;
  for (uint32_t x = 0; x < blocks; x++) {
    in = read_dc(in, &difference);
    int place = 0, last = from - 1;
    for (uint32_t token; (token = *in++);) {
      int gap, value;
      in = read_ac(in, token, &gap, &value);
      place += gap + 1;
      const uint32_t size = (uint32_t)(value < 0 ? -value : value) >> low;
      if (!size || place < from || place > to) continue;
      if (c->run) end_run(c);
      int zeros = place - last - 1;
      last = place;
      for (; zeros > 15; zeros -= 16) symbol(c, 0xF0, 0, 0);
      const int bits = size_of(size);
      symbol(c, zeros << 4 | bits, value < 0 ? ~size : size, bits);
    }
    if (last < to && ++c->run == RUN_MAX) end_run(c);
  }
}

/* Non-zero values of a block in a spectral band. */
typedef struct {
  int count, end; /* `end`: index after the last value that becomes non-zero in this scan */
  uint8_t place[DCTSIZE2];
  uint16_t size[DCTSIZE2]; /* magnitudes with the bits coded so far; 1: becomes non-zero in this scan */
  uint64_t negative;
} BandValues;

static inline const uint8_t *read_band(const Scan *scan, const uint8_t *in, BandValues *v) {
  const int from = scan->from, to = scan->to, low = scan->low;
  int difference, place = 0, count = 0;
  uint64_t negative = 0;
  v->end = 0;
  in = read_dc(in, &difference);
  for (uint32_t token; (token = *in++);) {
    int gap, value;
    in = read_ac(in, token, &gap, &value);
    place += gap + 1;
    const uint32_t size = (uint32_t)(value < 0 ? -value : value) >> low;
    if (!size || place < from || place > to) continue;
    if (value < 0) negative |= 1ull << count;
    v->place[count] = place;
    v->size[count++] = size;
    if (size == 1) v->end = count;
  }
  v->count = count;
  v->negative = negative;
  return in;
}

/* AC refinement scan of one block: one more bit for each value (T.81, G.1.2.3). */
static inline void refine_block(Coder *c, const Scan *scan, const BandValues *v) {
  int zeros = 0, last = scan->from - 1;
  uint8_t *own = c->correction + c->waiting; /* stored after the correction bits of the end-of-band run */
  int own_count = 0;
  for (int i = 0; i < v->count; i++) {
    zeros += v->place[i] - last - 1;
    last = v->place[i];
    while (zeros > 15 && i < v->end) {
      end_run(c);
      symbol(c, 0xF0, 0, 0);
      zeros -= 16;
      corrections(c, own, own_count);
      own = c->correction;
      own_count = 0;
    }
    if (v->size[i] > 1) {
      own[own_count++] = v->size[i] & 1;
      continue;
    }
    end_run(c);
    symbol(c, zeros << 4 | 1, !(v->negative >> i & 1), 1);
    corrections(c, own, own_count);
    own = c->correction;
    own_count = 0;
    zeros = 0;
  }
  if (last == scan->to && !zeros && !own_count) return;
  c->waiting += own_count;
  if (++c->run == RUN_MAX || c->waiting > WAITING_MAX - DCTSIZE2) end_run(c);
}

static void ac_refine_row(Coder *c, const Scan *scan, const uint8_t *in, uint32_t blocks) {
  BandValues values;
  for (uint32_t x = 0; x < blocks; x++) {
    in = read_band(scan, in, &values);
    refine_block(c, scan, &values);
  }
}

void code_row(Coder *c, const Scan *scan, const uint8_t *in, uint32_t blocks) {
  if (!scan->from) dc_row(c, in, blocks);
  else if (!scan->high) ac_first_row(c, scan, in, blocks);
  else ac_refine_row(c, scan, in, blocks);
}

/* ---- Huffman tables ---- */

/* Computes the optimal Huffman codes (T.81, annex K.2 by libjpeg, and C.2) and writes the DHT segment. */
void put_table(Coder *c, int is_ac) {
  struct jpeg_error_mgr errors;
  /* unused compressor object that libjpeg needs for error reports */
  struct jpeg_compress_struct nobody = {.err = error_manager(&errors)};
  Lane *lane = c->lane;
  JHUFF_TBL table = {0};
  jpeg_gen_optimal_table(&nobody, &table, c->count);
  int symbols = 0, code = 0;
  for (int length = 1; length <= 16; length++, code <<= 1)
    for (int i = 0; i < table.bits[length]; i++) {
      c->length[table.huffval[symbols]] = length;
      c->code[table.huffval[symbols++]] = code++;
    }
  put_word(lane, 0xFFC4);
  put_word(lane, 2 + 17 + symbols);
  put_byte(lane, is_ac << 4);
  for (int length = 1; length <= 16; length++) put_byte(lane, table.bits[length]);
  for (int i = 0; i < symbols; i++) put_byte(lane, table.huffval[i]);
}

/* ---- JPEG headers ---- */

/* Writes quantisation tables. Planes with equal steps share one; a file has at most four (T.81, B.2.4.1). */
static void put_steps(Lane *lane, const Picture *picture, int made, int *slot) {
  const uint16_t *used[PLANES];
  int slots = 0;
  for (int i = 0; i < picture->planes; i++) {
    const uint16_t *steps = steps_of(&picture->plane[i], made);
    slot[i] = 0;
    while (slot[i] < slots && memcmp(used[slot[i]], steps, DCTSIZE2 * sizeof *steps)) slot[i]++;
    if (slot[i] < slots) continue;
    used[slots++] = steps;
    int wide = 0;
    for (int k = 0; k < DCTSIZE2; k++) wide |= steps[k] > 255;
    put_word(lane, 0xFFDB);
    put_word(lane, 3 + DCTSIZE2 * (1 + wide));
    put_byte(lane, wide << 4 | slot[i]);
    for (int k = 0; k < DCTSIZE2; k++) {
      const int step = steps[jpeg_natural_order[k]];
      if (wide) put_word(lane, step);
      else put_byte(lane, step);
    }
  }
}

static void put_bytes(Lane *lane, const char *bytes, int count) {
  for (int i = 0; i < count; i++) put_byte(lane, (uint8_t)bytes[i]);
}

/* Writes a JFIF segment for grey and YCbCr, otherwise an Adobe segment with transform 0 (RGB, CMYK) or 2 (YCCK). */
static void put_headers(Lane *lane, const Picture *picture) {
  if (picture->colour == JCS_GRAYSCALE || picture->colour == JCS_YCbCr) {
    put_bytes(lane, "\xFF\xE0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0", 18);
  } else if (picture->colour != JCS_UNKNOWN) {
    put_bytes(lane,
              "\xFF\xEE\0\x0E"
              "Adobe\0\x64\0\0\0\0",
              15);
    put_byte(lane, picture->colour == JCS_YCCK ? 2 : 0);
  }
}

/* Writes SOI, quantisation tables and the progressive frame header (T.81, B.2.2). */
void put_head(Lane *lane, const Picture *picture, int made, int headers) {
  int slot[PLANES];
  put_word(lane, 0xFFD8);
  if (headers) put_headers(lane, picture);
  put_steps(lane, picture, made, slot);
  put_word(lane, 0xFFC2);
  put_word(lane, 8 + 3 * picture->planes);
  put_byte(lane, 8);
  put_word(lane, picture->height);
  put_word(lane, picture->width);
  put_byte(lane, picture->planes);
  for (int i = 0; i < picture->planes; i++) {
    put_byte(lane, picture->plane[i].id);
    put_byte(lane, picture->plane[i].h << 4 | picture->plane[i].v);
    put_byte(lane, slot[i]);
  }
}

void put_scan_header(Lane *lane, const Picture *picture, const Scan *scan) {
  put_word(lane, 0xFFDA);
  put_word(lane, 8);
  put_byte(lane, 1);
  put_byte(lane, picture->plane[scan->plane].id);
  put_byte(lane, 0);
  put_byte(lane, scan->from);
  put_byte(lane, scan->to);
  put_byte(lane, scan->high << 4 | scan->low);
}
