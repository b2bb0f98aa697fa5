/* Lossless JPEG-LS coder (ISO/IEC 14495-1, ITU-T T.87, with NEAR = 0 and the default parameters of C.2.4.1.1). It works
 * line by line with two lines per component in memory, so that a frame of any height takes constant memory. Supports
 * one component, or several interleaved by lines (ILV = 1). The host passes rows in and receives bytes, or the reverse.
 * Written from the standard; section numbers are those of T.87. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

enum { MAX_WIDTH = 65535, MAX_COMPONENTS = 4, CONTEXTS = 367, RESET = 64, MAX_SAMPLES = 1 << 18 };

/* Run lengths by run index (T.87, A.7.1.1). */
static const uint8_t J[32] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 9, 10, 11, 12, 13, 14, 15};

typedef struct {
  /* Format of the frame. */
  int width, components, sample_bytes, bits, max_value, limit;
  /* Quantised gradient (T.87, A.3.3): index is gradient + 65536, value is -4 to 4. */
  int8_t gradient_class[2 * 65536];

  /* Variables of the contexts (T.87, A.2.1 and A.7). */
  int32_t A[CONTEXTS], B[CONTEXTS], C[CONTEXTS], N[CONTEXTS], negatives[2];
  int run_index[MAX_COMPONENTS];
  /* The line above and the current line of each component, with an edge sample on both sides. */
  uint16_t lines[MAX_COMPONENTS][2][MAX_WIDTH + 2];
  int current_line;

  /* Bits not written or not read yet, right-aligned. */
  uint64_t held;
  int held_bits;
  int after_ff; /* the last byte was 0xFF */
  uint8_t *put;
  const uint8_t *take, *take_end;
  int overrun; /* number of zero bytes supplied after the end of the input */
  int consumed_bytes;

  /* Samples of the current rows, little-endian as in DICOM; up to MAX_SAMPLES, or one row. */
  uint8_t rows[2 * MAX_SAMPLES];
  /* Coded bytes. A sample takes at most LIMIT = 64 bits plus a run bit, and one bit in eight is stuffed after 0xFF. */
  uint8_t code[10 * MAX_SAMPLES];
} Coder;

/* The coder of this instance. Only the functions for the host know it. */
static Coder coder;

EXPORT(rows_at) uint8_t *rows_at(void) { return coder.rows; }
EXPORT(code_at) uint8_t *code_at(void) { return coder.code; }
EXPORT(code_room) int code_room(void) { return (int)sizeof coder.code; }

static int clamp_threshold(Coder *s, int value, int low) { return value > s->max_value || value < low ? low : value; }

/* Initialises the coder for a frame. Returns 0 if a parameter is out of range. */
EXPORT(begin) int begin(int frame_width, int frame_components, int bits_a_sample, int bytes_a_sample) {
  Coder *s = &coder;
  if (frame_width < 1 || frame_width > MAX_WIDTH || frame_components < 1 || frame_components > MAX_COMPONENTS) return 0;
  if (bits_a_sample < 2 || bits_a_sample > 8 * bytes_a_sample || bytes_a_sample < 1 || bytes_a_sample > 2) return 0;
  if (frame_width * frame_components > MAX_SAMPLES) return 0;
  s->width = frame_width;
  s->components = frame_components;
  s->sample_bytes = bytes_a_sample;
  if (s->bits != bits_a_sample) {
    s->bits = bits_a_sample;
    s->max_value = (1 << s->bits) - 1;
    s->limit = 2 * (s->bits + (s->bits > 8 ? s->bits : 8)); /* maximum code length (T.87, A.2.1) */
    int t1, t2, t3;                             /* gradient thresholds (T.87, C.2.4.1.1.1) */
    if (s->max_value >= 128) {
      int factor = ((s->max_value < 4095 ? s->max_value : 4095) + 128) / 256;
      t1 = clamp_threshold(s, factor * (3 - 2) + 2, 1);
      t2 = clamp_threshold(s, factor * (7 - 3) + 3, t1);
      t3 = clamp_threshold(s, factor * (21 - 4) + 4, t2);
    } else {
      int factor = 256 / (s->max_value + 1);
      t1 = clamp_threshold(s, 3 / factor > 2 ? 3 / factor : 2, 1);
      t2 = clamp_threshold(s, 7 / factor > 3 ? 7 / factor : 3, t1);
      t3 = clamp_threshold(s, 21 / factor > 4 ? 21 / factor : 4, t2);
    }
    for (int d = -s->max_value; d <= s->max_value; d++)
      s->gradient_class[d + 65536] = (int8_t)(d <= -t3   ? -4
                                           : d <= -t2 ? -3
                                           : d <= -t1 ? -2
                                           : d < 0    ? -1
                                           : d == 0   ? 0
                                           : d < t1   ? 1
                                           : d < t2   ? 2
                                           : d < t3   ? 3
                                                      : 4);
  }
  int first = ((s->max_value + 1) + 32) / 64; /* initial value of the context variable A (T.87, A.2.1) */
  for (int q = 0; q < CONTEXTS; q++) {
    s->A[q] = first > 2 ? first : 2;
    s->B[q] = s->C[q] = 0;
    s->N[q] = 1;
  }
  s->negatives[0] = s->negatives[1] = 0;
  memset(s->run_index, 0, sizeof s->run_index);
  for (int c = 0; c < s->components; c++) memset(s->lines[c], 0, sizeof s->lines[c]);
  s->current_line = 0;
  return 1;
}

