/*
 * Where is a picture smooth? In a sky that is left without its noise, a DC step of 23 is a visible edge between blocks, in
 * luma and in chroma; so planes with smooth areas get finer steps for DC and the lowest frequencies.
 *
 * A place is a square of about 16 pixels. It is quiet in a plane when all of its blocks vary by less than NOISE (standard
 * deviation in levels: sensor noise does, texture does not), and smooth when it and its neighbours are quiet, both in the
 * plane and in luma, which hides what happens to colour under it. Areas of one flat colour are not counted: their blocks
 * are all off by the same.
 */
#include "smooth.h"
#include <wasm_simd128.h>

#define NOISE 3.0f
#define FLAT 4     /* eighths of a level that means of blocks may differ in a flat colour */
#define STEEP 320  /* and more than that is an edge between two */
#define SHARE 0.02 /* of a picture's places */
#define STEP_MAX 8 /* an eighth of a DC step is a level: finer ones are rounded by decoders, and halves always upwards, which tints */
#define STEP_FINE 4
#define FINE_BELOW 12 /* what quality 70 and better have in luma */

#define SMOOTH_UNKNOWN (-1)
static int told = SMOOTH_UNKNOWN, seen = SMOOTH_UNKNOWN;

void EXPORT(assume_smooth)(int planes) { told = planes; }
void smooth_forget(void) { seen = SMOOTH_UNKNOWN; }
void smooth_unseen(void) { seen = 0; }

/* 64 times the variance of the block's samples (Parseval). */
float ac_energy(const JCOEF *block, const float *step) {
  v128_t energies = wasm_f32x4_splat(0);
  for (int k = 0; k < DCTSIZE2; k += 8) {
    const v128_t levels = wasm_v128_load(block + k);
    if (k && !wasm_v128_any_true(levels)) continue;
    const v128_t low = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(wasm_i32x4_extend_low_i16x8(levels)), wasm_v128_load(step + k));
    const v128_t high = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(wasm_i32x4_extend_high_i16x8(levels)), wasm_v128_load(step + k + 4));
    energies = wasm_f32x4_add(energies, wasm_f32x4_add(wasm_f32x4_mul(low, low), wasm_f32x4_mul(high, high)));
  }
  const float energy = wasm_f32x4_extract_lane(energies, 0) + wasm_f32x4_extract_lane(energies, 1) + wasm_f32x4_extract_lane(energies, 2) +
                       wasm_f32x4_extract_lane(energies, 3);
  const float dc = block[0] * step[0];
  return energy - dc * dc;
}

int block_is_quiet(float energy) { return energy <= NOISE * NOISE * DCTSIZE2; }

/* ---- places ---- */

/* Blocks of a plane in a place, in one direction: an MCU, or two where that is a single block. */
static uint32_t across(const Plane *plane) { return plane->h * (picture.h_max < 2 ? 2 : 1); }
static uint32_t down(const Plane *plane) { return plane->v * (picture.v_max < 2 ? 2 : 1); }
static uint32_t groups(uint32_t count, uint32_t size) { return (count + size - 1) / size; }
static uint32_t places_wide(void) { return groups(picture.plane[0].blocks_wide, across(&picture.plane[0])); }
static uint32_t places_high(void) { return groups(picture.plane[0].blocks_high, down(&picture.plane[0])); }

/* What is known of a place in one plane; `low` > `high`: nothing. */
typedef struct {
  int32_t low, high; /* of its DC, in eighths of a level */
  int quiet;
} Place;
static const Place nowhere = {INT32_MAX, INT32_MIN, 1};

static void join(Place *all, const Place *part) {
  if (part->low < all->low) all->low = part->low;
  if (part->high > all->high) all->high = part->high;
  all->quiet &= part->quiet;
}

/* Reads the rows of places `row` of a plane, if they are there. */
static int look_at_row(const Plane *plane, uint32_t row, uint32_t wide, JBLOCKROW blocks, Place *places) {
  float step[DCTSIZE2];
  int found = 0;
  for (int k = 0; k < DCTSIZE2; k++) step[k] = plane->read_step[k];
  for (uint32_t x = 0; x < wide; x++) places[x] = nowhere;
  for (uint32_t y = row * down(plane); y < (row + 1) * down(plane) && y < plane->blocks_high; y++) {
    if (!plane->read->packed[y]) continue;
    found = 1;
    store_get(plane->read, y, blocks);
    for (uint32_t x = 0; x < plane->blocks_wide && x / across(plane) < wide; x++) {
      const int32_t mean = blocks[x][0] * (int32_t)plane->read_step[0];
      const Place block = {mean, mean, block_is_quiet(ac_energy(blocks[x], step))};
      join(&places[x / across(plane)], &block);
    }
  }
  return found;
}

