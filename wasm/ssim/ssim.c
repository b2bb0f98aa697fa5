/*
 * SSIM and PSNR of two pictures delivered row by row, in memory for 11 rows.
 *
 * SSIM: Wang, Bovik, Sheikh, Simoncelli, "Image Quality Assessment: From Error Visibility to Structural Similarity",
 * IEEE Trans. Image Processing 13 (4), 2004: luma, Gaussian window 11x11 with sigma 1.5, K1 = 0.01, K2 = 0.03, only
 * where the whole window lies inside the picture. Luma is that of ITU-R BT.601.
 *
 * Every row is turned into luma (minus 128, which keeps the squares small and single precision exact enough), and of four
 * quantities the last eleven rows are kept: x, y, x^2 + y^2 and xy. Blurring down the columns and then along gives one row of
 * windows, but where all of a window is equal, SSIM is 1: of blocks that are equal the pixels are kept, until a window asks for
 * their quantities. Pictures with transparency are measured on black and on white; the worse one counts.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wasm_simd128.h>

#include "heap.h"
#include "squares.h"

#define EXPORT(name) __attribute__((export_name(#name)))
#define TAPS 11
#define HALF 5
#define QUANTITIES 4
#define BLOCK 32

/* exp(-d*d / (2 * 1.5 * 1.5)) for d = 5 ... 0, over their sum across the eleven taps */
static const float TAP[HALF + 1] = {0.00102838f, 0.00759876f, 0.03600077f, 0.10936069f, 0.21300554f, 0.26601172f};

static const float C1 = (0.01f * 255) * (0.01f * 255), C2 = (0.03f * 255) * (0.03f * 255);

struct plane { /* what is measured on one background */
  float background;
  float *ring; /* TAPS rows of QUANTITIES times `padded` */
  double ssim_sum, luma_squares, rgb_squares;
};

extern unsigned char __heap_base;

static uint32_t width, channels, windows, padded;
static uint32_t wide, pixel_bytes; /* samples of 16 bits; 65535 stands for 255 */
static uint32_t rows_seen, planes;
static uint64_t window_count;
static uint8_t *reference_rows, *candidate_rows;
static float *blurred[QUANTITIES]; /* down the columns */
static uint32_t *equal_rows;       /* for each block across: rows up to this one in which both pictures are equal there */
static uint8_t *equal_pixels;      /* of the last eleven rows, where both pictures are equal */
static uint8_t *unlaid;            /* for each block of those rows: its quantities are not made of them yet; 2: and it has transparency */
static uint32_t blocks;
static struct plane plane[2];

/* A sample of a row of 16-bit samples, on the scale of eight bits. */
static float wide_sample(const uint8_t *row, uint32_t i) {
  uint16_t sample;
  memcpy(&sample, row + 2 * (size_t)i, 2);
  return sample * (1.0f / 257);
}

static int is_opaque(const uint8_t *row) {
  uint32_t i = 0;
  if (wide) {
    for (i = channels - 1; i < width * channels; i += channels)
      if (row[2 * i] != 255 || row[2 * i + 1] != 255) return 0;
    return 1;
  }
  if (channels == 4) {
    v128_t all = wasm_u32x4_splat(0xffffffff);
    for (; i + 4 <= width; i += 4) all = wasm_v128_and(all, wasm_v128_load(row + i * 4));
    if (!wasm_i32x4_all_true(wasm_i32x4_eq(wasm_v128_or(all, wasm_u32x4_splat(0xffffff)), wasm_u32x4_splat(0xffffffff)))) return 0;
  }
  for (i = i * channels + channels - 1; i < width * channels; i += channels)
    if (row[i] != 255) return 0;
  return 1;
}

static int is_equal(const uint8_t *a, const uint8_t *b, uint32_t bytes) {
  uint32_t i = 0;
  v128_t bits = wasm_u32x4_splat(0);
  for (; i + 16 <= bytes; i += 16) bits = wasm_v128_or(bits, wasm_v128_xor(wasm_v128_load(a + i), wasm_v128_load(b + i)));
  if (wasm_v128_any_true(bits)) return 0;
  for (; i < bytes; i++)
    if (a[i] != b[i]) return 0;
  return 1;
}

