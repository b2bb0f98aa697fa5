#include "smooth.h"

#include <wasm_simd128.h>

#include "tuning.h"

float ac_energy(const JCOEF *block, const float *step) {
  v128_t energies = wasm_f32x4_splat(0);
  for (int k = 0; k < DCTSIZE2; k += 8) {
    const v128_t levels = wasm_v128_load(block + k);
    if (k && !wasm_v128_any_true(levels)) continue;
    const v128_t low_levels = wasm_f32x4_convert_i32x4(wasm_i32x4_extend_low_i16x8(levels));
    const v128_t high_levels = wasm_f32x4_convert_i32x4(wasm_i32x4_extend_high_i16x8(levels));
    const v128_t low = wasm_f32x4_mul(low_levels, wasm_v128_load(step + k));
    const v128_t high = wasm_f32x4_mul(high_levels, wasm_v128_load(step + k + 4));
    energies = wasm_f32x4_add(energies, wasm_f32x4_add(wasm_f32x4_mul(low, low), wasm_f32x4_mul(high, high)));
  }
  float sum[4];
  wasm_v128_store(sum, energies);
  const float energy = sum[0] + sum[1] + sum[2] + sum[3];
  const float dc = block[0] * step[0];
  return energy - dc * dc;
}

int block_is_quiet(float energy) { return energy <= NOISE * NOISE * DCTSIZE2; }

/* ---- places: squares of about 16 pixels ---- */

/* Blocks of a plane in a place (a square of about 16 pixels), per direction: one MCU, or two if the MCU is a single
 * block. */
static uint32_t across(const Picture *picture, const Plane *plane) { return plane->h * (picture->h_max < 2 ? 2 : 1); }
static uint32_t down(const Picture *picture, const Plane *plane) { return plane->v * (picture->v_max < 2 ? 2 : 1); }
static uint32_t groups(uint32_t count, uint32_t size) { return (count + size - 1) / size; }
static uint32_t places_wide(const Picture *picture) {
  const Plane *luma = &picture->plane[0];
  return groups(luma->blocks_wide, across(picture, luma));
}
static uint32_t places_high(const Picture *picture) {
  const Plane *luma = &picture->plane[0];
  return groups(luma->blocks_high, down(picture, luma));
}

/* Statistics of a place (a square of about 16 pixels) in one plane; `low` > `high`: no blocks. */
typedef struct {
  int32_t low, high; /* range of the block means, in eighths of a grey level */
  int quiet;
} Place;
static const Place nowhere = {INT32_MAX, INT32_MIN, 1};

static void join(Place *all, const Place *part) {
  if (part->low < all->low) all->low = part->low;
  if (part->high > all->high) all->high = part->high;
  all->quiet &= part->quiet;
}

/* One row of places (squares of about 16 pixels) of a plane. */
typedef struct {
  const Picture *picture;
  const Plane *plane;
  uint32_t row, wide; /* row number, and number of places in the row */
} PlaceRow;

/* Computes a row of places (squares of about 16 pixels) from its block rows. Returns 0 if there are none. `blocks` is a
 * buffer for a block row. */
static int read_places(PlaceRow at, JBLOCKROW blocks, Place *places) {
  const Plane *plane = at.plane;
  const uint32_t columns = across(at.picture, plane), lines = down(at.picture, plane);
  float step[DCTSIZE2];
  int found = 0;
  for (int k = 0; k < DCTSIZE2; k++) step[k] = plane->read_step[k];
  for (uint32_t x = 0; x < at.wide; x++) places[x] = nowhere;
  for (uint32_t y = at.row * lines; y < (at.row + 1) * lines && y < plane->blocks_high; y++) {
    if (!plane->read->packed[y]) continue;
    found = 1;
    store_get(plane->read, y, blocks);
    for (uint32_t x = 0; x < plane->blocks_wide && x / columns < at.wide; x++) {
      const int32_t mean = blocks[x][0] * (int32_t)plane->read_step[0];
      const Place block = {mean, mean, block_is_quiet(ac_energy(blocks[x], step))};
      join(&places[x / columns], &block);
    }
  }
  return found;
}

/* ---- share of smooth places ---- */

typedef struct {
  Place *row[3]; /* three adjacent rows of places (squares of about 16 pixels) */
  int known[3];
} Band;

/* Merges the statistics of a place (a square of about 16 pixels) and its known neighbours. */
static Place around(const Band *band, uint32_t x, uint32_t wide) {
  Place all = nowhere;
  for (int y = 0; y < 3; y++) {
    if (!band->known[y]) continue;
    for (uint32_t i = x ? x - 1 : 0; i <= x + 1 && i < wide; i++) join(&all, &band->row[y][i]);
  }
  return all;
}

