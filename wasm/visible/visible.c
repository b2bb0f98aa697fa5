/* What eyes see of the difference between two pictures, row by row (../measure: score.h, shades.h): SSIMULACRA 2.1 of the whole
 * and of its worst tile, colour casts, steps, and dirt in what was flat. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../measure/score.h"
#include "../measure/shades.h"

#define EXPORT(name) __attribute__((export_name(#name)))
#define BACKGROUNDS 3
#define FLAT 8 /* pixels each way: a block in which all are the same */

/* Translucent pictures are judged on black, on a middle grey and on white. */
static const uint32_t GREYS[BACKGROUNDS] = {0, 128, 255};

static uint32_t width, height, channels, at;
static uint8_t *reference_rows, *candidate_rows;
static uint32_t *reference, *candidate;
static Score *scores[BACKGROUNDS];
static Shades *shades;

/* Of a row of blocks: their first pixel, whether all are like it, and sums of what the candidate is off in luma. */
typedef struct {
  uint32_t first, pixels;
  bool flat;
  float sum, squares;
} Block;
static Block *blocks;
static float dirt; /* the worst, squared */

static void forget(void) {
  for (int i = 0; i < BACKGROUNDS; i++) score_close(scores[i]), scores[i] = NULL;
  shades_close(shades), shades = NULL;
  free(reference_rows), free(candidate_rows), free(reference), free(candidate), free(blocks);
  reference_rows = candidate_rows = NULL, reference = candidate = NULL, blocks = NULL;
}

/* Starts a measurement of pictures with 1 to 4 channels of 8 bits; a push may bring `row_capacity` rows. Without `all` nothing but
 * the score is measured, in a fifth of the time. 0: no memory. */
EXPORT(begin) int begin(uint32_t w, uint32_t h, uint32_t n, uint32_t row_capacity, uint32_t all) {
  width = w, height = h, channels = n, at = 0, dirt = 0;
  reference_rows = malloc((size_t)w * n * row_capacity), candidate_rows = malloc((size_t)w * n * row_capacity);
  reference = malloc((size_t)w * 4), candidate = malloc((size_t)w * 4);
  bool good = reference_rows && candidate_rows && reference && candidate;
  if (good && all) {
    blocks = calloc((w + FLAT - 1) / FLAT, sizeof *blocks);
    good = blocks && (shades = shades_open(w, !(n & 1)));
  }
  if (good && w >= SCORE_SMALLEST && h >= SCORE_SMALLEST)
    good = (scores[0] = score_open(w, h, score_scales(w, h))) && (!all || score_tiles(scores[0]));
  if (!good) forget();
  return good;
}

EXPORT(reference_at) uint8_t *reference_at(void) { return reference_rows; }
EXPORT(candidate_at) uint8_t *candidate_at(void) { return candidate_rows; }

/* A row as r | g << 8 | b << 16 | a << 24. What cannot be seen is black, whatever it is stored as. */
static void unpack(const uint8_t *from, uint32_t *to) {
  if (channels == 3) {
    for (uint32_t x = 0; x < width; x++, from += 3) to[x] = from[0] | from[1] << 8 | (uint32_t)from[2] << 16 | 0xff000000u;
    return;
  }
  if (channels == 4) {
    memcpy(to, from, (size_t)width * 4);
    for (uint32_t x = 0; x < width; x++) to[x] = to[x] >> 24 ? to[x] : 0;
    return;
  }
  for (uint32_t x = 0; x < width; x++, from += channels) {
    const uint32_t alpha = channels & 1 ? 255 : from[channels - 1];
    const uint32_t colour = channels < 3 ? from[0] * 0x010101u : from[0] | from[1] << 8 | (uint32_t)from[2] << 16;
    to[x] = alpha ? colour | alpha << 24 : 0;
  }
}

