/* Perceptual comparison of two pictures, row by row (../measure: score.h, shades.h): SSIMULACRA 2.1 of the whole
 * picture and of its worst tile, colour casts, steps, and errors in flat areas. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wasm_simd128.h>

#include "../common/host.h"
#include "../common/types.h"
#include "../measure/score.h"
#include "../measure/shades.h"

#define BACKGROUNDS 3
#define FLAT_SIDE 8 /* side in pixels of the blocks checked for flatness: the block size of JPEG */
#define EQUAL_SCORE 100
/* What is measured beside the score of the picture: the worst tile; everything else. */
#define TILES 1
#define SHADES 2

/* Grey levels of the backgrounds on which translucent pictures are compared. */
static const u32 GREYS[BACKGROUNDS] = {0, 128, 255};

/* One block in a row of blocks. */
typedef struct {
  u32 first, pixels;  /* first pixel of the block, and number of pixels read so far */
  bool is_flat;       /* all pixels of the reference's block have one colour */
  float sum, squares; /* sum, and sum of squares, of the candidate's luma errors */
} Block;

typedef struct {
  u32 width, height, channels;
  u32 y;                               /* rows compared so far */
  u8 *reference_rows, *candidate_rows; /* rows as passed by the host */
  u32 *reference, *candidate;          /* one row of pixels as r | g << 8 | b << 16 | a << 24 */
  /* SSIMULACRA 2 meters; only the first one while all rows are opaque; NULL: picture too small */
  Score *scores[BACKGROUNDS];
  Shades *shades; /* NULL: only SSIMULACRA 2 is measured */
  Block *blocks;
  float dirt; /* largest variance of luma errors in a flat block */
} Comparison;

/* An instance compares one pair of pictures at a time, so that global state is safe. */
static Comparison comparison;

static void release(Comparison *c) {
  for (int i = 0; i < BACKGROUNDS; i++) score_close(c->scores[i]);
  shades_close(c->shades);
  free(c->reference_rows);
  free(c->candidate_rows);
  free(c->reference);
  free(c->candidate);
  free(c->blocks);
  *c = (Comparison){0};
}

static u32 block_count(const Comparison *c) { return (c->width + FLAT_SIDE - 1) / FLAT_SIDE; }

/* Starts a comparison of pictures with 1 to 4 channels of 8 bits. `row_capacity`: rows per push at most. `measures`: sum
 * of TILES and SHADES; 0: only SSIMULACRA 2. Returns 0 if memory is short. */
EXPORT(begin) int begin(u32 width, u32 height, u32 channels, u32 row_capacity, u32 measures) {
  Comparison *c = &comparison;
  c->width = width;
  c->height = height;
  c->channels = channels;
  c->y = 0;
  c->dirt = 0;
  c->reference_rows = malloc((size_t)width * channels * row_capacity);
  c->candidate_rows = malloc((size_t)width * channels * row_capacity);
  c->reference = malloc((size_t)width * 4);
  c->candidate = malloc((size_t)width * 4);
  bool good = c->reference_rows && c->candidate_rows && c->reference && c->candidate;
  if (good && measures & SHADES) {
    c->blocks = calloc(block_count(c), sizeof *c->blocks);
    c->shades = c->blocks ? shades_open(width, !(channels & 1)) : NULL;
    good = c->shades != NULL;
  }
  if (good && width >= SCORE_SMALLEST && height >= SCORE_SMALLEST) {
    c->scores[0] = score_open(width, height, score_scales(width, height));
    good = c->scores[0] && (!(measures & TILES) || score_tiles(c->scores[0]));
  }
  if (!good) release(c);
  return good;
}

EXPORT(reference_at) u8 *reference_at(void) { return comparison.reference_rows; }
EXPORT(candidate_at) u8 *candidate_at(void) { return comparison.candidate_rows; }