static inline int predict(int a, int b, int c) /* median edge prediction (T.87, A.4.1) */
{
  int low = a < b ? a : b, high = a < b ? b : a;
  return c >= high ? low : c <= low ? high : a + b - c;
}

static inline int clamp_sample(Coder *s, int value) {
  return value < 0 ? 0 : value > s->max_value ? s->max_value : value;
}

/* Number of the context of a sample, with its sign; 0: run mode (T.87, A.3.3 and A.3.4). */
static inline int context_of(Coder *s, int a, int b, int c, int d) {
  const int8_t *class = s->gradient_class + 65536;
  return 81 * class[d - b] + 9 * class[b - c] + class[c - a];
}

static inline int golomb_parameter(int count, int sum) /* Golomb parameter k (T.87, A.5.1) */
{
  int k = 0;
  while ((count << k) < sum) k++;
  return k;
}

static inline void update(Coder *s, int q, int error) /* update of the context variables (T.87, A.6) */
{
  s->B[q] += error;
  s->A[q] += error < 0 ? -error : error;
  if (s->N[q] == RESET) {
    s->A[q] >>= 1;
    s->B[q] >>= 1;
    s->N[q] >>= 1;
  }
  s->N[q]++;
  if (s->B[q] <= -s->N[q]) {
    s->B[q] += s->N[q];
    if (s->C[q] > -128) s->C[q]--;
    if (s->B[q] <= -s->N[q]) s->B[q] = -s->N[q] + 1;
  } else if (s->B[q] > 0) {
    s->B[q] -= s->N[q];
    if (s->C[q] < 127) s->C[q]++;
    if (s->B[q] > 0) s->B[q] = 0;
  }
}

/* update after a run interruption (T.87, A.7.2.2, code segment A.23) */
static inline void update_run_break(Coder *s, int kind, int error, int mapped)
{
  int q = 365 + kind;
  if (error < 0) s->negatives[kind]++;
  s->A[q] += (mapped + 1 - kind) >> 1;
  if (s->N[q] == RESET) {
    s->A[q] >>= 1;
    s->N[q] >>= 1;
    s->negatives[kind] >>= 1;
  }
  s->N[q]++;
}

/* Reduces an error modulo the number of sample values to the range around zero (T.87, A.4.5). */
static inline int wrap(Coder *s, int error) {
  if (error < 0) error += s->max_value + 1;
  return error >= (s->max_value + 2) >> 1 ? error - (s->max_value + 1) : error;
}

/* ---- writing bits ---- */

/* Writes whole bytes. After a byte 0xFF, the next byte starts with a stuffed zero bit (T.87, D.1, D.3). */
static void drain(Coder *s) {
  for (;;) {
    int wanted = s->after_ff ? 7 : 8;
    if (s->held_bits < wanted) return;
    s->held_bits -= wanted;
    uint8_t byte = (uint8_t)((s->held >> s->held_bits) & ((1u << wanted) - 1));
    *s->put++ = byte;
    s->after_ff = byte == 0xff;
  }
}

static inline void put_bits(Coder *s, uint32_t value, int count) /* writes `count` bits, 0 to 32 */
{
  if (s->held_bits + count > 64) drain(s);
  s->held = s->held << count | value;
  s->held_bits += count;
  if (s->held_bits >= 32) drain(s);
}

static inline void put_golomb(Coder *s, int value, int k, int longest) /* limited-length Golomb code (T.87, A.5.3) */
{
  int high = value >> k;
  if (high < longest - s->bits - 1) {
    if (high + 1 + k <= 31) {
      put_bits(s, 1u << k | ((uint32_t)value & ((1u << k) - 1)), high + 1 + k);
    } else {
      put_bits(s, 0, high > 31 ? 31 : high);
      if (high > 31) put_bits(s, 0, high - 31);
      put_bits(s, 1u << k | ((uint32_t)value & ((1u << k) - 1)), k + 1);
    }
  } else {
    int zeros = longest - s->bits - 1;
    put_bits(s, 0, zeros > 31 ? 31 : zeros);
    if (zeros > 31) put_bits(s, 0, zeros - 31);
    put_bits(s, 1, 1);
    put_bits(s, (uint32_t)(value - 1), s->bits);
  }
}

