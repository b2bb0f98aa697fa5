#include "near_lossless.h"

#include <math.h>

#include "filters.h"
#include "tuning.h"

void near_set_steps(Near *n, u32 levels, u32 hues) {
  n->step = levels < 1 ? 1 : levels > COARSEST_STEP ? COARSEST_STEP : levels;
  n->hue_step = hues > 1 ? 2 * n->step : n->step;
  n->dead_hue = hues > 1 ? DEAD_ZONE : DEAD_ZONE_FINE_HUE;
}

static void make_room(Near *n, u32 width) {
  if (n->width == width) return;
  n->width = width;
  const u32 samples = (width + 1) * 4 + 16;
  NearCandidate *both[] = {&n->best, &n->tried};
  for (int i = 0; i < 2; i++) {
    both[i]->line = allocate_zeroed(samples);
    both[i]->shown = allocate_zeroed(samples);
    both[i]->below = allocate_zeroed(((size_t)width + 2) * sizeof(v4f));
  }
  n->shown_above = allocate_zeroed(samples);
  n->source_above = allocate_zeroed((size_t)width * 4);
  n->errors = allocate_zeroed(((size_t)width + 3) * sizeof(v4f));
  n->flat = allocate_zeroed(width);
}

void near_begin(Near *n, Hiding *hiding, const Layout *layout, u32 width) {
  if (!n->step || layout->depth != 8 || layout->colour_type == INDEXED)
    host_fail(FAIL_MISUSE, "no form for rows near to the source's");
  make_room(n, width);
  n->channels = layout->pixel_bits >> 3;
  memset(n->shown_above, 0, (width + 1) * 4 + 16);
  memset(n->best.below, 0, ((size_t)width + 2) * sizeof(v4f));
  n->has_above = false;
  n->most_off = 0;
  for (int i = 0; i < 256; i++) { /* initial counts: multiples of the step; smaller ones are more frequent */
    const u32 away = i < 128 ? i : 256 - i, steps = away / n->step;
    n->counts[i] = away % n->step ? FIRST_COUNT_BETWEEN : FIRST_COUNT / (1 + steps * steps);
  }
  for (int i = 0; i < 256; i++) {
    const float grain = i < CALM_BENDS     ? 0
                        : i > GRAINY_BENDS ? 1
                                           : (float)(i - CALM_BENDS) / (GRAINY_BENDS - CALM_BENDS);
    n->shares[i] = SHARE_CALM - (SHARE_CALM - SHARE_GRAINY) * grain;
  }
  hiding_begin(hiding, width);
}

/* ---- pixels that stay exact ---- */

static void find_flat(Near *n, const u32 *px) {
  const u32 width = n->width, *above = n->source_above;
  for (u32 i = 0, end; i < width; i = end) {
    for (end = i + 1; end < width && px[end] == px[i]; end++) {}
    const bool run = end - i >= FLAT_RUN;
    for (u32 k = i; k < end; k++) n->flat[k] = run || (end - i > 1 && n->has_above && above[k] == px[k]);
  }
}

/* ---- one row with one filter ---- */

static inline int predicted(int filter, int left, int up, int corner) {
  switch (filter) {
    case FILTER_SUB: return left;
    case FILTER_UP: return up;
    case FILTER_AVERAGE: return (left + up) >> 1;
    default: return paeth(left, up, corner);
  }
}

/* Luma and hue steps of the picture, copied to registers. */
typedef struct {
  u32 step, hue_step;
  float dead_hue;
} Steps;

/* Returns the multiple of `size` nearest to `v`; 0 in the dead zone. */
static inline int rounded(float v, u32 size, float dead) {
  const int steps = (int)(fabsf(v) / (float)size + .5f - dead);
  return (v < 0 ? -steps : steps) * (int)size;
}

/* Rounds the prediction error `left_over` of a pixel's colours to steps. */
static inline void round_colours(Steps s, const float *left_over, int colours, int *out) {
  if (colours == 1) {
    out[0] = rounded(left_over[0], s.step, DEAD_ZONE);
    return;
  }
  const int red = rounded(left_over[0] - left_over[1], s.hue_step, s.dead_hue);
  const int blue = rounded(left_over[2] - left_over[1], s.hue_step, s.dead_hue);
  const float luma = .299f * (left_over[0] - (float)red) + .587f * left_over[1] + .114f * (left_over[2] - (float)blue);
  out[1] = rounded(luma, s.step, DEAD_ZONE);
  out[0] = out[1] + red;
  out[2] = out[1] + blue;
}

/* Rounds a pixel: writes the rounded prediction error to `change` and returns the rounding error. */
static inline v4f round_pixel(Steps s, const int *sample, const int *prediction, v4f error, int colours, int *change) {
  float left_over[4];
  for (int k = 0; k < colours; k++) left_over[k] = (float)(sample[k] - prediction[k]) + error[k];
  round_colours(s, left_over, colours, change);
  v4f e = {0};
  for (int k = 0; k < colours; k++) {
    const int value = prediction[k] + change[k];
    if (value < 0 || value > 255) change[k] = (value < 0 ? 0 : 255) - prediction[k];
    const float off = left_over[k] - (float)change[k], most = (float)s.step;
    e[k] = off > most ? most : off < -most ? -most : off;
  }
  return e;
}