/* Converts a row to RGBA. Fully transparent pixels become transparent black, whatever their colour. */
static void unpack(const Comparison *c, const u8 *from, u32 *to) {
  const u32 width = c->width, channels = c->channels;
  if (channels == 3) {
    u32 x = 0;
    for (; x + 6 <= width; x += 4, from += 12) {
      const v128_t four = wasm_v128_load(from), opaque = wasm_i32x4_const_splat(-0x1000000);
      wasm_v128_store(to + x, wasm_v128_or(opaque, wasm_i8x16_shuffle(four, opaque, 0, 1, 2, 16, 3, 4, 5, 16, 6, 7, 8,
                                                                      16, 9, 10, 11, 16)));
    }
    for (; x < width; x++, from += 3) to[x] = from[0] | from[1] << 8 | (u32)from[2] << 16 | 0xff000000u;
    return;
  }
  if (channels == 4) {
    memcpy(to, from, (size_t)width * 4);
    for (u32 x = 0; x < width; x++) to[x] = to[x] >> 24 ? to[x] : 0;
    return;
  }
  for (u32 x = 0; x < width; x++, from += channels) {
    const u32 alpha = channels & 1 ? 255 : from[channels - 1];
    const u32 colour = channels < 3 ? from[0] * 0x010101u : from[0] | from[1] << 8 | (u32)from[2] << 16;
    to[x] = alpha ? colour | alpha << 24 : 0;
  }
}

/* Luma of ITU-R BT.601, on black. */
static float luma_of(u32 pixel) {
  return (.299f * (pixel & 255) + .587f * (pixel >> 8 & 255) + .114f * (pixel >> 16 & 255)) * (pixel >> 24) / 255;
}

/* ---- errors in flat blocks ---- */

static void end_blocks(Comparison *c) {
  for (u32 i = 0; i < block_count(c); i++) {
    const Block *b = c->blocks + i;
    if (!b->is_flat || b->pixels < FLAT_SIDE * FLAT_SIDE) continue;
    const float mean = b->sum / b->pixels;
    c->dirt = fmaxf(c->dirt, b->squares / b->pixels - mean * mean);
  }
}

/* Adds the part of a pixel row that lies in a block. */
static void add_to_block(Block *b, const u32 *reference, const u32 *candidate, u32 pixels) {
  u32 differ = 0;
  for (u32 x = 0; x < pixels; x++) differ |= reference[x] ^ b->first;
  b->is_flat &= !differ;
  if (!b->is_flat) return;
  b->pixels += pixels;
  for (u32 x = 0; x < pixels; x++) {
    if (reference[x] == candidate[x]) continue;
    const float off = luma_of(candidate[x]) - luma_of(reference[x]);
    b->sum += off, b->squares += off * off;
  }
}

static void add_to_blocks(Comparison *c) {
  const u32 width = c->width;
  const bool begins = c->y % FLAT_SIDE == 0;
  if (begins) end_blocks(c);
  for (u32 x = 0; x < width; x += FLAT_SIDE) {
    Block *b = c->blocks + x / FLAT_SIDE;
    const u32 pixels = width - x < FLAT_SIDE ? width - x : FLAT_SIDE;
    if (begins) *b = (Block){c->reference[x], 0, true, 0, 0};
    if (b->is_flat) add_to_block(b, c->reference + x, c->candidate + x, pixels);
  }
}

/* ---- backgrounds for translucent pictures ---- */

static bool is_row_translucent(const Comparison *c) {
  u32 both = 0xff000000;
  for (u32 x = 0; x < c->width; x++) both &= c->reference[x] & c->candidate[x];
  return both != 0xff000000;
}

/* Adds the meters for all backgrounds at the first translucent row. Returns false if memory is short. */
static bool score_all_backgrounds(Comparison *c) {
  for (int i = 1; i < BACKGROUNDS; i++)
    if (!(c->scores[i] = score_copy(c->scores[0]))) return false;
  return true;
}