static void wide_to_luma(const uint8_t *row, uint32_t pixels, float background, float *out) {
  for (uint32_t i = 0; i < pixels; i++, row += pixel_bytes) {
    const float first = wide_sample(row, 0);
    float grey = channels < 3 ? first : 0.299f * first + 0.587f * wide_sample(row, 1) + 0.114f * wide_sample(row, 2);
    if (!(channels & 1)) {
      const float alpha = wide_sample(row, channels - 1) * (1.0f / 255);
      grey = grey * alpha + background * (1 - alpha);
    }
    out[i] = grey - 128.0f;
  }
}

static void to_luma(const uint8_t *row, uint32_t pixels, int opaque, float background, float *out) {
  if (wide) {
    wide_to_luma(row, pixels, background, out);
    return;
  }
  if (opaque && channels == 4) {
    for (uint32_t i = 0; i < pixels; i++) {
      uint32_t c;
      memcpy(&c, row + 4 * i, 4);
      out[i] = 0.299f * (c & 255) + 0.587f * (c >> 8 & 255) + 0.114f * (c >> 16 & 255) - 128.0f;
    }
    return;
  }
  switch (channels) {
    case 1:
      for (uint32_t i = 0; i < pixels; i++) out[i] = (float)row[i] - 128.0f;
      return;
    case 3:
      for (uint32_t i = 0; i < pixels; i++, row += 3) out[i] = 0.299f * row[0] + 0.587f * row[1] + 0.114f * row[2] - 128.0f;
      return;
    default: /* grey or RGB, with alpha */
      for (uint32_t i = 0; i < pixels; i++, row += channels) {
        float grey = channels == 2 ? row[0] : 0.299f * row[0] + 0.587f * row[1] + 0.114f * row[2];
        float alpha = row[channels - 1] * (1.0f / 255);
        out[i] = grey * alpha + background * (1 - alpha) - 128.0f;
      }
  }
}

static double wide_rgb_squares(const uint8_t *a, const uint8_t *b, uint32_t pixels, float background) {
  const uint32_t colours = channels & 1 ? channels : channels - 1;
  double sum = 0;
  for (uint32_t i = 0; i < pixels; i++, a += pixel_bytes, b += pixel_bytes) {
    const float alpha_a = channels & 1 ? 1 : wide_sample(a, colours) * (1.0f / 255);
    const float alpha_b = channels & 1 ? 1 : wide_sample(b, colours) * (1.0f / 255);
    for (uint32_t c = 0; c < colours; c++) {
      const float d = wide_sample(a, c) * alpha_a - wide_sample(b, c) * alpha_b + background * (alpha_b - alpha_a);
      sum += d * d;
    }
  }
  return sum;
}

static double rgb_squares(const uint8_t *a, const uint8_t *b, uint32_t pixels, int opaque, float background) {
  double sum = 0;
  if (wide) return wide_rgb_squares(a, b, pixels, background);
  if (opaque && channels == 4) return opaque_squares_of(a, b, pixels);
  if (channels & 1) {
    uint64_t squares = 0;
    for (uint32_t i = 0; i < pixels * channels; i++) {
      int d = a[i] - b[i];
      squares += (uint32_t)(d * d);
    }
    return (double)squares;
  }
  uint32_t colours = channels - 1;
  for (uint32_t i = 0; i < pixels; i++, a += channels, b += channels) {
    float alpha_a = a[colours] * (1.0f / 255), alpha_b = b[colours] * (1.0f / 255), squares = 0;
    for (uint32_t c = 0; c < colours; c++) {
      float d = a[c] * alpha_a - b[c] * alpha_b + background * (alpha_b - alpha_a);
      squares += d * d;
    }
    sum += squares;
  }
  return sum;
}

