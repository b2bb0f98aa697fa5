/*
 * Requantisation, a block row at a time: coefficients as read → coarser steps, by a trellis search, with SSIM and
 * squared error measured between the pixels before and after. The search needs the price of Huffman symbols: it is learnt
 * from the rows that were already coded, so one pass is enough and no row has to be kept.
 */
#include "smooth.h"
#include "trellis.h"

typedef struct {
  JBLOCKROW out;         /* the row, requantised */
  uint32_t first, width; /* the blocks of a row that are looked at: all, but for a sample of a wide picture */
  uint32_t last_row;
  uint32_t rows; /* done so far */
  int dc;        /* predictor for the symbol counts */
  Counts counts; /* symbols of all rows, for the size estimate */
  Counts recent; /* aged: what prices are made of */
  Counts seen;   /* the part of the counts that is in the aged ones */
  Prices prices;
  int priced;
  double coefficient_error; /* Σ squared difference of dequantised coefficients: Parseval gives the pixels' */
  uint8_t *before, *after;
  Measure *measure;
} RowState;

static RowState state[PLANES];
static struct jpeg_compress_struct tables; /* holds quantisation tables; never compresses */
static int tables_ready, use_trellis, use_measure, use_store, errors_only;
static uint32_t stretch; /* blocks of the widest plane in a sampled row, 0 for whole rows */
#define SAMPLE_BLOCKS 128
static float wanted_quality, chroma_shift;

static void prepare_tables(void) {
  if (tables_ready) return;
  tables_ready = 1;
  tables.err = error_manager();
  jpeg_create_compress(&tables);
  tables.in_color_space = JCS_YCbCr;
  tables.input_components = 3;
  jpeg_set_defaults(&tables);
}

/* Quality of the chroma tables, relative to luma's. */
void EXPORT(chroma_quality)(float shift) { chroma_shift = shift; }

/*
 * What steps are at quality 50, for luma and for chroma: mozjpeg's tables tuned for MS-SSIM (its index 3, which are alike in both), bent
 * by tools/bench/jpeg-tables.ts until photographs took the fewest bytes for a score of SSIMULACRA 2.1. Finer where gradients and hues are, and
 * at the highest frequencies, which the trellis leaves out where they are noise; coarser in between.
 */
static unsigned int base_tables[2][DCTSIZE2] = {
    {
        10, 20, 22, 26, 35, 45, 54, 61, 20, 22, 29, 39, 47, 48, 50, 52, 22, 29, 35, 44, 57, 70, 81, 87, 26, 39, 44, 54, 64, 75, 83, 88,
        35, 47, 57, 64, 73, 81, 86, 88, 45, 48, 70, 75, 81, 86, 88, 86, 54, 50, 81, 83, 86, 88, 86, 81, 61, 52, 87, 88, 88, 86, 81, 74,
    },
    {
        9,   14,  16,  20,  31, 52, 87,  149, 14,  16,  20,  30,  43,  56,  84,  132, 16,  20,  26,  37,   56, 90,
        147, 244, 20,  30,  37, 51, 74,  113, 179, 293, 31,  43,  56,  74,  104, 154, 235, 374, 52,  56,   90, 113,
        154, 219, 325, 500, 87, 84, 147, 179, 235, 325, 469, 702, 149, 132, 244, 293, 374, 500, 702, 1019,
    },
};

/* For tools/bench/jpeg-tables.ts: 64 steps for luma and 64 for chroma instead, and how much more errors weigh against bits. */
void EXPORT(try_tables)(const uint32_t *steps, float weight) {
  for (int i = 0; i < 2 * DCTSIZE2; i++) base_tables[i / DCTSIZE2][i % DCTSIZE2] = steps[i];
  trellis_weight(weight);
}

static void scaled_tables(float quality) {
  quality = quality < 1 ? 1 : quality > 100 ? 100 : quality;
  const int percent = jpeg_float_quality_scaling(quality) + 0.5f;
  for (int slot = 0; slot < 2; slot++) jpeg_add_quant_table(&tables, slot, base_tables[slot], percent, TRUE);
}

/* Whether a block of nothing but this level comes back as it was: beyond the end of the scale decoders clamp. */
static int ends_on(int level, int step) {
  return (level + (step - 1) / 2) / step * step > level - DCTSIZE / 2;
}

/* The next step of DC that gives back white and black: paper and night lie at the ends of the scale, and are seen to leave them. */
static uint16_t step_to_the_ends(uint16_t step) {
  while (!ends_on(127 * DCTSIZE, step) || !ends_on(128 * DCTSIZE, step)) step--;
  return step;
}

