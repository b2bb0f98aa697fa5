/*
 * Progressive coding (ITU-T T.81, annex G) straight from packed rows, whose tokens are what a scan is made of: zeros
 * before a value, and the value. Every scan has one component and a Huffman table of its own, so its symbols are counted
 * before they are written: they are noted down on the way, and rows for which there was no room are gone through again.
 */
#include "packed.h"
#include "scans.h"
#include "jchuff.h"

/* Symbols that are noted down: 1 MB. */
#define NOTES_MAX (256 * 1024)
/* A note: the symbol, how many bits follow it, and these; or bits alone. */
#define NOTE_ALONE (1u << 31)
#define NOTE(symbol, count, bits) ((uint32_t)(symbol) << 21 | (uint32_t)(count) << 16 | (bits))

typedef struct {
  int emitting;
  long count[257];  /* symbols, when counting */
  uint8_t length[256];
  uint16_t code[256];
  uint64_t bits;    /* not yet written, right-aligned */
  int pending;      /* how many */
  uint32_t run;     /* blocks of an end-of-band run */
  int waiting;      /* correction bits of those blocks */
  uint8_t correction[WAITING_MAX + DCTSIZE2];
  uint32_t *notes;
  uint32_t noted, room; /* room: what may still be noted; 0 once a row did not fit */
} Coder;

/* ---- bytes out ---- */

static uint8_t buffer[65536];
static uint32_t filled;
static double written;
static int only_counting;

static void flush(void) {
  if (filled && !only_counting) host_write(buffer, filled);
  written += filled;
  filled = 0;
}

static inline void put_byte(int byte) {
  if (filled == sizeof buffer) flush();
  buffer[filled++] = byte;
}

static void put_word(int word) {
  put_byte(word >> 8);
  put_byte(word & 255);
}

/* A byte FF in coded data is followed by 00 (B.1.1.5). */
static void put_coded(uint32_t byte) {
  put_byte(byte);
  if (byte == 255) put_byte(0);
}

/* Up to 32 bits; they leave four bytes at a time. */
static inline void put_bits(Coder *c, uint32_t value, int count) {
  c->bits = c->bits << count | value;
  c->pending += count;
  if (c->pending < 32) return;
  c->pending -= 32;
  const uint32_t four = c->bits >> c->pending;
  const int has_ff = ((~four - 0x01010101) & four & 0x80808080) != 0;
  if (has_ff || filled + 4 > sizeof buffer) {
    for (int shift = 24; shift >= 0; shift -= 8) put_coded(four >> shift & 255);
    return;
  }
  const uint32_t swapped = __builtin_bswap32(four);
  memcpy(buffer + filled, &swapped, 4);
  filled += 4;
}

/* Ones fill the last byte (F.1.2.3). */
static void end_bits(Coder *c) {
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

static void end_run(Coder *c) {
  if (!c->run) return;
  const int size = size_of(c->run) - 1;
  symbol(c, size << 4, c->run, size);
  c->run = 0;
  corrections(c, c->correction, c->waiting);
  c->waiting = 0;
}

/* ---- the three kinds of scan ---- */

/* DC, all bits at once (G.1.2.1). */
static void dc_row(Coder *c, const uint8_t *in, uint32_t blocks, int *previous) {
  int dc = 0, gap, value;
  for (uint32_t x = 0; x < blocks; x++) {
    int difference;
    in = read_dc(in, &difference);
    dc += difference;
    const int step = dc - *previous, size = size_of(step < 0 ? -step : step);
    *previous = dc;
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

static const Store *store_of(const Plane *plane, int made) { return made ? plane->made : plane->read; }

/* What has to be known to go on with a row. */
typedef struct {
  uint32_t row, run, noted;
  int previous, waiting;
  uint8_t correction[WAITING_MAX + DCTSIZE2];
} Place;

static void remember(const Coder *c, uint32_t row, int previous, Place *place) {
  place->row = row;
  place->run = c->run;
  place->noted = c->noted;
  place->previous = previous;
  place->waiting = c->waiting;
  memcpy(place->correction, c->correction, c->waiting);
}

/* Goes through the rows from `place` on; where there was no room for notes any more, `place` becomes that row. */
static void run_scan(Coder *c, const Scan *scan, int made, Place *place) {
  const Plane *plane = &picture.plane[scan->plane];
  const Store *store = store_of(plane, made);
  uint8_t *empty = allocate_cleared(plane->blocks_wide * 2); /* what no scan of the original ever mentioned */
  int previous = place->previous;
  c->run = place->run;
  c->waiting = place->waiting;
  memcpy(c->correction, place->correction, place->waiting);
  for (uint32_t row = place->row; row < plane->blocks_high; row++) {
    const uint8_t *in = store->packed[row] ? store->packed[row] : empty;
    if (c->room) remember(c, row, previous, place);
    if (!scan->from) dc_row(c, in, plane->blocks_wide, &previous);
    else if (!scan->high) ac_first_row(c, scan, in, plane->blocks_wide);
    else ac_refine_row(c, scan, in, plane->blocks_wide);
  }
  if (c->room) remember(c, plane->blocks_high, previous, place);
  end_run(c);
  free(empty);
}

/* ---- Huffman tables ---- */

static Coder coder;

/* Codes of the optimal table (annex K.2 by libjpeg, C.2), and its segment. */
static void put_table(Coder *c, int is_ac) {
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

static void put_notes(Coder *c, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t what = c->notes[i], bits = what & 0xFFFF;
    const int length = what >> 16 & 31, value = what >> 21 & 255;
    if (what & NOTE_ALONE) put_bits(c, bits, length);
    else put_bits(c, (uint32_t)c->code[value] << length | bits, c->length[value] + length);
  }
}

static void put_scan(const Scan *scan, int made, uint32_t *notes, uint32_t room) {
  static Place place;
  memset(&coder, 0, sizeof coder);
  memset(&place, 0, sizeof place);
  coder.notes = notes;
  coder.room = room;
  run_scan(&coder, scan, made, &place);
  put_table(&coder, scan->from > 0);
  put_word(0xFFDA);
  put_word(8);
  put_byte(1);
  put_byte(picture.plane[scan->plane].id);
  put_byte(0);
  put_byte(scan->from);
  put_byte(scan->to);
  put_byte(scan->high << 4 | scan->low);
  coder.emitting = 1;
  coder.room = 0;
  put_notes(&coder, place.noted);
  run_scan(&coder, scan, made, &place);
  end_bits(&coder);
}

/* ---- the file ---- */

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
    put_bytes("\xFF\xEE\0\x0E" "Adobe\0\x64\0\0\0\0", 15);
    put_byte(picture.colour == JCS_YCCK ? 2 : 0);
  }
}

/* Progressive frame (B.2.2), scans, end. Returns the bytes; `counting` writes none. */
double write_scans(const Script *script, int made, int headers, int counting) {
  int slot[PLANES];
  only_counting = counting;
  written = filled = 0;
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
  const uint32_t most = packed_bytes() + 64, room = most < NOTES_MAX ? most : NOTES_MAX; /* a symbol takes a byte or more of them */
  uint32_t *notes = allocate(room * sizeof *notes);
  for (int i = 0; i < script->count; i++) put_scan(&script->scan[i], made, notes, room);
  free(notes);
  put_word(0xFFD9);
  flush();
  return written;
}