/* encodes the sample that ends a run (T.87, A.7.2) */
static void encode_run_break(Coder *s, int x, int a, int b, int index) {
  int kind = a == b;
  int error = x - (kind ? a : b);
  if (!kind && a > b) error = -error;
  error = wrap(s, error);
  int q = 365 + kind;
  int k = golomb_parameter(s->N[q], s->A[q] + (kind ? s->N[q] >> 1 : 0));
  int few = 2 * s->negatives[kind] < s->N[q];
  int map = error > 0 ? k == 0 && few : error < 0 && (k != 0 || !few);
  int mapped = 2 * (error < 0 ? -error : error) - kind - map;
  put_golomb(s, mapped, k, s->limit - J[index] - 1);
  update_run_break(s, kind, error, mapped);
}

static void encode_line(Coder *s, const uint16_t *above, const uint16_t *line, int *index) {
  for (int i = 1; i <= s->width;) {
    int a = line[i - 1], b = above[i], c = above[i - 1], d = above[i + 1];
    int q = context_of(s, a, b, c, d);
    if (q != 0) {
      int sign = q < 0 ? -1 : 1;
      q *= sign;
      int error = wrap(s, (line[i] - clamp_sample(s, predict(a, b, c) + sign * s->C[q])) * sign);
      int k = golomb_parameter(s->N[q], s->A[q]);
      int mapped = error >= 0 ? 2 * error : -2 * error - 1; /* maps errors to non-negative numbers (T.87, A.5.2) */
      if (k == 0 && 2 * s->B[q] <= -s->N[q]) mapped ^= 1;
      put_golomb(s, mapped, k, s->limit);
      update(s, q, error);
      i++;
      continue;
    }
    int end = i; /* run mode (T.87, A.7.1) */
    while (end <= s->width && line[end] == a) end++;
    int length = end - i;
    while (length >= 1 << J[*index]) {
      put_bits(s, 1, 1);
      length -= 1 << J[*index];
      if (*index < 31) ++*index;
    }
    i = end;
    if (end > s->width) {
      if (length > 0) put_bits(s, 1, 1);
      return;
    }
    put_bits(s, (uint32_t)length, 1 + J[*index]); /* zero bit that ends the run, then the rest of its length */
    encode_run_break(s, line[i], a, above[i], *index);
    if (*index > 0) --*index;
    i++;
  }
}

/* Sets the edge samples on both sides of a line (T.87, A.2.1, figure A.1). */
static void set_edges(Coder *s, uint16_t *above, uint16_t *line) {
  above[s->width + 1] = above[s->width];
  line[0] = above[1];
}

EXPORT(begin_encoding) void begin_encoding(void) {
  Coder *s = &coder;
  s->held = 0;
  s->held_bits = s->after_ff = 0;
}

/* Encodes `count` rows at `rows_at`. Returns the number of bytes at `code_at`; -1: a sample has more than `bits`
 * bits. */
EXPORT(encode_rows) int encode_rows(int count) {
  Coder *s = &coder;
  const uint8_t *from = s->rows;
  s->put = s->code;
  for (int row = 0; row < count; row++) {
    int seen = 0;
    for (int i = 1; i <= s->width; i++)
      for (int c = 0; c < s->components; c++) {
        int sample = s->sample_bytes == 1 ? from[0] : from[0] | from[1] << 8;
        from += s->sample_bytes;
        seen |= sample;
        s->lines[c][s->current_line][i] = (uint16_t)sample;
      }
    if (seen > s->max_value) return -1;
    for (int c = 0; c < s->components; c++) {
      set_edges(s, s->lines[c][!s->current_line], s->lines[c][s->current_line]);
      encode_line(s, s->lines[c][!s->current_line], s->lines[c][s->current_line], &s->run_index[c]);
    }
    s->current_line = !s->current_line;
  }
  drain(s);
  return (int)(s->put - s->code);
}

/* Writes the last bits. After 0xFF, a byte is written even if it is empty (T.87, D.3). */
EXPORT(end_encoding) int end_encoding(void) {
  Coder *s = &coder;
  s->put = s->code;
  drain(s);
  int wanted = s->after_ff ? 7 : 8;
  if (s->held_bits > 0 || s->after_ff) put_bits(s, 0, wanted - s->held_bits), drain(s);
  return (int)(s->put - s->code);
}

/* ---- reading bits ---- */

static void fill(Coder *s) {
  while (s->held_bits <= 56) {
    int byte = 0, count = s->after_ff ? 7 : 8;
    int marker = s->take + 1 < s->take_end && s->take[0] == 0xff && s->take[1] >= 0x80;
    if (s->take < s->take_end && !marker) byte = *s->take++;
    else s->overrun++;
    s->after_ff = byte == 0xff;
    s->held = s->held << count | (unsigned)byte;
    s->held_bits += count;
  }
}

