/*
 * Progressive coding (ITU-T T.81, annex G) straight from packed rows, whose tokens are what a scan is made of: zeros
 * before a value, and the value. Every scan has one component and a Huffman table of its own.
 */
#include "coder.h"
#include "jchuff.h"

/* ---- bytes out ---- */

static Lane whole;
Lane *lane = &whole;
double written;
int only_counting;

int EXPORT(lane_written)(void) { return lane->number; }

void flush(void) {
  if (lane->filled && !only_counting) host_write(lane->buffer, lane->filled);
  written += lane->filled;
  lane->filled = 0;
}

void put_byte(int byte) {
  if (lane->filled == sizeof lane->buffer) flush();
  lane->buffer[lane->filled++] = byte;
}

void put_word(int word) {
  put_byte(word >> 8);
  put_byte(word & 255);
}

/* A byte FF in coded data is followed by 00 (B.1.1.5). */
static void put_coded(uint32_t byte) {
  put_byte(byte);
  if (byte == 255) put_byte(0);
}

/* Up to 32 bits; they leave four bytes at a time. */
void put_bits(Coder *c, uint32_t value, int count) {
  c->bits = c->bits << count | value;
  c->pending += count;
  if (c->pending < 32) return;
  c->pending -= 32;
  const uint32_t four = c->bits >> c->pending;
  const int has_ff = ((~four - 0x01010101) & four & 0x80808080) != 0;
  if (has_ff || lane->filled + 4 > sizeof lane->buffer) {
    for (int shift = 24; shift >= 0; shift -= 8) put_coded(four >> shift & 255);
    return;
  }
  const uint32_t swapped = __builtin_bswap32(four);
  memcpy(lane->buffer + lane->filled, &swapped, 4);
  lane->filled += 4;
}

/* Ones fill the last byte (F.1.2.3). */
void end_bits(Coder *c) {
  put_bits(c, 127, 7);
  for (; c->pending >= 8; c->pending -= 8) put_coded(c->bits >> (c->pending - 8) & 255);
}

/* ---- symbols ---- */

static inline void note(Coder *c, uint32_t what) {
  if (c->noted < c->room) c->notes[c->noted++] = what;
  else c->room = 0;
}

/* A symbol and the bits behind it. */
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

/* ---- the three kinds of scan ---- */

/* DC, all bits at once (G.1.2.1). */
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

/* A band for the first time (G.1.2.2). */
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

/* One more bit for a band (G.1.2.3). */
static void ac_refine_row(Coder *c, const Scan *scan, const uint8_t *in, uint32_t blocks) {
  const int from = scan->from, to = scan->to, low = scan->low;
  int difference;
  for (uint32_t x = 0; x < blocks; x++) {
    in = read_dc(in, &difference);
    int place = 0, count = 0, end = 0; /* end: how many of the values there are up to the last that is new */
    uint8_t places[DCTSIZE2];
    uint16_t sizes[DCTSIZE2];
    uint64_t negative = 0;
    for (uint32_t token; (token = *in++);) {
      int gap, value;
      in = read_ac(in, token, &gap, &value);
      place += gap + 1;
      const uint32_t size = (uint32_t)(value < 0 ? -value : value) >> low;
      if (!size || place < from || place > to) continue;
      if (value < 0) negative |= 1ull << count;
      places[count] = place;
      sizes[count++] = size;
      if (size == 1) end = count;
    }
    int zeros = 0, last = from - 1;
    uint8_t *own = c->correction + c->waiting; /* behind those of the run, until it ends */
    int own_count = 0;
    for (int i = 0; i < count; i++) {
      zeros += places[i] - last - 1;
      last = places[i];
      while (zeros > 15 && i < end) {
        end_run(c);
        symbol(c, 0xF0, 0, 0);
        zeros -= 16;
        corrections(c, own, own_count);
        own = c->correction;
        own_count = 0;
      }
      if (sizes[i] > 1) {
        own[own_count++] = sizes[i] & 1;
        continue;
      }
      end_run(c);
      symbol(c, zeros << 4 | 1, !(negative >> i & 1), 1);
      corrections(c, own, own_count);
      own = c->correction;
      own_count = 0;
      zeros = 0;
    }
    if (last == to && !zeros && !own_count) continue;
    c->waiting += own_count;
    if (++c->run == RUN_MAX || c->waiting > WAITING_MAX - DCTSIZE2) end_run(c);
  }
}

