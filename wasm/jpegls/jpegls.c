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

/* Samples of the current rows, little-endian as in DICOM; up to MAX_SAMPLES, or one row. */
static uint8_t rows[2 * MAX_SAMPLES];
/* Coded bytes. A sample takes at most LIMIT = 64 bits plus a run bit, and one bit in eight is stuffed after 0xFF. */
static uint8_t code[10 * MAX_SAMPLES];

static int width, components, sample_bytes, bits, max_value, limit;
/* quantised gradient (T.87, A.3.3): index is gradient + 65536, value is -4 to 4 */
static int8_t gradient_class[2 * 65536];

static int32_t A[CONTEXTS], B[CONTEXTS], C[CONTEXTS], N[CONTEXTS], negatives[2];
static int run_index[MAX_COMPONENTS];
static uint16_t lines[MAX_COMPONENTS][2][MAX_WIDTH + 2];
static int current_line;

EXPORT(rows_at) uint8_t *rows_at(void) { return rows; }
EXPORT(code_at) uint8_t *code_at(void) { return code; }
EXPORT(code_room) int code_room(void) { return (int)sizeof code; }

static int clamp_threshold(int value, int low) { return value > max_value || value < low ? low : value; }

/* Initialises the coder for a frame. Returns 0 if a parameter is out of range. */
EXPORT(begin) int begin(int frame_width, int frame_components, int bits_a_sample, int bytes_a_sample) {
  if (frame_width < 1 || frame_width > MAX_WIDTH || frame_components < 1 || frame_components > MAX_COMPONENTS) return 0;
  if (bits_a_sample < 2 || bits_a_sample > 8 * bytes_a_sample || bytes_a_sample < 1 || bytes_a_sample > 2) return 0;
  if (frame_width * frame_components > MAX_SAMPLES) return 0;
  width = frame_width;
  components = frame_components;
  sample_bytes = bytes_a_sample;
  if (bits != bits_a_sample) {
    bits = bits_a_sample;
    max_value = (1 << bits) - 1;
    limit = 2 * (bits + (bits > 8 ? bits : 8)); /* maximum code length (T.87, A.2.1) */
    int t1, t2, t3;                             /* gradient thresholds (T.87, C.2.4.1.1.1) */
    if (max_value >= 128) {
      int factor = ((max_value < 4095 ? max_value : 4095) + 128) / 256;
      t1 = clamp_threshold(factor * (3 - 2) + 2, 1);
      t2 = clamp_threshold(factor * (7 - 3) + 3, t1);
      t3 = clamp_threshold(factor * (21 - 4) + 4, t2);
    } else {
      int factor = 256 / (max_value + 1);
      t1 = clamp_threshold(3 / factor > 2 ? 3 / factor : 2, 1);
      t2 = clamp_threshold(7 / factor > 3 ? 7 / factor : 3, t1);
      t3 = clamp_threshold(21 / factor > 4 ? 21 / factor : 4, t2);
    }
    for (int d = -max_value; d <= max_value; d++)
      gradient_class[d + 65536] = (int8_t)(d <= -t3   ? -4
                                           : d <= -t2 ? -3
                                           : d <= -t1 ? -2
                                           : d < 0    ? -1
                                           : d == 0   ? 0
                                           : d < t1   ? 1
                                           : d < t2   ? 2
                                           : d < t3   ? 3
                                                      : 4);
  }
  int first = ((max_value + 1) + 32) / 64; /* initial value of the context variable A (T.87, A.2.1) */
  for (int q = 0; q < CONTEXTS; q++) {
    A[q] = first > 2 ? first : 2;
    B[q] = C[q] = 0;
    N[q] = 1;
  }
  negatives[0] = negatives[1] = 0;
  memset(run_index, 0, sizeof run_index);
  for (int c = 0; c < components; c++) memset(lines[c], 0, sizeof lines[c]);
  current_line = 0;
  return 1;
}

static inline int predict(int a, int b, int c) /* median edge prediction (T.87, A.4.1) */
{
  int low = a < b ? a : b, high = a < b ? b : a;
  return c >= high ? low : c <= low ? high : a + b - c;
}

