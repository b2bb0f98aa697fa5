#include "overshoot.h"

#include <wasm_simd128.h>

#include "dct.h"
#include "tuning.h"

#define WHITE (MAXJSAMPLE - CENTERJSAMPLE)
#define BLACK (-CENTERJSAMPLE)

/* Returns 1 if a sample is within `near` of white or beyond, -1 the same for black, otherwise 0. */
static inline int is_near(float sample, float near) {
  return sample >= WHITE - near ? 1 : sample <= BLACK + near ? -1 : 0;
}

int shown_at_the_ends(const JCOEF *block, const uint16_t *step, float energy, float *shown) {
  const float mean = block[0] * (int)step[0] * (1.0f / DCTSIZE);
  const float reach = sqrtf(energy); /* largest deviation of a sample: if it had all of the energy */
  if (!is_near(mean + reach, END_TOLERANCE) && !is_near(mean - reach, END_TOLERANCE)) return 0;
  inverse_dct_float(block, step, shown, DCTSIZE);
  int found = 0;
  for (int i = 0; i < DCTSIZE2; i++) {
    found |= is_near(shown[i], END_TOLERANCE);
    shown[i] = shown[i] > WHITE ? WHITE : shown[i] < BLACK ? BLACK : shown[i];
  }
  return found;
}

static void transformed(const float *samples, const uint16_t *step, float *scaled) {
  forward_dct_float(samples, DCTSIZE, scaled);
  for (int k = 0; k < DCTSIZE2; k++) scaled[k] /= step[k];
}

/* Moves all samples near white (or black) beyond the range by the same amount, at most until the block's mean reaches
 * the limit. Some decoders cannot handle a larger DC. */
void lifted_beyond(const float *shown, const uint16_t *step, float *scaled) {
  const float near = step[0] < LIFTED_MOST ? step[0] : LIFTED_MOST;
  float below_white = 0, above_black = 0, samples[DCTSIZE2];
  int white = 0, black = 0;
  for (int i = 0; i < DCTSIZE2; i++) {
    const int end = is_near(shown[i], near);
    samples[i] = end > 0 ? WHITE : end < 0 ? BLACK : shown[i];
    below_white += WHITE - samples[i];
    above_black += samples[i] - BLACK;
    white += end > 0;
    black += end < 0;
  }
  const float up = white ? fminf(below_white / white, LIFT_MOST) : 0,
              down = black ? fminf(above_black / black, LIFT_MOST) : 0;
  for (int i = 0; i < DCTSIZE2; i++) samples[i] += samples[i] == WHITE ? up : samples[i] == BLACK ? -down : 0;
  transformed(samples, step, scaled);
}

/* Visible samples aim at their original value. Samples that must decode to white or black may stay beyond the range. If
 * such a sample falls short, its target moves beyond the limit by the same amount; aimed at the limit itself, it would
 * always fall slightly short. */
float shown_error(const float *shown, const uint16_t *step, const float *weight, const JCOEF *levels, float *target) {
  const v128_t white = wasm_f32x4_splat(WHITE), black = wasm_f32x4_splat(BLACK), zero = wasm_f32x4_splat(0);
  const v128_t beyond_white = wasm_f32x4_splat(WHITE + BEYOND_MOST),
               beyond_black = wasm_f32x4_splat(BLACK - BEYOND_MOST);
  const v128_t at_white = wasm_f32x4_splat(WHITE - END_TOLERANCE), at_black = wasm_f32x4_splat(BLACK + END_TOLERANCE);
  float samples[DCTSIZE2], mirrored[DCTSIZE2], error[DCTSIZE2];
  v128_t any_short = zero, sums = zero;
  inverse_dct_float(levels, step, samples, DCTSIZE);
  for (int i = 0; i < DCTSIZE2; i += 4) {
    const v128_t as_it_was = wasm_v128_load(shown + i), sample = wasm_v128_load(samples + i);
    const v128_t clamped = wasm_f32x4_pmax(wasm_f32x4_pmin(sample, white), black);
    const v128_t excess = wasm_f32x4_sub(sample, wasm_f32x4_pmax(wasm_f32x4_pmin(sample, beyond_white), beyond_black));
    const v128_t off = wasm_f32x4_add(wasm_f32x4_sub(clamped, as_it_was), excess);
    const v128_t is_short = wasm_v128_or(wasm_v128_and(wasm_f32x4_ge(as_it_was, at_white), wasm_f32x4_lt(off, zero)),
                                         wasm_v128_and(wasm_f32x4_le(as_it_was, at_black), wasm_f32x4_gt(off, zero)));
    wasm_v128_store(samples + i, off);
    wasm_v128_store(mirrored + i, wasm_f32x4_add(off, wasm_v128_and(off, is_short)));
    any_short = wasm_v128_or(any_short, is_short);
  }
  transformed(samples, step, error);
  for (int k = 0; k < DCTSIZE2; k += 4) {
    const v128_t off = wasm_v128_load(error + k);
    sums = wasm_f32x4_add(sums, wasm_f32x4_mul(wasm_v128_load(weight + k), wasm_f32x4_mul(off, off)));
  }
  if (wasm_v128_any_true(any_short)) transformed(mirrored, step, error);
  for (int k = 0; k < DCTSIZE2; k++) target[k] = levels[k] - error[k];
  /* keep DC within the range of plain white and black, which all decoders can handle */
  const float dc = target[0] * step[0];
  if (dc > WHITE * DCTSIZE || dc < BLACK * DCTSIZE) target[0] = (float)((dc > 0 ? WHITE : BLACK) * DCTSIZE) / step[0];
  float sum[4];
  wasm_v128_store(sum, sums);
  return sum[0] + sum[1] + sum[2] + sum[3];
}