/* Never finer than what was read: finer steps cost bytes and bring nothing back. */
void tables_for_quality(float quality) {
  prepare_tables();
  const int smooth = smooth_planes();
  for (int chroma = 0; chroma < 2; chroma++) {
    scaled_tables(quality + (chroma ? chroma_shift : 0));
    const UINT16 *step = tables.quant_tbl_ptrs[chroma]->quantval;
    for (int i = 0; i < picture.planes; i++) {
      Plane *plane = &picture.plane[i];
      if (plane->chroma != chroma) continue;
      plane->smooth = smooth >> i & 1;
      for (int k = 0; k < DCTSIZE2; k++) {
        uint16_t fine = plane->smooth ? smooth_step(k, step[k]) : step[k];
        if (k == 0 && !chroma) fine = step_to_the_ends(fine);
        plane->table_step[k] = step[k] > plane->read_step[k] ? step[k] : plane->read_step[k];
        plane->made_step[k] = fine > plane->read_step[k] ? fine : plane->read_step[k];
      }
    }
  }
}

/* ---- prices ---- */

static void reprice(RowState *s) {
  for (int i = 0; i < 16; i++) s->recent.dc[i] += s->counts.dc[i] - s->seen.dc[i];
  for (int i = 0; i < 256; i++) s->recent.ac[i] += s->counts.ac[i] - s->seen.ac[i];
  s->seen = s->counts;
  prices_from(&s->prices, &s->recent);
  s->priced = 1;
}

/* Rows far above say little about those to come. */
static void forget_half(RowState *s) {
  for (int i = 0; i < 16; i++) s->recent.dc[i] = (s->recent.dc[i] + 1) / 2;
  for (int i = 0; i < 256; i++) s->recent.ac[i] = (s->recent.ac[i] + 1) / 2;
}

/* ---- one pass ---- */

static void free_state(RowState *s) {
  free(s->out);
  free(s->before);
  free(s->after);
  free(s->measure);
  memset(s, 0, sizeof *s);
}

/* Squared errors without SSIM, which takes most of the time. */
void EXPORT(measure_errors_only)(int wanted) { errors_only = wanted; }

/* Prepares a pass: steps must be in place, rows follow in any order of planes, top to bottom in each. */
void requantise_begin(int trellis, int measure, int store) {
  use_trellis = trellis;
  use_measure = measure;
  use_store = store;
  if (store) forget_script(1);
  if (trellis && smooth_planes()) quiet_places_begin();
  for (int i = 0; i < picture.planes; i++) {
    const Plane *plane = &picture.plane[i];
    RowState *s = &state[i];
    free_state(s);
    const uint32_t part = stretch * plane->h / picture.h_max;
    s->width = stretch && part < plane->blocks_wide ? part : plane->blocks_wide;
    s->out = allocate_cleared(s->width * sizeof(JBLOCK));
    counts_start(&s->recent);
    s->last_row = UINT32_MAX - 1;
    if (measure && plane->measured) {
      s->before = allocate(s->width * 64);
      s->after = allocate(s->width * 64);
      const uint32_t width = s->width < plane->blocks_wide ? s->width * 8 : plane->width;
      s->measure = measure_begin(allocate(measure_bytes(width, GREY_BYTES)), width, GREY_BYTES);
      measure_every(s->measure, errors_only ? 0 : measure_sampling(plane->width, plane->height));
    }
    if (store) {
      store_free(picture.plane[i].made);
      picture.plane[i].made = store_new(plane->blocks_wide, plane->blocks_wide, plane->blocks_high, plane->v, i);
    }
  }
}

static void compare_row(RowState *s, const Plane *plane, uint32_t row, JBLOCKROW in, JBLOCKROW out) {
  const uint32_t stride = s->width * 8;
  for (uint32_t x = 0; x < s->width; x++) {
    inverse_dct(in[x], plane->read_step, s->before + x * 8, stride);
    inverse_dct(out[x], plane->made_step, s->after + x * 8, stride);
  }
  if (s->rows && s->last_row + 1 != row) measure_break(s->measure);
  for (uint32_t y = 0; y < 8 && row * 8 + y < plane->height; y++) measure_row(s->measure, s->before + y * stride, s->after + y * stride);
}

static double coefficient_error(const Plane *plane, uint32_t width, JBLOCKROW in, JBLOCKROW out) {
  double total = 0;
  for (uint32_t x = 0; x < width; x++) {
    float lane[4] = {0};
    for (int k = 0; k < DCTSIZE2; k += 4) {
      for (int l = 0; l < 4; l++) {
        const float d = in[x][k + l] * (int)plane->read_step[k + l] - out[x][k + l] * (int)plane->made_step[k + l];
        lane[l] += d * d;
      }
    }
    total += lane[0] + lane[1] + lane[2] + lane[3];
  }
  return total;
}