/* Rows narrower than a window are mirrored up to one (their last pixel stands twice). */
static void mirror(float *row) {
  for (uint32_t i = width; i < TAPS; i++) {
    uint32_t at = i % (2 * width);
    row[i] = row[at < width ? at : 2 * width - 1 - at];
  }
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static float *ring_row(const struct plane *p, uint32_t slot) { return p->ring + (size_t)slot * QUANTITIES * padded; }

/* The quantities of columns `from` to `to` of a row of the ring. Both pictures may be one. */
static void fill(const struct plane *p, uint32_t slot, const uint8_t *reference, const uint8_t *candidate, int opaque, uint32_t from,
                 uint32_t to) {
  float *x = ring_row(p, slot), *y = x + padded, *joint = y + padded, *cross = joint + padded;
  to_luma(reference + from * pixel_bytes, to - from, opaque, p->background, x + from);
  if (reference == candidate) memcpy(y + from, x + from, (to - from) * sizeof *x);
  else to_luma(candidate + from * pixel_bytes, to - from, opaque, p->background, y + from);
  if (width < TAPS) {
    mirror(x);
    mirror(y);
    to = TAPS;
  }
  for (uint32_t i = from; i < to; i += 4) {
    v128_t a = wasm_v128_load(x + i), b = wasm_v128_load(y + i);
    wasm_v128_store(joint + i, wasm_f32x4_add(wasm_f32x4_mul(a, a), wasm_f32x4_mul(b, b)));
    wasm_v128_store(cross + i, wasm_f32x4_mul(a, b));
  }
}

/* Makes the quantities that are missing in columns `from` to `to` of the last eleven rows. */
static void fill_missing(uint32_t from, uint32_t to) {
  for (uint32_t slot = 0; slot < TAPS; slot++)
    for (uint32_t k = from / BLOCK; k * BLOCK < to; k++) {
      const int state = unlaid[slot * blocks + k];
      if (!state) continue;
      const uint8_t *row = equal_pixels + (size_t)slot * width * pixel_bytes;
      unlaid[slot * blocks + k] = 0;
      for (uint32_t b = 0; b < planes; b++) fill(&plane[b], slot, row, row, state == 1, k * BLOCK, least((k + 1) * BLOCK, width));
    }
}

static void push_row(const uint8_t *reference, const uint8_t *candidate, int opaque, int counts) {
  const uint32_t slot = rows_seen % TAPS;
  for (uint32_t from = 0, k = 0; from < width; from += BLOCK, k++) {
    const uint32_t to = least(from + BLOCK, width), at = from * pixel_bytes;
    const int equal = is_equal(reference + at, candidate + at, (to - from) * pixel_bytes);
    equal_rows[k] = equal ? equal_rows[k] + 1 : 0;
    unlaid[slot * blocks + k] = !equal ? 0 : opaque ? 1 : 2;
    if (equal) {
      memcpy(equal_pixels + (size_t)slot * width * pixel_bytes + at, reference + at, (to - from) * pixel_bytes);
      continue;
    }
    for (uint32_t b = 0; b < planes; b++) {
      struct plane *p = &plane[b];
      fill(p, slot, reference, candidate, opaque, from, to);
      if (!counts) continue;
      const float *x = ring_row(p, slot) + from;
      p->luma_squares += (double)luma_squares_of(x, x + padded, to - from);
      p->rgb_squares += rgb_squares(reference + at, candidate + at, to - from, opaque, p->background);
    }
  }
}

/* The quantities of columns `from` to `to`, blurred down the eleven rows up to the one just seen. */
static void blur_columns(const struct plane *p, uint32_t from, uint32_t to) {
  for (int q = 0; q < QUANTITIES; q++) {
    const float *rows[TAPS];
    for (int t = 0; t < TAPS; t++) rows[t] = p->ring + ((size_t)((rows_seen + t) % TAPS) * QUANTITIES + q) * padded;
    for (uint32_t i = from; i < to; i += 4) {
      v128_t sum = wasm_f32x4_mul(wasm_v128_load(rows[HALF] + i), wasm_f32x4_splat(TAP[HALF]));
      for (int t = 0; t < HALF; t++) {
        v128_t pair = wasm_f32x4_add(wasm_v128_load(rows[t] + i), wasm_v128_load(rows[TAPS - 1 - t] + i));
        sum = wasm_f32x4_add(sum, wasm_f32x4_mul(pair, wasm_f32x4_splat(TAP[t])));
      }
      wasm_v128_store(blurred[q] + i, sum);
    }
  }
}

static v128_t blur_along(const float *in) {
  v128_t sum = wasm_f32x4_mul(wasm_v128_load(in + HALF), wasm_f32x4_splat(TAP[HALF]));
  for (int t = 0; t < HALF; t++) {
    v128_t pair = wasm_f32x4_add(wasm_v128_load(in + t), wasm_v128_load(in + TAPS - 1 - t));
    sum = wasm_f32x4_add(sum, wasm_f32x4_mul(pair, wasm_f32x4_splat(TAP[t])));
  }
  return sum;
}

/* Windows `from` to `to` of the row of windows that ends with the row just seen. */
static double ssim_between(const struct plane *p, uint32_t from, uint32_t to) {
  fill_missing(from, least(to + TAPS + 2, width));
  blur_columns(p, from, to + TAPS - 1);
  const v128_t c1 = wasm_f32x4_splat(C1), c2 = wasm_f32x4_splat(C2), two = wasm_f32x4_splat(2), offset = wasm_f32x4_splat(128);
  v128_t sum = wasm_f64x2_splat(0);
  for (uint32_t i = from; i < to; i += 4) {
    v128_t x = blur_along(blurred[0] + i), y = blur_along(blurred[1] + i);
    v128_t squares = blur_along(blurred[2] + i), product = blur_along(blurred[3] + i);
    v128_t variances = wasm_f32x4_sub(squares, wasm_f32x4_add(wasm_f32x4_mul(x, x), wasm_f32x4_mul(y, y)));
    v128_t covariance = wasm_f32x4_sub(product, wasm_f32x4_mul(x, y));
    x = wasm_f32x4_add(x, offset);
    y = wasm_f32x4_add(y, offset);
    v128_t means = wasm_f32x4_add(wasm_f32x4_mul(x, x), wasm_f32x4_mul(y, y));
    v128_t above =
        wasm_f32x4_mul(wasm_f32x4_add(wasm_f32x4_mul(two, wasm_f32x4_mul(x, y)), c1), wasm_f32x4_add(wasm_f32x4_mul(two, covariance), c2));
    v128_t below = wasm_f32x4_mul(wasm_f32x4_add(means, c1), wasm_f32x4_add(variances, c2));
    v128_t quality = wasm_f32x4_div(above, below);
    if (i + 4 > to) { /* the last lanes hold no window */
      static const uint32_t lane[4] = {0, 1, 2, 3};
      quality = wasm_v128_and(quality, wasm_u32x4_lt(wasm_v128_load(lane), wasm_u32x4_splat(to - i)));
    }
    sum = wasm_f64x2_add(sum, wasm_f64x2_add(wasm_f64x2_promote_low_f32x4(quality),
                                             wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(quality, quality, 2, 3, 2, 3))));
  }
  return wasm_f64x2_extract_lane(sum, 0) + wasm_f64x2_extract_lane(sum, 1);
}