void code_row(Coder *c, const Scan *scan, const uint8_t *in, uint32_t blocks) {
  if (!scan->from) dc_row(c, in, blocks);
  else if (!scan->high) ac_first_row(c, scan, in, blocks);
  else ac_refine_row(c, scan, in, blocks);
}

/* ---- Huffman tables ---- */

/* Codes of the optimal table (annex K.2 by libjpeg, C.2), and its segment. */
void put_table(Coder *c, int is_ac) {
  static struct jpeg_compress_struct nobody; /* for errors */
  nobody.err = error_manager();
  JHUFF_TBL table = {0};
  jpeg_gen_optimal_table(&nobody, &table, c->count);
  int symbols = 0, code = 0;
  for (int length = 1; length <= 16; length++, code <<= 1)
    for (int i = 0; i < table.bits[length]; i++) {
      c->length[table.huffval[symbols]] = length;
      c->code[table.huffval[symbols++]] = code++;
    }
  put_word(0xFFC4);
  put_word(2 + 17 + symbols);
  put_byte(is_ac << 4);
  for (int length = 1; length <= 16; length++) put_byte(table.bits[length]);
  for (int i = 0; i < symbols; i++) put_byte(table.huffval[i]);
}

/* ---- headers ---- */

/* Planes with equal steps share a table; there are four (B.2.4.1). */
static void put_steps(int made, int *slot) {
  const uint16_t *used[PLANES];
  int slots = 0;
  for (int i = 0; i < picture.planes; i++) {
    const uint16_t *steps = made ? picture.plane[i].made_step : picture.plane[i].read_step;
    slot[i] = 0;
    while (slot[i] < slots && memcmp(used[slot[i]], steps, DCTSIZE2 * sizeof *steps)) slot[i]++;
    if (slot[i] < slots) continue;
    used[slots++] = steps;
    int wide = 0;
    for (int k = 0; k < DCTSIZE2; k++) wide |= steps[k] > 255;
    put_word(0xFFDB);
    put_word(3 + DCTSIZE2 * (1 + wide));
    put_byte(wide << 4 | slot[i]);
    for (int k = 0; k < DCTSIZE2; k++) {
      const int step = steps[jpeg_natural_order[k]];
      if (wide) put_word(step);
      else put_byte(step);
    }
  }
}

static void put_bytes(const char *bytes, int count) {
  for (int i = 0; i < count; i++) put_byte((uint8_t)bytes[i]);
}

/* JFIF for what it covers, Adobe's segment for the rest: 0 is RGB or CMYK, 2 YCCK. */
static void put_headers(void) {
  if (picture.colour == JCS_GRAYSCALE || picture.colour == JCS_YCbCr) {
    put_bytes("\xFF\xE0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0", 18);
  } else if (picture.colour != JCS_UNKNOWN) {
    put_bytes("\xFF\xEE\0\x0E"
              "Adobe\0\x64\0\0\0\0",
              15);
    put_byte(picture.colour == JCS_YCCK ? 2 : 0);
  }
}

/* Start, tables of steps, progressive frame (B.2.2). */
void put_head(int made, int headers) {
  int slot[PLANES];
  put_word(0xFFD8);
  if (headers) put_headers();
  put_steps(made, slot);
  put_word(0xFFC2);
  put_word(8 + 3 * picture.planes);
  put_byte(8);
  put_word(picture.height);
  put_word(picture.width);
  put_byte(picture.planes);
  for (int i = 0; i < picture.planes; i++) {
    put_byte(picture.plane[i].id);
    put_byte(picture.plane[i].h << 4 | picture.plane[i].v);
    put_byte(slot[i]);
  }
}

void put_scan_header(const Scan *scan) {
  put_word(0xFFDA);
  put_word(8);
  put_byte(1);
  put_byte(picture.plane[scan->plane].id);
  put_byte(0);
  put_byte(scan->from);
  put_byte(scan->to);
  put_byte(scan->high << 4 | scan->low);
}
