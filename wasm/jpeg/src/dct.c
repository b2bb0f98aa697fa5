/* 8×8 DCTs in floating point (ITU-T T.81, A.3.3), written so that the compiler can use vectors. */
#include "engine.h"
#include <wasm_simd128.h>

static float basis[8][8]; /* basis[u][x] = c(u) / 2 · cos((2x + 1)uπ / 16) */

void dct_prepare(void) {
  for (int u = 0; u < 8; u++)
    for (int x = 0; x < 8; x++) basis[u][x] = (u ? 0.5f : 0.35355339f) * cosf((2 * x + 1) * u * 3.14159265358979f / 16);
}

/* Vertical half: columns[x][v] = Σu basis[u][x] · block[u][v]. Rows of zeros are skipped; false when only DC is there. */
static int columns_of(const JCOEF *block, const uint16_t *step, float columns[8][8]) {
  int any_ac = 0;
  memset(columns, 0, 64 * sizeof(float));
  for (int u = 0; u < 8; u++) {
    const v128_t row = wasm_v128_load(block + u * 8);
    if (!wasm_v128_any_true(row)) continue;
    if (u || wasm_v128_any_true(wasm_i16x8_replace_lane(row, 0, 0))) any_ac = 1;
    float scaled[8];
    for (int v = 0; v < 8; v++) scaled[v] = (float)((int)block[u * 8 + v] * (int)step[u * 8 + v]);
    for (int x = 0; x < 8; x++)
      for (int v = 0; v < 8; v++) columns[x][v] += basis[u][x] * scaled[v];
  }
  return any_ac;
}

void inverse_dct(const JCOEF *block, const uint16_t *step, uint8_t *out, uint32_t stride) {
  float columns[8][8];
  if (!columns_of(block, step, columns)) {
    int level = (int)floorf((float)(block[0] * (int)step[0]) * 0.125f + 128.5f);
    level = level < 0 ? 0 : level > 255 ? 255 : level;
    for (int y = 0; y < 8; y++) memset(out + y * stride, level, 8);
    return;
  }
  for (int x = 0; x < 8; x++) {
    float row[8] = {128.5f, 128.5f, 128.5f, 128.5f, 128.5f, 128.5f, 128.5f, 128.5f};
    for (int v = 0; v < 8; v++)
      for (int y = 0; y < 8; y++) row[y] += columns[x][v] * basis[v][y];
    for (int y = 0; y < 8; y++) {
      const int level = (int)row[y];
      out[x * stride + y] = row[y] < 0 ? 0 : level > 255 ? 255 : level;
    }
  }
}

void inverse_dct_float(const JCOEF *block, const uint16_t *step, float *out, uint32_t stride) {
  float columns[8][8];
  columns_of(block, step, columns);
  for (int x = 0; x < 8; x++) {
    float row[8] = {0};
    for (int v = 0; v < 8; v++)
      for (int y = 0; y < 8; y++) row[y] += columns[x][v] * basis[v][y];
    memcpy(out + x * stride, row, sizeof row);
  }
}

void forward_dct(const float *pixels, uint32_t stride, JCOEF *block) {
  float columns[8][8] = {{0}};
  for (int u = 0; u < 8; u++)
    for (int x = 0; x < 8; x++)
      for (int y = 0; y < 8; y++) columns[u][y] += basis[u][x] * pixels[x * stride + y];
  for (int u = 0; u < 8; u++)
    for (int v = 0; v < 8; v++) {
      float sum = 0;
      for (int y = 0; y < 8; y++) sum += columns[u][y] * basis[v][y];
      block[u * 8 + v] = (JCOEF)(sum + (sum < 0 ? -0.5f : 0.5f));
    }
}