/* Windows that start in this block see nothing but equal pixels. */
static int all_equal(uint32_t block) {
  return equal_rows[block] >= TAPS && ((block + 1) * BLOCK >= width || equal_rows[block + 1] >= TAPS);
}

/* The row of windows that ends with the row just seen. */
static double ssim_row(const struct plane *p) {
  double sum = 0;
  for (uint32_t block = 0, end; block * BLOCK < windows; block = end) {
    const int equal = all_equal(block);
    for (end = block + 1; end * BLOCK < windows && all_equal(end) == equal; end++) {}
    const uint32_t from = block * BLOCK, to = end * BLOCK < windows ? end * BLOCK : windows;
    sum += equal ? to - from : ssim_between(p, from, to);
  }
  return sum;
}

/*
 * Starts a measurement. `row_capacity` is how many rows one `push` may bring; their samples have eight bits, or sixteen (little-endian). Returns 0 when the memory does not suffice.
 */
EXPORT(begin) int begin(uint32_t picture_width, uint32_t picture_channels, uint32_t row_capacity, int sixteen_bits) {
  width = picture_width;
  channels = picture_channels;
  wide = sixteen_bits != 0;
  pixel_bytes = channels << wide;
  windows = width < TAPS ? 1 : width - TAPS + 1;
  padded = ((width < TAPS ? TAPS : width) + 4 + TAPS + 3) & ~3u; /* vectors may read past the last window */
  rows_seen = 0;
  window_count = 0;
  planes = 1;
  uintptr_t at = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
  uint64_t row_bytes = (uint64_t)padded * sizeof(float), input_bytes = ((uint64_t)width * pixel_bytes * row_capacity + 15) & ~15ull;
  uint64_t plane_bytes = row_bytes * TAPS * QUANTITIES, backgrounds = channels & 1 ? 1 : 2;
  blocks = width / BLOCK + 1;
  uint64_t block_bytes = (blocks * (sizeof *equal_rows + TAPS) + 15) & ~15ull,
           kept_bytes = ((uint64_t)width * pixel_bytes * TAPS + 31) & ~15ull;
  uint64_t end = at + 2 * input_bytes + QUANTITIES * row_bytes + block_bytes + kept_bytes + backgrounds * plane_bytes;
  if (end > UINTPTR_MAX || !heap_claim((uintptr_t)end)) return 0;
  memset((void *)at, 0, (size_t)(end - at));
  reference_rows = (uint8_t *)at;
  candidate_rows = reference_rows + input_bytes;
  equal_rows = (uint32_t *)(candidate_rows + input_bytes);
  unlaid = (uint8_t *)(equal_rows + blocks);
  equal_pixels = (uint8_t *)equal_rows + block_bytes;
  float *next = (float *)(equal_pixels + kept_bytes);
  for (int q = 0; q < QUANTITIES; q++, next += padded) blurred[q] = next;
  for (uint32_t b = 0; b < backgrounds; b++, next += plane_bytes / sizeof(float)) {
    plane[b] = (struct plane){.background = b ? 255.0f : 0.0f, .ring = next};
  }
  return 1;
}