/* Compares the next rows. Returns 0 if memory is short; the comparison then cannot continue. */
EXPORT(push) int push(u32 rows) {
  Comparison *c = &comparison;
  for (u32 r = 0; r < rows; r++, c->y++) {
    unpack(c, c->reference_rows + (size_t)r * c->width * c->channels, c->reference);
    unpack(c, c->candidate_rows + (size_t)r * c->width * c->channels, c->candidate);
    const bool may_be_translucent = c->scores[0] && !c->scores[1] && !(c->channels & 1);
    if (may_be_translucent && is_row_translucent(c) && !score_all_backgrounds(c)) {
      release(c);
      return 0;
    }
    for (int i = 0; i < BACKGROUNDS; i++)
      if (c->scores[i]) score_row(c->scores[i], c->reference, c->candidate, GREYS[i]);
    if (!c->shades) continue;
    shades_row(c->shades, c->reference, c->candidate);
    add_to_blocks(c);
  }
  return 1;
}

/* Converts a sample that was multiplied by alpha, rounded. */
static u32 straight(u32 value, u32 alpha) {
  const u32 v = (2 * 255 * value + alpha) / (2 * alpha);
  return v < 255 ? v : 255;
}

/* Converts pixels with colours multiplied by alpha to straight RGBA. */
static void divide_by_alpha(u32 *px, size_t pixels) {
  for (size_t i = 0; i < pixels; i++) {
    const u32 c = px[i], alpha = c >> 24;
    if (alpha == 0 || alpha == 255) continue;
    px[i] = straight(c & 255, alpha) | straight(c >> 8 & 255, alpha) << 8 | straight(c >> 16 & 255, alpha) << 16 |
            alpha << 24;
  }
}

/* Composites pixels with colours multiplied by alpha over a grey level. */
static void lay_over(u32 *px, size_t pixels, bool white) {
  for (size_t i = 0; i < pixels; i++) {
    const u32 c = px[i], rest = white ? 255 - (c >> 24) : 0;
    px[i] = (c | 0xff000000u) + rest * 0x010101u;
  }
}

/* Compares the next rows of RGBA whose colours are multiplied by alpha. `background` 0 or 255: over black or white;
 * else translucent. Returns 0 if memory is short. */
EXPORT(push_premultiplied) int push_premultiplied(u32 rows, u32 background) {
  const Comparison *c = &comparison;
  u32 *both[2] = {(u32 *)c->reference_rows, (u32 *)c->candidate_rows};
  for (int i = 0; i < 2; i++) {
    if (background == 0 || background == 255) lay_over(both[i], (size_t)rows * c->width, background == 255);
    else divide_by_alpha(both[i], (size_t)rows * c->width);
  }
  return push(rows);
}

/* Ends the comparison. Called after the last row. */
EXPORT(finish) void finish(void) {
  Comparison *c = &comparison;
  if (!c->shades) return;
  shades_break(c->shades);
  end_blocks(c);
}

/* Returns SSIMULACRA 2.1 on the worst background; 100 if the picture is too small to be scored. */
EXPORT(score) double score(void) {
  double worst = EQUAL_SCORE;
  for (int i = 0; i < BACKGROUNDS; i++)
    if (comparison.scores[i]) worst = fmin(worst, score_result(comparison.scores[i]));
  return worst;
}

EXPORT(worst_tile) double worst_tile(void) {
  double worst = EQUAL_SCORE;
  for (int i = 0; i < BACKGROUNDS; i++)
    if (comparison.scores[i]) worst = fmin(worst, score_worst_tile(comparison.scores[i]));
  return worst;
}

EXPORT(cast) double cast(void) { return shades_result(comparison.shades).cast; }
EXPORT(steps) double steps(void) { return shades_result(comparison.shades).steps; }
EXPORT(bands) double bands(void) { return shades_result(comparison.shades).bands; }
EXPORT(specks) double specks(void) { return shades_result(comparison.shades).specks; }
/* Returns the largest standard deviation of luma errors, in levels, in any flat 8 x 8 block of the reference. */
EXPORT(flat_dirt) double flat_dirt(void) { return sqrt(comparison.dirt); }
