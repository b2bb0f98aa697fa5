#include "requantise.h"

#include "dct.h"
#include "jpeg.h"
#include "tuning.h"

void requantise_init(Requantiser *r) { memcpy(r->base_tables, BASE_TABLES, sizeof r->base_tables); }

/* ---- quantisation tables ---- */

static void prepare_tables(Requantiser *r) {
  if (r->tables_ready) return;
  r->tables_ready = 1;
  r->tables.err = error_manager(&r->errors);
  jpeg_create_compress(&r->tables);
  r->tables.in_color_space = JCS_YCbCr;
  r->tables.input_components = 3;
  jpeg_set_defaults(&r->tables);
}

static void scaled_tables(Requantiser *r, float quality) {
  quality = quality < 1 ? 1 : quality > 100 ? 100 : quality;
  const int percent = jpeg_float_quality_scaling(quality) + 0.5f;
  for (int slot = 0; slot < 2; slot++) jpeg_add_quant_table(&r->tables, slot, r->base_tables[slot], percent, TRUE);
}

/* True if a block with only this DC level decodes to white or black again. Decoders clamp values beyond the range. */
static int ends_on(int level, int step) { return (level + (step - 1) / 2) / step * step > level - DCTSIZE / 2; }

/* Returns the largest DC step up to `step` that reproduces white and black exactly. White paper and black night are
 * common, and other greys would be visible there. */
static uint16_t step_to_the_ends(uint16_t step) {
  while (!ends_on(127 * DCTSIZE, step) || !ends_on(128 * DCTSIZE, step)) step--;
  return step;
}

/* Sets the output steps of a plane. They are never finer than the input steps, because that costs bytes and restores
 * nothing. */
static void plane_steps(Plane *plane, const UINT16 *step) {
  for (int k = 0; k < DCTSIZE2; k++) {
    uint16_t fine = plane->smooth ? smooth_step(k, step[k]) : step[k];
    if (k == 0 && !plane->chroma) fine = step_to_the_ends(fine);
    plane->table_step[k] = step[k] > plane->read_step[k] ? step[k] : plane->read_step[k];
    plane->made_step[k] = fine > plane->read_step[k] ? fine : plane->read_step[k];
  }
}

static void tables_for_quality(Jpeg *jpeg, float quality) {
  Requantiser *r = &jpeg->requantiser;
  prepare_tables(r);
  const int smooth = smooth_planes(&jpeg->smooth, &jpeg->picture);
  for (int chroma = 0; chroma < 2; chroma++) {
    scaled_tables(r, quality + (chroma ? r->chroma_shift : 0));
    for (int i = 0; i < jpeg->picture.planes; i++) {
      Plane *plane = &jpeg->picture.plane[i];
      if (plane->chroma != chroma) continue;
      plane->smooth = smooth >> i & 1;
      plane_steps(plane, r->tables.quant_tbl_ptrs[chroma]->quantval);
    }
  }
}

/* ---- symbol prices ---- */

static void reprice(RowState *s) {
  for (int i = 0; i < 16; i++) s->recent.dc[i] += s->counts.dc[i] - s->aged.dc[i];
  for (int i = 0; i < 256; i++) s->recent.ac[i] += s->counts.ac[i] - s->aged.ac[i];
  s->aged = s->counts;
  prices_from(&s->prices, &s->recent);
  s->priced = 1;
}

/* Halves the recent symbol counts, because distant rows predict the next rows poorly. */
static void forget_half(RowState *s) {
  for (int i = 0; i < 16; i++) s->recent.dc[i] = (s->recent.dc[i] + 1) / 2;
  for (int i = 0; i < 256; i++) s->recent.ac[i] = (s->recent.ac[i] + 1) / 2;
}

/* ---- one requantisation pass ---- */

static void free_state(RowState *s) {
  free(s->out);
  free(s->before);
  free(s->after);
  free(s->measure);
  memset(s, 0, sizeof *s);
}