/* Computes a candidate for the row with one filter. */
static inline __attribute__((always_inline)) void try_filter(const Near *n, const u8 *bent, int filter, const u32 *px,
                                                             const int channels, NearCandidate *to) {
  const int colours = channels > 2 ? 3 : 1, alpha = channels == 2 || channels == 4 ? channels - 1 : -1;
  const u32 width = n->width;
  const Steps steps = {n->step, n->hue_step, n->dead_hue};
  const u8 *up = n->shown_above + channels, *corner = n->shown_above, *flat = n->flat;
  const v4f *errors = n->errors + 1;
  u8 *shown = to->shown + channels, *left = to->shown, *line = to->line;
  v4f carried = {0}, *below = to->below + 1;
  memset(to->below, 0, ((size_t)width + 2) * sizeof(v4f));
  float bits = 0;
  *line++ = filter;
  for (u32 i = 0; i < width; i++) {
    const u32 c = px[i];
    const bool visible = c >> 24;
    int prediction[4], sample[4], change[4];
    for (int k = 0; k < channels; k++) {
      sample[k] = k == alpha ? (int)(c >> 24) : (int)(c >> (8 * k) & 255);
      prediction[k] = predicted(filter, left[k], up[k], corner[k]);
    }
    if (!visible) {
      for (int k = 0; k < colours; k++) change[k] = 0; /* the pixel is transparent: its colour does not matter */
    } else if (flat[i]) {
      for (int k = 0; k < colours; k++) change[k] = sample[k] - prediction[k];
    } else {
      const v4f e = n->shares[bent[i]] * round_pixel(steps, sample, prediction, carried + errors[i], colours, change);
      carried = e * (7 / 16.f);
      below[(i32)i - 1] += e * (3 / 16.f);
      below[i] += e * (5 / 16.f);
      below[i + 1] += e * (1 / 16.f);
    }
    if (!visible || flat[i]) carried *= 0.f;
    if (alpha >= 0) change[alpha] = sample[alpha] - prediction[alpha];
    for (int k = 0; k < channels; k++) {
      shown[k] = (u8)(prediction[k] + change[k]);
      line[k] = (u8)change[k];
      bits += n->bits_of[line[k]];
    }
    up += channels, corner += channels, shown += channels, left += channels, line += channels;
  }
  to->bits = bits;
}

static void try_by_channels(const Near *n, const u8 *bent, int filter, const u32 *px, NearCandidate *to) {
  switch (n->channels) {
    case 1: try_filter(n, bent, filter, px, 1, to); return;
    case 2: try_filter(n, bent, filter, px, 2, to); return;
    case 3: try_filter(n, bent, filter, px, 3, to); return;
    default: try_filter(n, bent, filter, px, 4, to);
  }
}

/* ---- choice of the best candidate ---- */

/* Updates the value counts with a row; counts of older rows decay. */
static void count_values(Near *n, const u8 *line, u32 count) {
  for (u32 i = 0; i < count; i++) n->counts[line[i]] += 1;
  for (int i = 0; i < 256; i++) n->counts[i] *= COUNTS_LEFT;
}

static void price_values(Near *n) {
  float all = 0;
  for (int i = 0; i < 256; i++) all += n->counts[i] + COUNT_OFFSET;
  for (int i = 0; i < 256; i++) n->bits_of[i] = log2f(all / (n->counts[i] + COUNT_OFFSET));
}

/* Writes the best candidate's pixels to `shown` and updates the largest error. */
static void show_row(Near *n, const u32 *px, u32 *shown) {
  const u32 width = n->width;
  const int channels = n->channels;
  const u8 *s = n->best.shown + channels;
  for (u32 i = 0; i < width; i++, s += channels) {
    const u32 alpha = channels == 2 || channels == 4 ? s[channels - 1] : 255;
    shown[i] = (channels > 2 ? s[0] | s[1] << 8 | s[2] << 16 : s[0] * 0x010101u) | alpha << 24;
    for (int c = 0; alpha && c < 24; c += 8) {
      const int off = abs((int)(px[i] >> c & 255) - (int)(shown[i] >> c & 255));
      if ((u32)off > n->most_off) n->most_off = off;
    }
  }
}

const u8 *near_row(Near *n, Hiding *hiding, const u32 *px, u32 *shown) {
  const u32 width = n->width;
  hiding_row(hiding, px, width);
  find_flat(n, px);
  memcpy(n->errors, n->best.below, ((size_t)width + 2) * sizeof *n->errors);
  price_values(n);
  n->best.bits = 1e30f;
  for (int filter = NEAR_FIRST_FILTER; filter < FILTERS; filter++) {
    try_by_channels(n, hiding->bent, filter, px, &n->tried);
    if (n->tried.bits >= n->best.bits) continue;
    const NearCandidate t = n->best;
    n->best = n->tried;
    n->tried = t;
  }
  count_values(n, n->best.line + 1, width * n->channels);
  memcpy(n->shown_above, n->best.shown, ((size_t)width + 1) * n->channels);
  memcpy(n->source_above, px, (size_t)width * 4);
  n->has_above = true;
  show_row(n, px, shown);
  return n->best.line;
}
