#include "pixels.h"
#include "squares.h"
#include "window.h"

#include <string.h>

/* Returns a 16-bit sample scaled to 0-255. */
static float wide_sample(const uint8_t *row, uint32_t i) {
  uint16_t sample;
  memcpy(&sample, row + 2 * (size_t)i, 2);
  return sample * (1.f / 257);
}

static uint32_t word(const uint8_t *pixel) {
  uint32_t value;
  memcpy(&value, pixel, 4);
  return value;
}

static float luma_of(float red, float green, float blue) { return .299f * red + .587f * green + .114f * blue; }

bool pixels_opaque(PixelFormat s, const uint8_t *row, uint32_t pixels) {
  if (!s.translucent) return true;
  uint32_t i = 0;
  if (s.wide) {
    for (i = s.channels - 1; i < pixels * s.channels; i += s.channels)
      if (row[2 * i] != 255 || row[2 * i + 1] != 255) return false;
    return true;
  }
  if (s.channels == 4) {
    v128_t bits = wasm_u32x4_splat(0xffffffff);
    for (; i + 4 <= pixels; i += 4) bits = wasm_v128_and(bits, wasm_v128_load(row + i * 4));
    if (!wasm_i32x4_all_true(wasm_u32x4_gt(bits, wasm_u32x4_splat(0xfeffffff)))) return false;
  }
  for (i = i * s.channels + s.channels - 1; i < pixels * s.channels; i += s.channels)
    if (row[i] != 255) return false;
  return true;
}

static void wide_luma(PixelFormat s, const uint8_t *row, uint32_t pixels, bool opaque, float background, float *luma) {
  for (uint32_t i = 0; i < pixels; i++, row += pixels_bytes(s)) {
    const float first = wide_sample(row, 0), alpha = opaque ? 1 : wide_sample(row, s.channels - 1) * (1 / 255.f);
    const float grey = pixels_colours(s) == 1 ? first : luma_of(first, wide_sample(row, 1), wide_sample(row, 2));
    luma[i] = grey * alpha + background * (1 - alpha) - CENTRE;
  }
}

void pixels_luma(PixelFormat s, const uint8_t *row, uint32_t pixels, bool opaque, float background, float *luma) {
  if (s.wide) wide_luma(s, row, pixels, opaque, background, luma);
  else if (s.channels == 1)
    for (uint32_t i = 0; i < pixels; i++) luma[i] = row[i] - CENTRE;
  else if (s.channels == 3)
    for (uint32_t i = 0; i < pixels; i++, row += 3) luma[i] = luma_of(row[0], row[1], row[2]) - CENTRE;
  else if (s.channels == 2)
    for (uint32_t i = 0; i < pixels; i++, row += 2) {
      const float alpha = row[1] * (1 / 255.f);
      luma[i] = row[0] * alpha + background * (1 - alpha) - CENTRE;
    }
  else
    for (uint32_t i = 0; i < pixels; i++) {
      const uint32_t c = word(row + 4 * i);
      const float grey = luma_of(c & 255, c >> 8 & 255, c >> 16 & 255), alpha = (c >> 24) * (1 / 255.f);
      luma[i] = (opaque ? grey : grey * alpha + background * (1 - alpha)) - CENTRE;
    }
}

static float wide_squares(PixelFormat s, const uint8_t *a, const uint8_t *b, uint32_t pixels, bool opaque,
                          float background) {
  const uint32_t colours = pixels_colours(s);
  float sum = 0;
  for (uint32_t i = 0; i < pixels; i++, a += pixels_bytes(s), b += pixels_bytes(s)) {
    const float alpha_a = opaque ? 1 : wide_sample(a, colours) * (1 / 255.f);
    const float alpha_b = opaque ? 1 : wide_sample(b, colours) * (1 / 255.f);
    for (uint32_t c = 0; c < colours; c++) {
      const float d = wide_sample(a, c) * alpha_a - wide_sample(b, c) * alpha_b + background * (alpha_b - alpha_a);
      sum += d * d;
    }
  }
  return sum;
}

float pixels_squares(PixelFormat s, const uint8_t *a, const uint8_t *b, uint32_t pixels, bool opaque,
                     float background) {
  if (s.wide) return wide_squares(s, a, b, pixels, opaque, background);
  /* four-channel rows also compare alpha, which is equal and adds no error */
  if (opaque) return byte_squares_of(a, b, pixels * s.channels);
  const uint32_t colours = pixels_colours(s);
  float sum = 0;
  for (uint32_t i = 0; i < pixels; i++, a += s.channels, b += s.channels) {
    if (s.channels == 4 && word(a) == word(b)) continue;
    const float alpha_a = a[colours] * (1 / 255.f), alpha_b = b[colours] * (1 / 255.f);
    const float base = background * (alpha_b - alpha_a); /* background * (1 - alpha_a) - background * (1 - alpha_b) */
    for (uint32_t c = 0; c < colours; c++) {
      const float d = a[c] * alpha_a - b[c] * alpha_b + base;
      sum += d * d;
    }
  }
  return sum;
}