void requantise_row(int index, uint32_t row, JBLOCKROW in) {
  const Plane *plane = &picture.plane[index];
  RowState *s = &state[index];
  JBLOCKROW out = s->out;
  const uint32_t width = s->width;
  in += s->first;
  if (!use_trellis || !s->priced) quantise_round(plane, in, out, width);
  if (use_trellis) {
    if (!s->priced) { /* the first row is counted twice: once to get any prices at all */
      counts_add(&s->counts, &s->dc, out, width);
      reprice(s);
      memset(&s->counts, 0, sizeof s->counts);
      memset(&s->seen, 0, sizeof s->seen);
      s->dc = 0;
    }
    quantise_trellis(plane, &s->prices, (RowPlace){row, s->first, width, smooth_planes() != 0}, in, out);
  }
  if (s->measure) compare_row(s, plane, row, in, out);
  else if (use_measure) s->coefficient_error += coefficient_error(plane, width, in, out);
  counts_add(&s->counts, &s->dc, out, width);
  s->last_row = row;
  s->rows++;
  if (use_store) store_put(plane->made, row, out);
  if (use_trellis && (s->rows % 16 == 0 || s->rows == 4 || s->rows == 8)) {
    reprice(s);
    if (s->rows % 128 == 0) forget_half(s);
  }
}

/* ---- results ---- */

static double result_ssim, result_mse, result_bytes, result_chroma_mse[PLANES];

void requantise_end(void) {
  quiet_places_end();
  result_ssim = 1;
  result_mse = result_bytes = 0;
  for (int i = 0; i < picture.planes; i++) {
    const Plane *plane = &picture.plane[i];
    RowState *s = &state[i];
    if (!s->rows) continue;
    result_bytes += counts_bits(&s->counts) / 8 * plane->blocks_high / s->rows * plane->blocks_wide / s->width;
    result_chroma_mse[i] = 0;
    if (s->measure) {
      measure_break(s->measure);
      const Quality found = measure_result(s->measure);
      if (!(found.ssim >= result_ssim)) result_ssim = found.ssim; /* NaN wins: not measured */
      result_mse += plane->weight * found.luma_mse;
    } else if (use_measure) {
      result_chroma_mse[i] = s->coefficient_error / (64.0 * s->width * s->rows);
    }
    free_state(s);
  }
}

/* 0: SSIM (the worst measured plane); 1: mean squared error; 2: estimated bytes of the entropy-coded data, sequential;
   3, 4: mean squared error of the two chroma planes. */
double EXPORT(result)(int what) {
  return what == 0 ? result_ssim : what == 1 ? result_mse : what == 2 ? result_bytes : result_chroma_mse[what - 2];
}

/* For INTAKE_STREAM, to be called before the first bytes. */
void EXPORT(stream_quality)(float quality, int trellis) {
  wanted_quality = quality;
  use_trellis = trellis;
}

void requantise_ready(void) {
  stretch = 0;
  smooth_unseen();
  tables_for_quality(wanted_quality);
  requantise_begin(use_trellis, 1, 1);
}

/*
 * Over stored rows, in steps so that the host can breathe: `start`, then `step` until it returns 0.
 * `every` > 1 looks at a sample only, `store` keeps the outcome for finish().
 */
static int step_plane, step_every;
static uint32_t step_row;

/* Where the looked-at part of a sampled row begins: spread over the width, the same place in all planes. */
static uint32_t sample_start(const Plane *plane, uint32_t width, uint32_t row) {
  if (width == plane->blocks_wide) return 0;
  const uint32_t pair = row / (plane->v * 2);
  const uint32_t share = pair * 40503u & 0xFFFF; /* multiples of the golden ratio fill the interval evenly */
  return (uint64_t)(plane->blocks_wide - width) * share >> 16;
}

void EXPORT(requantise_start)(float quality, int trellis, int every, int store) {
  tables_for_quality(quality);
  stretch = every > 1 ? SAMPLE_BLOCKS : 0;
  requantise_begin(trellis, 1, store);
  step_plane = 0;
  step_row = 0;
  step_every = every;
}

/* Up to `count` block rows. Returns how many are left. */
uint32_t EXPORT(requantise_step)(uint32_t count) {
  for (; step_plane < picture.planes; step_plane++, step_row = 0) {
    const Plane *plane = &picture.plane[step_plane];
    JBLOCKROW blocks = allocate(plane->read->stride * sizeof(JBLOCK));
    for (; count && step_row < plane->blocks_high; step_row++) {
      if (!plane->read->packed[step_row] || !row_is_sampled(plane, step_row, step_every)) continue;
      store_get(plane->read, step_row, blocks);
      if (stretch) state[step_plane].first = sample_start(plane, state[step_plane].width, step_row);
      requantise_row(step_plane, step_row, blocks);
      count--;
    }
    free(blocks);
    if (step_row < plane->blocks_high) break;
  }
  if (step_plane == picture.planes) {
    requantise_end();
    return 0;
  }
  uint32_t left = picture.plane[step_plane].blocks_high - step_row;
  for (int i = step_plane + 1; i < picture.planes; i++) left += picture.plane[i].blocks_high;
  return left;
}