static inline int clamp_sample(int value) { return value < 0 ? 0 : value > max_value ? max_value : value; }

static inline int golomb_parameter(int count, int sum) /* Golomb parameter k (T.87, A.5.1) */
{
  int k = 0;
  while ((count << k) < sum) k++;
  return k;
}

static inline void update(int q, int error) /* update of the context variables (T.87, A.6) */
{
  B[q] += error;
  A[q] += error < 0 ? -error : error;
  if (N[q] == RESET) {
    A[q] >>= 1;
    B[q] >>= 1;
    N[q] >>= 1;
  }
  N[q]++;
  if (B[q] <= -N[q]) {
    B[q] += N[q];
    if (C[q] > -128) C[q]--;
    if (B[q] <= -N[q]) B[q] = -N[q] + 1;
  } else if (B[q] > 0) {
    B[q] -= N[q];
    if (C[q] < 127) C[q]++;
    if (B[q] > 0) B[q] = 0;
  }
}

/* update after a run interruption (T.87, A.7.2.2, code segment A.23) */
static inline void update_run_break(int kind, int error, int mapped)
{
  int q = 365 + kind;
  if (error < 0) negatives[kind]++;
  A[q] += (mapped + 1 - kind) >> 1;
  if (N[q] == RESET) {
    A[q] >>= 1;
    N[q] >>= 1;
    negatives[kind] >>= 1;
  }
  N[q]++;
}

/* Reduces an error modulo the number of sample values to the range around zero (T.87, A.4.5). */
static inline int wrap(int error) {
  if (error < 0) error += max_value + 1;
  return error >= (max_value + 2) >> 1 ? error - (max_value + 1) : error;
}

/* ---- writing bits ---- */

static uint64_t held; /* bits not written yet, right-aligned */
static int held_bits;
static uint8_t *put;
static int after_ff;

/* Writes whole bytes. After a byte 0xFF, the next byte starts with a stuffed zero bit (T.87, D.1, D.3). */
static void drain(void) {
  for (;;) {
    int wanted = after_ff ? 7 : 8;
    if (held_bits < wanted) return;
    held_bits -= wanted;
    uint8_t byte = (uint8_t)((held >> held_bits) & ((1u << wanted) - 1));
    *put++ = byte;
    after_ff = byte == 0xff;
  }
}

static inline void put_bits(uint32_t value, int count) /* writes `count` bits, 0 to 32 */
{
  if (held_bits + count > 64) drain();
  held = held << count | value;
  held_bits += count;
  if (held_bits >= 32) drain();
}

static inline void put_golomb(int value, int k, int longest) /* limited-length Golomb code (T.87, A.5.3) */
{
  int high = value >> k;
  if (high < longest - bits - 1) {
    if (high + 1 + k <= 31) {
      put_bits(1u << k | ((uint32_t)value & ((1u << k) - 1)), high + 1 + k);
    } else {
      put_bits(0, high > 31 ? 31 : high);
      if (high > 31) put_bits(0, high - 31);
      put_bits(1u << k | ((uint32_t)value & ((1u << k) - 1)), k + 1);
    }
  } else {
    int zeros = longest - bits - 1;
    put_bits(0, zeros > 31 ? 31 : zeros);
    if (zeros > 31) put_bits(0, zeros - 31);
    put_bits(1, 1);
    put_bits((uint32_t)(value - 1), bits);
  }
}

static void encode_run_break(int x, int a, int b, int index) /* encodes the sample that ends a run (T.87, A.7.2) */
{
  int kind = a == b;
  int error = x - (kind ? a : b);
  if (!kind && a > b) error = -error;
  error = wrap(error);
  int q = 365 + kind;
  int k = golomb_parameter(N[q], A[q] + (kind ? N[q] >> 1 : 0));
  int few = 2 * negatives[kind] < N[q];
  int map = error > 0 ? k == 0 && few : error < 0 && (k != 0 || !few);
  int mapped = 2 * (error < 0 ? -error : error) - kind - map;
  put_golomb(mapped, k, limit - J[index] - 1);
  update_run_break(kind, error, mapped);
}

