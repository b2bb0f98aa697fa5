/*
 * A separable filter that changes the size of a picture row by row: each row that comes in is filtered along itself, kept
 * while a row that goes out needs it, and blended down the columns. Which samples count how much is the host's: it writes
 * tables of weights, so that one kernel serves every filter, smaller and larger.
 *
 * A pixel is four floats wherever it is kept, whatever its channels: one vector a tap.
 */
#include <stddef.h>
#include <stdint.h>
#include <wasm_simd128.h>

#include "heap.h"

#define EXPORT(name) __attribute__((export_name(#name)))

extern unsigned char __heap_base;

static uint32_t in_width, out_width, out_height, channels, across_taps, down_taps, out_capacity;
static uint32_t period, span; /* of every `period` rows that could go out, the first `span` are wanted */
static int by_alpha;          /* colour counts as much as it is opaque */
static uint32_t *across_first, *down_first;
static float *across, *down;  /* weights, `across_taps` and `down_taps` a sample that goes out */
static float *wide;           /* the row that came in */
static float *ring;           /* `down_taps` rows as wide as those that go out */
static const float **blended; /* those of the row that goes out */
static uint8_t *in_rows, *out_rows;
static uint32_t arrived, next, produced;

static uint64_t take(uint64_t *at, uint64_t bytes) {
  uint64_t place = *at;
  *at = (place + bytes + 15) & ~15ull;
  return place;
}

/* Starts a picture. Returns 0 when the memory does not suffice. */
EXPORT(begin)
int begin(uint32_t width, uint32_t to_width, uint32_t to_height, uint32_t picture_channels, int weigh_by_alpha, uint32_t taps_across,
          uint32_t taps_down, uint32_t rows_in, uint32_t rows_out, uint32_t rows_period, uint32_t rows_span) {
  in_width = width;
  out_width = to_width;
  out_height = to_height;
  channels = picture_channels;
  by_alpha = weigh_by_alpha;
  across_taps = taps_across;
  down_taps = taps_down;
  out_capacity = rows_out;
  arrived = 0;
  next = 0;
  period = rows_period;
  span = rows_span;
  uint64_t at = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
  uint64_t places[] = {
      take(&at, 4ull * to_width),
      take(&at, 4ull * to_height),
      take(&at, 4ull * to_width * taps_across),
      take(&at, 4ull * to_height * taps_down),
      take(&at, 16ull * width),
      take(&at, 16ull * to_width * taps_down),
      take(&at, 4ull * taps_down),
      take(&at, (uint64_t)width * channels * rows_in + 4),
      take(&at, (uint64_t)to_width * channels * rows_out + 4),
  };
  if (at > UINTPTR_MAX || !heap_claim((uintptr_t)at)) return 0;
  across_first = (uint32_t *)places[0];
  down_first = (uint32_t *)places[1];
  across = (float *)places[2];
  down = (float *)places[3];
  wide = (float *)places[4];
  ring = (float *)places[5];
  blended = (const float **)places[6];
  in_rows = (uint8_t *)places[7];
  out_rows = (uint8_t *)places[8];
  return 1;
}

/* Where the host writes: firsts and weights along a row and down the columns, rows that come in; and reads what goes out. */
EXPORT(place) void *place(int what) {
  void *places[] = {across_first, across, down_first, down, in_rows, out_rows};
  return places[what];
}

static void widen(const uint8_t *row) {
  float *out = wide;
  switch (channels) {
    case 1:
      for (uint32_t x = 0; x < in_width; x++, out += 4) wasm_v128_store(out, wasm_f32x4_make(row[x], 0, 0, 0));
      return;
    case 2:
      for (uint32_t x = 0; x < in_width; x++, row += 2, out += 4) wasm_v128_store(out, wasm_f32x4_make(row[0], row[1], 0, 0));
      return;
    default: /* the fourth byte of a pixel of three is the next one's, or padding: its lane is never read */
      for (uint32_t x = 0; x < in_width; x++, row += channels, out += 4) {
        v128_t bytes = wasm_v128_load32_zero(row);
        v128_t pixel = wasm_f32x4_convert_u32x4(wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(bytes)));
        if (by_alpha) {
          float alpha = row[3];
          pixel = wasm_f32x4_replace_lane(wasm_f32x4_mul(pixel, wasm_f32x4_splat(alpha / 255)), 3, alpha);
        }
        wasm_v128_store(out, pixel);
      }
  }
}

static void filter_along(float *out) {
  const float *weight = across;
  for (uint32_t x = 0; x < out_width; x++, weight += across_taps, out += 4) {
    const float *pixel = wide + 4 * (size_t)across_first[x];
    v128_t sum = wasm_f32x4_mul(wasm_v128_load(pixel), wasm_v128_load32_splat(weight));
    for (uint32_t tap = 1; tap < across_taps; tap++)
      sum = wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_v128_load(pixel + 4 * tap), wasm_v128_load32_splat(weight + tap)));
    wasm_v128_store(out, sum);
  }
}

/* Rounded to the nearest, cut at 0 and 255. Pixels of three write one byte too many, which the next one overwrites. */
static void blend(uint8_t *out) {
  const float *weight = down + (size_t)next * down_taps;
  uint32_t first = down_first[next];
  for (uint32_t tap = 0; tap < down_taps; tap++) blended[tap] = ring + ((first + tap) % down_taps) * 4 * (size_t)out_width;
  for (uint32_t x = 0; x < out_width; x++, out += channels) {
    v128_t sum = wasm_f32x4_splat(0);
    for (uint32_t tap = 0; tap < down_taps; tap++)
      sum = wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_v128_load(blended[tap] + 4 * (size_t)x), wasm_v128_load32_splat(weight + tap)));
    if (by_alpha) {
      float alpha = wasm_f32x4_extract_lane(sum, 3);
      alpha = alpha < 0 ? 0 : alpha > 255 ? 255 : alpha;
      v128_t colour = alpha > 0 ? wasm_f32x4_mul(sum, wasm_f32x4_splat(255 / alpha)) : wasm_f32x4_splat(0);
      sum = wasm_f32x4_replace_lane(colour, 3, alpha);
    }
    v128_t whole = wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(sum));
    v128_t bytes = wasm_u8x16_narrow_i16x8(wasm_i16x8_narrow_i32x4(whole, whole), wasm_i16x8_splat(0));
    if (channels >= 3) wasm_v128_store32_lane(out, bytes, 0);
    else {
      out[0] = wasm_u8x16_extract_lane(bytes, 0);
      if (channels == 2) out[1] = wasm_u8x16_extract_lane(bytes, 1);
    }
  }
}

/*
 * Takes up to `rows` of the rows at `in_rows`, from the `skip`-th on, until there is no place for what goes out. Returns how
 * many were taken; `made` says how many rows stand at `out_rows`. Called again with what is left.
 */
EXPORT(push) uint32_t push(uint32_t skip, uint32_t rows) {
  produced = 0;
  for (uint32_t taken = 0;; taken++) {
    while (next < out_height && down_first[next] + down_taps <= arrived) {
      if (produced == out_capacity) return taken;
      blend(out_rows + (size_t)produced++ * out_width * channels);
      if (++next % period >= span) next += period - next % period;
    }
    if (taken == rows) return taken;
    if (next < out_height && arrived >= down_first[next]) {
      widen(in_rows + (size_t)(skip + taken) * in_width * channels);
      filter_along(ring + (arrived % down_taps) * 4 * (size_t)out_width);
    }
    arrived++;
  }
}

EXPORT(made) uint32_t made(void) { return produced; }