/* Prepares a plane for a pass. Its quantisation steps must be set. */
static void begin_plane(Jpeg *jpeg, int index) {
  Requantiser *r = &jpeg->requantiser;
  Plane *plane = &jpeg->picture.plane[index];
  RowState *s = &r->state[index];
  free_state(s);
  const uint32_t part = r->stretch * plane->h / jpeg->picture.h_max;
  s->width = r->stretch && part < plane->blocks_wide ? part : plane->blocks_wide;
  s->out = allocate_zeroed(s->width * sizeof(JBLOCK));
  counts_start(&s->recent);
  s->last_row = UINT32_MAX - 1;
  if (r->use_measure && plane->measured) {
    s->before = allocate(s->width * 64);
    s->after = allocate(s->width * 64);
    const uint32_t width = s->width < plane->blocks_wide ? s->width * 8 : plane->width;
    s->measure = measure_begin(allocate(measure_bytes(width, GREY_BYTES)), width, GREY_BYTES);
    measure_every(s->measure, r->errors_only ? 0 : measure_sampling(plane->width, plane->height));
  }
  if (r->use_store) {
    store_free(plane->made);
    const StoreSize size = {plane->blocks_wide, plane->blocks_wide, plane->blocks_high, plane->v};
    plane->made = store_new(&jpeg->packing, size, index);
  }
}

static void requantise_begin(Jpeg *jpeg, int trellis, int measure, int store) {
  Requantiser *r = &jpeg->requantiser;
  r->use_trellis = trellis;
  r->use_measure = measure;
  r->use_store = store;
  if (store) forget_script(jpeg->scripts, 1);
  if (trellis && smooth_planes(&jpeg->smooth, &jpeg->picture)) loud_places_begin(&jpeg->smooth, &jpeg->picture);
  for (int i = 0; i < jpeg->picture.planes; i++) begin_plane(jpeg, i);
}

