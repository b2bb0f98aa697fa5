/* Rows near to the source's, for pictures that no palette holds: what a filter leaves of a pixel is rounded to multiples of a step,
 * so that deflate meets few values, and the error goes on to the neighbours, as in dithering. Per row the filter that costs least.
 *
 * The three colours of a pixel move together, by multiples of the step of luma; differences of red and blue from green by
 * multiples of the same or of twice that. Deflate then finds the same three bytes again and again. */
#include "remap.h"

#define FIRST_FILTER 1 /* without a filter, samples are all values there are */
#define FILTERS 5
/* What is less than so much above half a step is rounded to nothing: zeros are cheap, and what is lost goes on to the neighbours. */
#define DEAD .15f
/* The same of hues in steps no coarser than those of luma. */
#define DEAD_FINE_HUE .25f
/* The share of errors that goes on: all but all in the calmest areas, which would drift away in steps, and little more than half from
 * the first grain on, where more comes back as specks. By the bends of eight pixels (remap.h). */
#define SHARE_CALM .95f
#define SHARE .57f
#define CALM 12
#define GRAINY 40
/* Runs of one colour from this length on stay exact, others below the same colour: flat areas stay flat. */
#define FLAT_RUN 8

static u32 step, hue_step;
static float dead_hue;
/* The step of luma, in levels of 255, and how many of it are one of hues. */
EXPORT(set_steps) void set_steps(u32 levels, u32 hues) {
  step = levels < 1 ? 1 : levels > 64 ? 64 : levels;
  hue_step = hues > 1 ? 2 * step : step;
  dead_hue = hues > 1 ? DEAD : DEAD_FINE_HUE;
}

typedef struct {
  u8 *line;   /* the filter, then what it leaves */
  u8 *shown;  /* samples as they will be read, after `channels` zeros */
  v4f *below; /* errors for the next row, from one pixel before the first */
  float bits; /* that `line` will take, about */
} Candidate;

static Candidate best, tried;
static u8 *shown_above, *flat;
static u32 *source_above;
static v4f *errors; /* for this row */
static u32 room;
static bool have_above;
static float counts[256], bits_of[256];
static u32 most_off;

/* Grey is kept in the first sample, alpha in the last. */
static int channels_of(void) { return layout.pixel_bits >> 3; }

static float shares[256]; /* by bends */

static void find_shares(void) {
  for (int i = 0; i < 256; i++) {
    const float grain = i < CALM ? 0 : i > GRAINY ? 1 : (float)(i - CALM) / (GRAINY - CALM);
    shares[i] = SHARE_CALM - (SHARE_CALM - SHARE) * grain;
  }
}

void near_begin(void) {
  if (!step || layout.depth != 8 || layout.colour_type == INDEXED) host_fail(FAIL_MISUSE, "no form for rows near to the source's");
  const u32 samples = (source.width + 1) * 4 + 16;
  if (room != source.width) {
    room = source.width;
    Candidate *both[] = {&best, &tried};
    for (int i = 0; i < 2; i++) {
      both[i]->line = zeroed(samples);
      both[i]->shown = zeroed(samples);
      both[i]->below = zeroed(((size_t)source.width + 2) * sizeof(v4f));
    }
    shown_above = zeroed(samples);
    source_above = zeroed((size_t)source.width * 4);
    errors = zeroed(((size_t)source.width + 3) * sizeof *errors);
    flat = zeroed(source.width);
  }
  memset(shown_above, 0, samples);
  memset(best.below, 0, ((size_t)source.width + 2) * sizeof(v4f));
  have_above = false;
  most_off = 0;
  for (int i = 0; i < 256; i++) { /* multiples of the step, the smaller the likelier */
    const u32 away = i < 128 ? i : 256 - i, steps = away / step;
    counts[i] = away % step ? .1f : 100.f / (1 + steps * steps);
  }
  find_shares();
  remap_break();
}

/* ---- what stays exact ---- */

static void find_flat(const u32 *px, u32 width) {
  for (u32 i = 0, end; i < width; i = end) {
    for (end = i + 1; end < width && px[end] == px[i]; end++) {}
    const bool run = end - i >= FLAT_RUN;
    for (u32 k = i; k < end; k++) flat[k] = run || (end - i > 1 && have_above && source_above[k] == px[k]);
  }
}

/* ---- one row by one filter ---- */

static inline int predicted(int filter, int left, int up, int corner) {
  switch (filter) {
    case 1: return left;
    case 2: return up;
    case 3: return (left + up) >> 1;
    default: return paeth(left, up, corner);
  }
}

/* The multiple of `size` nearest to `v`, or nothing. */
static inline int rounded(float v, u32 size, float dead) {
  const int steps = (int)(fabsf(v) / (float)size + .5f - dead);
  return (v < 0 ? -steps : steps) * (int)size;
}

/* What the filter is to leave of a pixel's colours: `wanted` without the prediction. */
static inline void round_colours(const float *left_over, int colours, int *out) {
  if (colours == 1) {
    out[0] = rounded(left_over[0], step, DEAD);
    return;
  }
  const int red = rounded(left_over[0] - left_over[1], hue_step, dead_hue), blue = rounded(left_over[2] - left_over[1], hue_step, dead_hue);
  const float luma = .299f * (left_over[0] - (float)red) + .587f * left_over[1] + .114f * (left_over[2] - (float)blue);
  out[1] = rounded(luma, step, DEAD);
  out[0] = out[1] + red;
  out[2] = out[1] + blue;
}