static inline uint32_t take_bits(Coder *s, int count) {
  if (count == 0) return 0;
  if (s->held_bits < count) fill(s);
  s->held_bits -= count;
  return (uint32_t)(s->held >> s->held_bits) & (uint32_t)((1ull << count) - 1);
}

static inline int take_golomb(Coder *s, int k, int longest) {
  int most = longest - s->bits - 1; /* length limit of the unary part, at most 47 bits */
  if (s->held_bits < 48) fill(s);
  uint64_t top = s->held << (64 - s->held_bits);
  int zeros = top ? __builtin_clzll(top) : 64;
  if (zeros < most) {
    s->held_bits -= zeros + 1;
    return zeros << k | (int)take_bits(s, k);
  }
  s->held_bits -= most + 1;
  return (int)take_bits(s, s->bits) + 1;
}

static int decode_run_break(Coder *s, int a, int b, int index) {
  int kind = a == b, q = 365 + kind;
  int k = golomb_parameter(s->N[q], s->A[q] + (kind ? s->N[q] >> 1 : 0));
  int mapped = take_golomb(s, k, s->limit - J[index] - 1);
  int twice = mapped + kind;
  int map = twice & 1, size = (twice + map) >> 1;
  int few = 2 * s->negatives[kind] < s->N[q];
  /* If k is 0 and few errors were negative, the encoder adds `map` to positive errors, otherwise to negative ones. */
  int error = (k == 0 && few) == map ? size : -size;
  update_run_break(s, kind, error, mapped);
  int x = kind ? a + error : b + (a > b ? -error : error);
  return x & s->max_value;
}

static void decode_line(Coder *s, const uint16_t *above, uint16_t *line, int *index) {
  for (int i = 1; i <= s->width;) {
    int a = line[i - 1], b = above[i], c = above[i - 1], d = above[i + 1];
    int q = context_of(s, a, b, c, d);
    if (q != 0) {
      int sign = q < 0 ? -1 : 1;
      q *= sign;
      int k = golomb_parameter(s->N[q], s->A[q]);
      int mapped = take_golomb(s, k, s->limit);
      if (k == 0 && 2 * s->B[q] <= -s->N[q]) mapped ^= 1;
      int error = mapped & 1 ? -((mapped + 1) >> 1) : mapped >> 1;
      line[i] = (uint16_t)((clamp_sample(s, predict(a, b, c) + sign * s->C[q]) + sign * error) & s->max_value);
      update(s, q, error);
      i++;
      continue;
    }
    for (;;) {
      if (!take_bits(s, 1)) {
        int length = (int)take_bits(s, J[*index]);
        for (; length > 0 && i <= s->width; length--) line[i++] = (uint16_t)a;
        if (i > s->width) return; /* damaged: an interrupted run must end inside the line */
        line[i] = (uint16_t)decode_run_break(s, a, above[i], *index);
        i++;
        if (*index > 0) --*index;
        break;
      }
      int whole = 1 << J[*index], length = whole;
      for (; length > 0 && i <= s->width; length--) line[i++] = (uint16_t)a;
      if (length == 0 && *index < 31) ++*index;
      if (i > s->width) return;
    }
  }
}

EXPORT(begin_decoding) void begin_decoding(void) {
  Coder *s = &coder;
  s->held = 0;
  s->held_bits = s->after_ff = s->overrun = 0;
}

/* Decodes `count` rows to `rows_at` from `bytes` bytes at `code_at`; `consumed` is then the number of bytes used.
 * Returns 0 if the data end before the rows are complete (padding bits of the last byte do not count). */
EXPORT(decode_rows) int decode_rows(int count, int bytes) {
  Coder *s = &coder;
  uint8_t *to = s->rows;
  s->take = s->code;
  s->take_end = s->code + bytes;
  for (int row = 0; row < count; row++) {
    for (int c = 0; c < s->components; c++) {
      set_edges(s, s->lines[c][!s->current_line], s->lines[c][s->current_line]);
      decode_line(s, s->lines[c][!s->current_line], s->lines[c][s->current_line], &s->run_index[c]);
    }
    for (int i = 1; i <= s->width; i++)
      for (int c = 0; c < s->components; c++) {
        int sample = s->lines[c][s->current_line][i];
        *to++ = (uint8_t)sample;
        if (s->sample_bytes == 2) *to++ = (uint8_t)(sample >> 8);
      }
    s->current_line = !s->current_line;
    if (s->overrun * 7 > s->held_bits) return 0;
  }
  s->consumed_bytes = (int)(s->take - s->code);
  return 1;
}

EXPORT(consumed) int consumed(void) { return coder.consumed_bytes; }