static void encode_line(const uint16_t *above, const uint16_t *line, int *index) {
  for (int i = 1; i <= width;) {
    int a = line[i - 1], b = above[i], c = above[i - 1], d = above[i + 1];
    int q = 81 * gradient_class[d - b + 65536] + 9 * gradient_class[b - c + 65536] + gradient_class[c - a + 65536];
    if (q != 0) {
      int sign = q < 0 ? -1 : 1;
      q *= sign;
      int error = wrap((line[i] - clamp_sample(predict(a, b, c) + sign * C[q])) * sign);
      int k = golomb_parameter(N[q], A[q]);
      int mapped = error >= 0 ? 2 * error : -2 * error - 1; /* maps errors to non-negative numbers (T.87, A.5.2) */
      if (k == 0 && 2 * B[q] <= -N[q]) mapped ^= 1;
      put_golomb(mapped, k, limit);
      update(q, error);
      i++;
      continue;
    }
    int end = i; /* run mode (T.87, A.7.1) */
    while (end <= width && line[end] == a) end++;
    int length = end - i;
    while (length >= 1 << J[*index]) {
      put_bits(1, 1);
      length -= 1 << J[*index];
      if (*index < 31) ++*index;
    }
    i = end;
    if (end > width) {
      if (length > 0) put_bits(1, 1);
      return;
    }
    put_bits((uint32_t)length, 1 + J[*index]); /* zero bit that ends the run, then the rest of its length */
    encode_run_break(line[i], a, above[i], *index);
    if (*index > 0) --*index;
    i++;
  }
}

/* Sets the edge samples on both sides of a line (T.87, A.2.1, figure A.1). */
static void set_edges(uint16_t *above, uint16_t *line) {
  above[width + 1] = above[width];
  line[0] = above[1];
}

EXPORT(begin_encoding) void begin_encoding(void) {
  held = 0;
  held_bits = after_ff = 0;
}

/* Encodes `count` rows at `rows_at`. Returns the number of bytes at `code_at`; -1: a sample has more than `bits`
 * bits. */
EXPORT(encode_rows) int encode_rows(int count) {
  const uint8_t *from = rows;
  put = code;
  for (int row = 0; row < count; row++) {
    int seen = 0;
    for (int i = 1; i <= width; i++)
      for (int c = 0; c < components; c++) {
        int sample = sample_bytes == 1 ? from[0] : from[0] | from[1] << 8;
        from += sample_bytes;
        seen |= sample;
        lines[c][current_line][i] = (uint16_t)sample;
      }
    if (seen > max_value) return -1;
    for (int c = 0; c < components; c++) {
      set_edges(lines[c][!current_line], lines[c][current_line]);
      encode_line(lines[c][!current_line], lines[c][current_line], &run_index[c]);
    }
    current_line = !current_line;
  }
  drain();
  return (int)(put - code);
}

/* Writes the last bits. After 0xFF, a byte is written even if it is empty (T.87, D.3). */
EXPORT(end_encoding) int end_encoding(void) {
  put = code;
  drain();
  int wanted = after_ff ? 7 : 8;
  if (held_bits > 0 || after_ff) put_bits(0, wanted - held_bits), drain();
  return (int)(put - code);
}

/* ---- reading bits ---- */

static const uint8_t *take, *take_end;
static int overrun; /* number of zero bytes supplied after the end of the input */

static void fill(void) {
  while (held_bits <= 56) {
    int byte = 0, count = after_ff ? 7 : 8;
    int marker = take + 1 < take_end && take[0] == 0xff && take[1] >= 0x80;
    if (take < take_end && !marker) byte = *take++;
    else overrun++;
    after_ff = byte == 0xff;
    held = held << count | (unsigned)byte;
    held_bits += count;
  }
}

static inline uint32_t take_bits(int count) {
  if (count == 0) return 0;
  if (held_bits < count) fill();
  held_bits -= count;
  return (uint32_t)(held >> held_bits) & (uint32_t)((1ull << count) - 1);
}