EXPORT(reference_at) uint8_t *reference_at(void) { return reference_rows; }
EXPORT(candidate_at) uint8_t *candidate_at(void) { return candidate_rows; }

/* Measures `rows` rows. `counts` is 0 for rows that only fill up a window of a picture lower than eleven rows. */
EXPORT(push) void push(uint32_t rows, int counts) {
  for (uint32_t r = 0; r < rows; r++) {
    const uint8_t *reference = reference_rows + (size_t)r * width * pixel_bytes;
    const uint8_t *candidate = candidate_rows + (size_t)r * width * pixel_bytes;
    const int opaque = (channels & 1) || (is_opaque(reference) && is_opaque(candidate));
    if (planes == 1 && !opaque) {
      /* Opaque up to here: black and white have given the same. From now on they differ. */
      memcpy(plane[1].ring, plane[0].ring, (size_t)TAPS * QUANTITIES * padded * sizeof(float));
      plane[1].ssim_sum = plane[0].ssim_sum;
      plane[1].luma_squares = plane[0].luma_squares;
      plane[1].rgb_squares = plane[0].rgb_squares;
      planes = 2;
    }
    push_row(reference, candidate, opaque, counts);
    rows_seen++;
    if (rows_seen < TAPS) continue;
    for (uint32_t b = 0; b < planes; b++) plane[b].ssim_sum += ssim_row(&plane[b]);
    window_count += windows;
  }
}

static double worse(double a, double b) { return planes == 1 || a > b ? a : b; }

/* The mean over all windows, on the worse background. */
EXPORT(ssim) double ssim(void) {
  double least = planes == 2 && plane[1].ssim_sum < plane[0].ssim_sum ? plane[1].ssim_sum : plane[0].ssim_sum;
  return window_count ? least / (double)window_count : 1;
}

/* Sums of squared differences over the whole picture, on the worse background. */
EXPORT(luma_squares) double luma_squares(void) { return worse(plane[0].luma_squares, plane[1].luma_squares); }
EXPORT(colour_squares) double colour_squares(void) { return worse(plane[0].rgb_squares, plane[1].rgb_squares); }