static float luma_of(uint32_t pixel) {
  return (.299f * (pixel & 255) + .587f * (pixel >> 8 & 255) + .114f * (pixel >> 16 & 255)) * (pixel >> 24) / 255;
}

static void end_blocks(void) {
  for (uint32_t i = 0; i < (width + FLAT - 1) / FLAT; i++) {
    const Block *b = blocks + i;
    if (!b->flat || b->pixels < FLAT * FLAT) continue;
    const float mean = b->sum / b->pixels;
    dirt = fmaxf(dirt, b->squares / b->pixels - mean * mean);
  }
}

/* Part of a row that lies in a block: a block that is not flat stays so, and what it is off counts for nothing. */
static void look_at_block(Block *b, const uint32_t *was, const uint32_t *is, uint32_t pixels) {
  uint32_t differ = 0;
  for (uint32_t x = 0; x < pixels; x++) differ |= was[x] ^ b->first;
  b->flat &= !differ;
  if (!b->flat) return;
  b->pixels += pixels;
  for (uint32_t x = 0; x < pixels; x++) {
    if (was[x] == is[x]) continue;
    const float off = luma_of(is[x]) - luma_of(was[x]);
    b->sum += off, b->squares += off * off;
  }
}

static void look_at_blocks(void) {
  if (at % FLAT == 0) end_blocks();
  for (uint32_t x = 0; x < width; x += FLAT) {
    Block *b = blocks + x / FLAT;
    if (at % FLAT == 0) *b = (Block){reference[x], 0, true, 0, 0};
    if (b->flat) look_at_block(b, reference + x, candidate + x, width - x < FLAT ? width - x : FLAT);
  }
}

static bool translucent_row(void) {
  uint32_t both = 0xff000000;
  for (uint32_t x = 0; x < width; x++) both &= reference[x] & candidate[x];
  return both != 0xff000000;
}

/* Down to the first translucent row a picture looks the same on every ground. */
static bool on_all_grounds(void) {
  for (int i = 1; i < BACKGROUNDS; i++)
    if (!(scores[i] = score_copy(scores[0]))) return false;
  return true;
}

/* 0: no memory, and nothing can follow. */
EXPORT(push) int push(uint32_t rows) {
  for (uint32_t r = 0; r < rows; r++, at++) {
    unpack(reference_rows + (size_t)r * width * channels, reference);
    unpack(candidate_rows + (size_t)r * width * channels, candidate);
    if (scores[0] && !scores[1] && !(channels & 1) && translucent_row() && !on_all_grounds()) {
      forget();
      return 0;
    }
    for (int i = 0; i < BACKGROUNDS; i++)
      if (scores[i]) score_row(scores[i], reference, candidate, GREYS[i]);
    if (!shades) continue;
    shades_row(shades, reference, candidate);
    look_at_blocks();
  }
  return 1;
}

/* After the last row. */
EXPORT(finish) void finish(void) {
  if (!shades) return;
  shades_break(shades);
  end_blocks();
}

/* 100 where the picture is too small to be scored. */
EXPORT(score) double score(void) {
  double worst = 100;
  for (int i = 0; i < BACKGROUNDS; i++)
    if (scores[i]) worst = fmin(worst, score_result(scores[i]));
  return worst;
}

EXPORT(worst_tile) double worst_tile(void) {
  double worst = 100;
  for (int i = 0; i < BACKGROUNDS; i++)
    if (scores[i]) worst = fmin(worst, score_worst_tile(scores[i]));
  return worst;
}

EXPORT(cast) double cast(void) { return shades_result(shades).cast; }
EXPORT(steps) double steps(void) { return shades_result(shades).steps; }
EXPORT(bands) double bands(void) { return shades_result(shades).bands; }
EXPORT(specks) double specks(void) { return shades_result(shades).specks; }
/* Standard deviation, in levels of luma, of what came into the worst block of 8 x 8 that was of one colour. */
EXPORT(flat_dirt) double flat_dirt(void) { return sqrt(dirt); }