static void compare_row(RowState *s, const Plane *plane, uint32_t row, JBLOCKROW in, JBLOCKROW out) {
  const uint32_t stride = s->width * 8;
  for (uint32_t x = 0; x < s->width; x++) {
    inverse_dct(in[x], plane->read_step, s->before + x * 8, stride);
    inverse_dct(out[x], plane->made_step, s->after + x * 8, stride);
  }
  if (s->rows && s->last_row + 1 != row) measure_break(s->measure);
  for (uint32_t y = 0; y < 8 && row * 8 + y < plane->height; y++)
    measure_row(s->measure, s->before + y * stride, s->after + y * stride);
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

/* Estimates the first prices from the first row as rounded, and then resets the counts. */
static void first_prices(RowState *s) {
  counts_add(&s->counts, &s->dc, s->out, s->width);
  reprice(s);
  memset(&s->counts, 0, sizeof s->counts);
  memset(&s->aged, 0, sizeof s->aged);
  s->dc = 0;
}

static int is_reprice_row(uint32_t rows) {
  return rows % REPRICE_ROWS == 0 || rows == FIRST_REPRICE_ROWS || rows == SECOND_REPRICE_ROWS;
}

void requantise_row(Jpeg *jpeg, int index, uint32_t row, JBLOCKROW in) {
  Requantiser *r = &jpeg->requantiser;
  const Plane *plane = &jpeg->picture.plane[index];
  RowState *s = &r->state[index];
  JBLOCKROW out = s->out;
  const uint32_t width = s->width;
  in += s->first;
  if (!r->use_trellis || !s->priced) quantise_round(plane, in, out, width);
  if (r->use_trellis) {
    if (!s->priced) first_prices(s);
    const int smooth = smooth_planes(&jpeg->smooth, &jpeg->picture) != 0;
    quantise_trellis(&jpeg->trellis, plane, &s->prices, (RowPlace){row, s->first, width, smooth}, in, out);
  }
  if (s->measure) compare_row(s, plane, row, in, out);
  else if (r->use_measure) s->coefficient_error += coefficient_error(plane, width, in, out);
  counts_add(&s->counts, &s->dc, out, width);
  s->last_row = row;
  s->rows++;
  if (r->use_store) store_put(plane->made, row, out);
  if (r->use_trellis && is_reprice_row(s->rows)) {
    reprice(s);
    if (s->rows % FORGET_ROWS == 0) forget_half(s);
  }
}

/* ---- results of a pass ---- */

void requantise_end(Jpeg *jpeg) {
  Requantiser *r = &jpeg->requantiser;
  RequantiseResult *result = &r->result;
  loud_places_end(&jpeg->smooth);
  result->ssim = 1;
  result->mse = result->bytes = 0;
  for (int i = 0; i < jpeg->picture.planes; i++) {
    const Plane *plane = &jpeg->picture.plane[i];
    RowState *s = &r->state[i];
    if (!s->rows) continue;
    result->bytes += counts_bits(&s->counts) / 8 * plane->blocks_high / s->rows * plane->blocks_wide / s->width;
    result->plane_mse[i] = 0;
    if (s->measure) {
      measure_break(s->measure);
      const Quality found = measure_result(s->measure);
      /* a NaN (SSIM not measured) replaces any other value */
      if (!(found.ssim >= result->ssim)) result->ssim = found.ssim;
      result->mse += plane->weight * found.luma_mse;
    } else if (r->use_measure) {
      result->plane_mse[i] = s->coefficient_error / (64.0 * s->width * s->rows);
    }
    free_state(s);
  }
}

void requantise_ready(Jpeg *jpeg) {
  Requantiser *r = &jpeg->requantiser;
  r->stretch = 0;
  smooth_unseen(&jpeg->smooth);
  tables_for_quality(jpeg, r->stream_quality);
  requantise_begin(jpeg, r->use_trellis, 1, 1);
}

/* ---- passes over stored rows ---- */

/* Returns the first requantised block of a sampled row: spread over the width, at the same place in all planes. */
static uint32_t sample_start(const Plane *plane, uint32_t width, uint32_t row) {
  if (width == plane->blocks_wide) return 0;
  const uint32_t pair = row / (plane->v * 2);
  const uint32_t share = pair * 40503u & 0xFFFF; /* multiples of the golden ratio modulo 1 fill the interval evenly */
  return (uint64_t)(plane->blocks_wide - width) * share >> 16;
}

void requantise_start(Jpeg *jpeg, float quality, int trellis, int every, int store) {
  Requantiser *r = &jpeg->requantiser;
  tables_for_quality(jpeg, quality);
  r->stretch = every > 1 ? SAMPLE_BLOCKS : 0;
  requantise_begin(jpeg, trellis, 1, store);
  r->step_plane = 0;
  r->step_row = 0;
  r->step_every = every;
}

/* Requantises up to `count` rows of the current plane. Returns how many of `count` are left. */
static uint32_t step_in_plane(Jpeg *jpeg, uint32_t count) {
  Requantiser *r = &jpeg->requantiser;
  const int index = r->step_plane;
  const Plane *plane = &jpeg->picture.plane[index];
  JBLOCKROW blocks = allocate(plane->read->stride * sizeof(JBLOCK));
  for (; count && r->step_row < plane->blocks_high; r->step_row++) {
    const uint32_t row = r->step_row;
    if (!plane->read->packed[row] || !row_is_sampled(plane, row, r->step_every)) continue;
    store_get(plane->read, row, blocks);
    if (r->stretch) r->state[index].first = sample_start(plane, r->state[index].width, row);
    requantise_row(jpeg, index, row, blocks);
    count--;
  }
  free(blocks);
  return count;
}

uint32_t requantise_step(Jpeg *jpeg, uint32_t count) {
  Requantiser *r = &jpeg->requantiser;
  const Picture *picture = &jpeg->picture;
  for (; r->step_plane < picture->planes; r->step_plane++, r->step_row = 0) {
    count = step_in_plane(jpeg, count);
    if (r->step_row < picture->plane[r->step_plane].blocks_high) break;
  }
  if (r->step_plane == picture->planes) {
    requantise_end(jpeg);
    return 0;
  }
  uint32_t left = picture->plane[r->step_plane].blocks_high - r->step_row;
  for (int i = r->step_plane + 1; i < picture->planes; i++) left += picture->plane[i].blocks_high;
  return left;
}