/* ---- shares ---- */

typedef struct {
  Place *row[3]; /* of places, above each other */
  int known[3];
} Band;

/* A place and its neighbours: those that are known. */
static Place around(const Band *band, uint32_t x, uint32_t wide) {
  Place all = nowhere;
  for (int y = 0; y < 3; y++) {
    if (!band->known[y]) continue;
    for (uint32_t i = x ? x - 1 : 0; i <= x + 1 && i < wide; i++) join(&all, &band->row[y][i]);
  }
  return all;
}

static void count_smooth(const Band *bands, uint32_t wide, uint32_t *smooth) {
  for (uint32_t x = 0; x < wide; x++) {
    for (int i = 0; i < picture.planes; i++) {
      const Place own = around(&bands[i], x, wide);
      const Place mask = picture.plane[i].chroma ? around(&bands[0], x, wide) : own;
      const int own_range = own.high - own.low, mask_range = mask.high - mask.low;
      const int is_flat = own_range <= FLAT && mask_range <= FLAT, is_edge = own_range > STEEP || mask_range > STEEP;
      smooth[i] += own.quiet && mask.quiet && !is_flat && !is_edge;
    }
  }
}

static int look(void) {
  const uint32_t wide = places_wide(), high = places_high();
  uint32_t smooth[PLANES] = {0}, counted = 0, stride = 0;
  Band bands[PLANES];
  for (int i = 0; i < picture.planes; i++) {
    if (picture.plane[i].read->stride > stride) stride = picture.plane[i].read->stride;
    bands[i] = (Band){{NULL}, {0}};
    for (int y = 0; y < 3; y++) bands[i].row[y] = allocate(wide * sizeof(Place));
  }
  JBLOCKROW blocks = allocate(stride * sizeof(JBLOCK));
  for (uint32_t row = 0; row <= high; row++) {
    for (int i = 0; i < picture.planes; i++) {
      Band *band = &bands[i];
      Place *oldest = band->row[0];
      band->row[0] = band->row[1];
      band->row[1] = band->row[2];
      band->row[2] = oldest;
      band->known[0] = band->known[1];
      band->known[1] = band->known[2];
      band->known[2] = row < high && look_at_row(&picture.plane[i], row, wide, blocks, oldest);
    }
    if (!bands[0].known[1]) continue;
    counted += wide;
    count_smooth(bands, wide, smooth);
  }
  free(blocks);
  int planes = 0;
  for (int i = 0; i < picture.planes; i++) {
    for (int y = 0; y < 3; y++) free(bands[i].row[y]);
    if (smooth[i] > SHARE * counted) planes |= 1 << i;
  }
  return planes;
}

int EXPORT(smooth_planes)(void) {
  if (told != SMOOTH_UNKNOWN) return told;
  if (seen == SMOOTH_UNKNOWN) seen = look();
  return seen;
}

/* ---- steps ---- */

int smooth_frequency(int k) { return k == 0 || k == 1 || k == 8; }

uint16_t smooth_step(int k, uint16_t step) {
  const uint16_t fine = k && step < FINE_BELOW ? STEP_FINE : STEP_MAX;
  return smooth_frequency(k) && fine < step ? fine : step;
}

/* ---- quiet places ---- */

static uint8_t *loud; /* a bit a place: something was seen there that hides steps */

void quiet_places_end(void) {
  free(loud);
  loud = NULL;
}

void quiet_places_begin(void) {
  quiet_places_end();
  loud = allocate_cleared((size_t)places_wide() * places_high() / 8 + 1);
}

static size_t place_of(const Plane *plane, uint32_t x, uint32_t row) {
  const uint32_t wide = places_wide(), high = places_high();
  uint32_t column = x / across(plane), line = row / down(plane);
  if (column >= wide) column = wide - 1;
  if (line >= high) line = high - 1;
  return (size_t)line * wide + column;
}

void note_loud_place(const Plane *plane, uint32_t x, uint32_t row) {
  const size_t place = place_of(plane, x, row);
  loud[place / 8] |= 1 << place % 8;
}

int is_loud_place(const Plane *plane, uint32_t x, uint32_t row) {
  const size_t place = place_of(plane, x, row);
  return loud[place / 8] >> place % 8 & 1;
}