static inline int take_golomb(int k, int longest) {
  int most = longest - bits - 1; /* length limit of the unary part, at most 47 bits */
  if (held_bits < 48) fill();
  uint64_t top = held << (64 - held_bits);
  int zeros = top ? __builtin_clzll(top) : 64;
  if (zeros < most) {
    held_bits -= zeros + 1;
    return zeros << k | (int)take_bits(k);
  }
  held_bits -= most + 1;
  return (int)take_bits(bits) + 1;
}

static int decode_run_break(int a, int b, int index) {
  int kind = a == b, q = 365 + kind;
  int k = golomb_parameter(N[q], A[q] + (kind ? N[q] >> 1 : 0));
  int mapped = take_golomb(k, limit - J[index] - 1);
  int twice = mapped + kind;
  int map = twice & 1, size = (twice + map) >> 1;
  int few = 2 * negatives[kind] < N[q];
  /* If k is 0 and few errors were negative, the encoder adds `map` to positive errors, otherwise to negative ones. */
  int error = (k == 0 && few) == map ? size : -size;
  update_run_break(kind, error, mapped);
  int x = kind ? a + error : b + (a > b ? -error : error);
  return x & max_value;
}

static void decode_line(const uint16_t *above, uint16_t *line, int *index) {
  for (int i = 1; i <= width;) {
    int a = line[i - 1], b = above[i], c = above[i - 1], d = above[i + 1];
    int q = 81 * gradient_class[d - b + 65536] + 9 * gradient_class[b - c + 65536] + gradient_class[c - a + 65536];
    if (q != 0) {
      int sign = q < 0 ? -1 : 1;
      q *= sign;
      int k = golomb_parameter(N[q], A[q]);
      int mapped = take_golomb(k, limit);
      if (k == 0 && 2 * B[q] <= -N[q]) mapped ^= 1;
      int error = mapped & 1 ? -((mapped + 1) >> 1) : mapped >> 1;
      line[i] = (uint16_t)((clamp_sample(predict(a, b, c) + sign * C[q]) + sign * error) & max_value);
      update(q, error);
      i++;
      continue;
    }
    for (;;) {
      if (!take_bits(1)) {
        int length = (int)take_bits(J[*index]);
        for (; length > 0 && i <= width; length--) line[i++] = (uint16_t)a;
        if (i > width) return; /* damaged: an interrupted run must end inside the line */
        line[i] = (uint16_t)decode_run_break(a, above[i], *index);
        i++;
        if (*index > 0) --*index;
        break;
      }
      int whole = 1 << J[*index], length = whole;
      for (; length > 0 && i <= width; length--) line[i++] = (uint16_t)a;
      if (length == 0 && *index < 31) ++*index;
      if (i > width) return;
    }
  }
}

EXPORT(begin_decoding) void begin_decoding(void) {
  held = 0;
  held_bits = after_ff = overrun = 0;
}

static int consumed_bytes;

/* Decodes `count` rows to `rows_at` from `bytes` bytes at `code_at`; `consumed` is then the number of bytes used.
 * Returns 0 if the data end before the rows are complete (padding bits of the last byte do not count). */
EXPORT(decode_rows) int decode_rows(int count, int bytes) {
  uint8_t *to = rows;
  take = code;
  take_end = code + bytes;
  for (int row = 0; row < count; row++) {
    for (int c = 0; c < components; c++) {
      set_edges(lines[c][!current_line], lines[c][current_line]);
      decode_line(lines[c][!current_line], lines[c][current_line], &run_index[c]);
    }
    for (int i = 1; i <= width; i++)
      for (int c = 0; c < components; c++) {
        int sample = lines[c][current_line][i];
        *to++ = (uint8_t)sample;
        if (sample_bytes == 2) *to++ = (uint8_t)(sample >> 8);
      }
    current_line = !current_line;
    if (overrun * 7 > held_bits) return 0;
  }
  consumed_bytes = (int)(take - code);
  return 1;
}

EXPORT(consumed) int consumed(void) { return consumed_bytes; }