static void count_smooth(const Picture *picture, const Band *bands, uint32_t wide, uint32_t *smooth) {
  for (uint32_t x = 0; x < wide; x++) {
    for (int i = 0; i < picture->planes; i++) {
      const Place own = around(&bands[i], x, wide);
      const Place mask = picture->plane[i].chroma ? around(&bands[0], x, wide) : own;
      const int own_range = own.high - own.low, mask_range = mask.high - mask.low;
      const int is_flat = own_range <= FLAT_RANGE && mask_range <= FLAT_RANGE,
                is_edge = own_range > EDGE_RANGE || mask_range > EDGE_RANGE;
      smooth[i] += own.quiet && mask.quiet && !is_flat && !is_edge;
    }
  }
}

/* Advances the band of three rows of places by one row. That row is read if it exists. */
static void band_next(Band *band, PlaceRow at, int there, JBLOCKROW blocks) {
  Place *oldest = band->row[0];
  band->row[0] = band->row[1];
  band->row[1] = band->row[2];
  band->row[2] = oldest;
  band->known[0] = band->known[1];
  band->known[1] = band->known[2];
  band->known[2] = there && read_places(at, blocks, oldest);
}

static uint32_t widest_row(const Picture *picture) {
  uint32_t stride = 0;
  for (int i = 0; i < picture->planes; i++)
    if (picture->plane[i].read->stride > stride) stride = picture->plane[i].read->stride;
  return stride;
}

static int find_smooth_planes(const Picture *picture) {
  const uint32_t wide = places_wide(picture), high = places_high(picture);
  uint32_t smooth[PLANES] = {0}, counted = 0;
  Band bands[PLANES];
  for (int i = 0; i < picture->planes; i++) {
    bands[i] = (Band){{NULL}, {0}};
    for (int y = 0; y < 3; y++) bands[i].row[y] = allocate(wide * sizeof(Place));
  }
  JBLOCKROW blocks = allocate(widest_row(picture) * sizeof(JBLOCK));
  for (uint32_t row = 0; row <= high; row++) {
    for (int i = 0; i < picture->planes; i++)
      band_next(&bands[i], (PlaceRow){picture, &picture->plane[i], row, wide}, row < high, blocks);
    if (!bands[0].known[1]) continue;
    counted += wide;
    count_smooth(picture, bands, wide, smooth);
  }
  free(blocks);
  int planes = 0;
  for (int i = 0; i < picture->planes; i++) {
    for (int y = 0; y < 3; y++) free(bands[i].row[y]);
    if (smooth[i] > SMOOTH_SHARE * counted) planes |= 1 << i;
  }
  return planes;
}

int smooth_planes(Smooth *smooth, const Picture *picture) {
  if (smooth->told != SMOOTH_UNKNOWN) return smooth->told;
  if (smooth->found == SMOOTH_UNKNOWN) smooth->found = find_smooth_planes(picture);
  return smooth->found;
}

void smooth_forget(Smooth *smooth) { smooth->found = SMOOTH_UNKNOWN; }
void smooth_unseen(Smooth *smooth) { smooth->found = 0; }

/* ---- quantisation steps of smooth planes ---- */

/* True for DC and the two lowest frequencies, which represent a gradient between and inside blocks. */
static int smooth_frequency(int k) { return k == 0 || k == 1 || k == 8; }

uint16_t smooth_step(int k, uint16_t step) {
  const uint16_t fine = k && step < FINE_BELOW ? STEP_FINE : STEP_MAX;
  return smooth_frequency(k) && fine < step ? fine : step;
}

/* ---- places with luma texture ---- */

void loud_places_end(Smooth *smooth) {
  free(smooth->loud);
  smooth->loud = NULL;
}

void loud_places_begin(Smooth *smooth, const Picture *picture) {
  loud_places_end(smooth);
  smooth->loud = allocate_zeroed((size_t)places_wide(picture) * places_high(picture) / 8 + 1);
}

static size_t place_of(const Picture *picture, const Plane *plane, uint32_t x, uint32_t row) {
  const uint32_t wide = places_wide(picture), high = places_high(picture);
  uint32_t column = x / across(picture, plane), line = row / down(picture, plane);
  if (column >= wide) column = wide - 1;
  if (line >= high) line = high - 1;
  return (size_t)line * wide + column;
}

void note_loud_place(Smooth *smooth, const Picture *picture, const Plane *plane, uint32_t x, uint32_t row) {
  const size_t place = place_of(picture, plane, x, row);
  smooth->loud[place / 8] |= 1 << place % 8;
}

int is_loud_place(const Smooth *smooth, const Picture *picture, const Plane *plane, uint32_t x, uint32_t row) {
  const size_t place = place_of(picture, plane, x, row);
  return smooth->loud[place / 8] >> place % 8 & 1;
}