static inline __attribute__((always_inline)) void filter_row(int filter, const u32 *px, u32 width, const int channels, Candidate *to) {
  const int colours = channels > 2 ? 3 : 1, alpha = channels == 2 || channels == 4 ? channels - 1 : -1;
  const u8 *up = shown_above + channels, *corner = shown_above;
  u8 *shown = to->shown + channels, *left = to->shown, *line = to->line;
  v4f carried = {0}, *below = to->below + 1;
  memset(to->below, 0, ((size_t)width + 2) * sizeof(v4f));
  float bits = 0;
  *line++ = filter;
  for (u32 i = 0; i < width; i++, up += channels, corner += channels, shown += channels, left += channels, line += channels) {
    const u32 c = px[i];
    const bool seen = c >> 24;
    int prediction[4], sample[4], change[4];
    for (int k = 0; k < channels; k++) {
      sample[k] = k == alpha ? (int)(c >> 24) : (int)(c >> (8 * k) & 255);
      prediction[k] = predicted(filter, left[k], up[k], corner[k]);
    }
    if (!seen) {
      for (int k = 0; k < colours; k++) change[k] = 0; /* nobody sees which */
    } else if (flat[i]) {
      for (int k = 0; k < colours; k++) change[k] = sample[k] - prediction[k];
    } else {
      const v4f error = carried + errors[i + 1];
      float left_over[4];
      for (int k = 0; k < colours; k++) left_over[k] = (float)(sample[k] - prediction[k]) + error[k];
      round_colours(left_over, colours, change);
      v4f e = {0};
      for (int k = 0; k < colours; k++) {
        const int value = prediction[k] + change[k];
        if (value < 0 || value > 255) change[k] = (value < 0 ? 0 : 255) - prediction[k];
        const float off = left_over[k] - (float)change[k], most = (float)step;
        e[k] = off > most ? most : off < -most ? -most : off;
      }
      e *= shares[bent[i]];
      carried = e * (7 / 16.f);
      below[(i32)i - 1] += e * (3 / 16.f);
      below[i] += e * (5 / 16.f);
      below[i + 1] += e * (1 / 16.f);
    }
    if (!seen || flat[i]) carried *= 0.f;
    if (alpha >= 0) change[alpha] = sample[alpha] - prediction[alpha];
    for (int k = 0; k < channels; k++) {
      shown[k] = (u8)(prediction[k] + change[k]);
      line[k] = (u8)change[k];
      bits += bits_of[line[k]];
    }
  }
  to->bits = bits;
}

static void filter_by_channels(int filter, const u32 *px, u32 width, Candidate *to) {
  switch (channels_of()) {
    case 1: filter_row(filter, px, width, 1, to); return;
    case 2: filter_row(filter, px, width, 2, to); return;
    case 3: filter_row(filter, px, width, 3, to); return;
    default: filter_row(filter, px, width, 4, to);
  }
}

/* ---- the best of them ---- */

/* Bits of the values met so far; older rows count less and less. */
static void learn(const u8 *line, u32 count) {
  for (u32 i = 0; i < count; i++) counts[line[i]] += 1;
  for (int i = 0; i < 256; i++) counts[i] *= .97f;
}

static void price(void) {
  float all = 0;
  for (int i = 0; i < 256; i++) all += counts[i] + .05f;
  for (int i = 0; i < 256; i++) bits_of[i] = log2f(all / (counts[i] + .05f));
}

/* The filtered row, to be deflated; `shown` is what readers will make of it. */
const u8 *near_row(const u32 *px, u32 width, u32 *shown) {
  const int channels = channels_of();
  hiding_row(px, width);
  find_flat(px, width);
  memcpy(errors, best.below, ((size_t)width + 2) * sizeof *errors);
  price();
  best.bits = 1e30f;
  for (int filter = FIRST_FILTER; filter < FILTERS; filter++) {
    filter_by_channels(filter, px, width, &tried);
    if (tried.bits >= best.bits) continue;
    const Candidate t = best;
    best = tried;
    tried = t;
  }
  learn(best.line + 1, width * channels);
  memcpy(shown_above, best.shown, ((size_t)width + 1) * channels);
  memcpy(source_above, px, (size_t)width * 4);
  have_above = true;
  const u8 *s = best.shown + channels;
  for (u32 i = 0; i < width; i++, s += channels) {
    const u32 alpha = channels == 2 || channels == 4 ? s[channels - 1] : 255;
    shown[i] = (channels > 2 ? s[0] | s[1] << 8 | s[2] << 16 : s[0] * 0x010101u) | alpha << 24;
    for (int c = 0; alpha && c < 24; c += 8) {
      const int off = abs((int)(px[i] >> c & 255) - (int)(shown[i] >> c & 255));
      if ((u32)off > most_off) most_off = off;
    }
  }
  return best.line;
}

/* How far any sample of these rows is off, of 255. */
EXPORT(near_off) u32 near_off(void) { return most_off; }
