/* Own implementation of the SSIMULACRA 2.1 definition. Weights and constants are those of the crate ssimulacra2 0.5.1
 * (BSD-2-Clause, see ../png/LICENSE.ssimulacra2). The definition blurs with a "recursive" Gaussian (Charalampidis 2016,
 * truncated cosines, sigma 1.5), but its impulse response is finite: nine taps. So each scale needs a ring buffer of
 * nine rows, and passes rows of half the size to the next scale. Outside the picture, samples and their products are
 * 0. */
#include "score.h"
#include "vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCALES SCORE_SCALES
#define TAPS 9
#define HALF 4
#define SIDE 4 /* number of zeros on each side of a blurred row */
/* Pixels of a patch, a part of a row. Terms are 0 where all patches in reach are equal, so they are not computed. */
#define PATCH 16
/* Tile rows whose sums are buffered: the smallest scale lags behind by fewer rows than these. */
#define TILE_ROWS 4

/* Quantities x, y, x^2 + y^2, (x - y)^2. With V the variance of x - y, m the squared difference of the means and S the
 * sum of the variances, 1 - SSIM is (V + m (S - V)) / S. This form avoids cancellation. */
enum { X, Y, SQUARES, SQUARED, QUANTITIES };

static const double WEIGHT[108] = {
    /* channel X: for each scale, 1-norms of structural error, ringing and blur, then their 4-norms */
    0,
    .0007376606707406586,
    0,
    0,
    .0007793481682867309,
    0,
    0,
    .0004371155730107379,
    0,
    1.1041726426657346,
    .00066284834129271,
    .00015231632783718752,
    0,
    .0016406437456599754,
    0,
    1.8422455520539298,
    11.441172603757666,
    0,
    .0007989109436015163,
    .000176816438078653,
    0,
    1.8787594979546387,
    10.94906990605142,
    0,
    .0007289346991508072,
    .9677937080626833,
    0,
    .00014003424285435884,
    .9981766977854967,
    .00031949755434435053,
    .0004550992113792063,
    0,
    0,
    .0013648766163243398,
    0,
    0,
    /* weights of channel Y, in the same order as X */
    0,
    0,
    0,
    7.466890328078848,
    0,
    17.445833984131262,
    .0006235601634041466,
    0,
    0,
    6.683678146179332,
    .00037724407979611296,
    1.027889937768264,
    225.20515300849274,
    0,
    0,
    19.213238186143016,
    .0011401524586618361,
    .001237755635509985,
    176.39317598450694,
    0,
    0,
    24.43300999870476,
    .28520802612117757,
    .0004485436923833408,
    0,
    0,
    0,
    34.77906344483772,
    44.835625328877896,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    /* weights of channel B - Y, in the same order as X */
    0,
    .0008680556573291698,
    0,
    0,
    0,
    0,
    0,
    .0005313191874358747,
    0,
    .00016533814161379112,
    0,
    0,
    0,
    0,
    0,
    .0004179171803251336,
    .0017290828234722833,
    0,
    .0020827005846636437,
    0,
    0,
    8.826982764996862,
    23.19243343998926,
    0,
    95.1080498811086,
    .9863978034400682,
    .9834382792465353,
    .0012286405048278493,
    171.2667255897307,
    .9807858872435379,
    0,
    0,
    0,
    .0005130064588990679,
    0,
    .00010854057858411537,
};
/* Smallest weight that is used. Channels with smaller weights at a scale add less than .01 points and are skipped. */
#define LEAST_WEIGHT .005

typedef struct {
  uint32_t width, height, padded, in, out;
  /* For each channel used at this scale: blocks of four columns. Each has TAPS rows of QUANTITIES vectors. */
  float *ring[3];
  float *linear;              /* newest row in linear light: three cones of both pictures */
  float *upper;               /* previous row in linear light, while a pair of rows is incomplete */
  uint8_t *same, *upper_same; /* for each patch of the newest row, and of `upper`: true if both pictures are equal */
  uint32_t *equal_rows;       /* for each patch: number of rows up to the newest one in which both pictures are equal */
  int maps[3];                /* maps whose sums are computed */
  double sum[3][6];
  float *tiles[3]; /* TILE_ROWS rows of six sums per tile; NULL: no tile scores */
} Scale;

struct Score {
  Scale scale[SCALES];
  int scales;
  /* scales of the whole picture; the weights of a channel start at this offset after those of the channel before */
  int stride;
  float *down;
  /* Pixels of the last nine rows of the largest scale. Where both pictures are equal, quantities are only computed if a
   * term needs them. For each patch: one bit for each row of the ring whose quantities are missing. */
  uint32_t *raw, behind;
  uint16_t *missing;
  float *laid;                      /* a row of missing pixels in linear light */
  uint32_t *ends;                   /* first and last column of each part of a row whose terms are computed */
  uint32_t tiles_across, tile_rows; /* `tile_rows`: tile rows scored so far */
  double worst_tile;
  struct {
    ScoreTile *to;
    uint32_t stride, column, row, columns, rows;
  } keep;
};

static bool counts(int scale, int channel, int stride) {
  double most = 0;
  for (int i = 0; i < 6; i++) most = fmax(most, WEIGHT[(channel * stride + scale) * 6 + i]);
  return most > LEAST_WEIGHT;
}
/* Maps of which sums are computed: structural error, ringing, blur, each with exponents 1 and 4. */
#define SSIM_4 2
#define BLUR_4 32
#define ALL_MAPS 63
/* Returns the maps with weights, of pictures with six scales. The smallest scales are computed whole. */
static int maps_that_count(int scale, int channel) {
  int maps = 0;
  for (int i = 0; i < 6; i++)
    if (WEIGHT[(channel * SCALES + scale) * 6 + i] > LEAST_WEIGHT) maps |= 1 << (i % 3 * 2 + i / 3);
  return scale > 1 ? ALL_MAPS : maps;
}
/* Smallest width in pixels from which pictures with fewer than six scales have no tile scores, because these need more
 * channels and memory. */
#define WIDEST_CUT_TILES 8192
static bool has_tiles(uint32_t width, int scales) { return scales == SCALES || width <= WIDEST_CUT_TILES; }

static float *row_room(bool *good, uint32_t padded, uint32_t rows) {
  float *p = calloc((size_t)padded * rows + 16, sizeof *p);
  if (!p) *good = false;
  return p;
}

static uint32_t patches_of(uint32_t width) { return (width + PATCH - 1) / PATCH; }

static void *patch_room(bool *good, uint32_t patches, size_t bytes) {
  void *p = calloc(patches, bytes);
  if (!p) *good = false;
  return p;
}

#define BIAS .0037930732552754493
#define BIAS_ROOT .15595420054924863f

/* Contributions of each sample of red, green and blue to the cones L, M and S, with BIAS in those of blue. */
static v4 cones[3][256];

static void fill_cones(void) {
  static const double share[3][3] = {
      {.3, .23, .24342268924547819}, {.622, .692, .20476744424496821}, {.078, .078, .5518098665095536}};
  if (cones[2][0][0] > 0) return;
  for (int i = 0; i < 256; i++) {
    const double v = i / 255., linear = v <= .04045 ? v / 12.92 : pow((v + .055) / 1.055, 2.4);
    for (int c = 0; c < 3; c++)
      for (int k = 0; k < 3; k++) cones[c][i][k] = (float)(share[c][k] * linear + (c == 2 ? BIAS : 0));
  }
}

int score_scales(uint32_t width, uint32_t height) {
  int scales = 1;
  for (; scales < SCALES && width >= 8 && height >= 8; scales++) width = (width + 1) / 2, height = (height + 1) / 2;
  return scales;
}

Score *score_open(uint32_t width, uint32_t height, int scales) {
  const bool tiles = has_tiles(width, scales);
  Score *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  bool good = true;
  fill_cones();
  s->stride = scales;
  for (uint32_t w = width, h = height; s->scales < SCALES; s->scales++, w = (w + 1) / 2, h = (h + 1) / 2) {
    Scale *l = &s->scale[s->scales];
    if (s->scales && (l[-1].width < 8 || l[-1].height < 8)) break;
    bool any = scales < SCALES; /* stop if neither this scale nor any later one has weights */
    for (int k = s->scales; k < SCALES; k++)
      for (int c = 0; c < 3; c++) any |= counts(k, c, SCALES);
    if (!any) break;
    l->width = w, l->height = h, l->padded = ((w + 3) & ~3u) + 2 * SIDE;
    for (int c = 0; c < 3; c++)
      if (counts(s->scales, c, scales) || (tiles && counts(s->scales, c, SCALES)))
        l->ring[c] = row_room(&good, l->padded, TAPS * QUANTITIES);
    for (int c = 0; c < 3; c++) l->maps[c] = scales < SCALES ? ALL_MAPS : maps_that_count(s->scales, c);
    l->linear = row_room(&good, l->padded, 6);
    l->upper = row_room(&good, l->padded, 6);
    l->same = patch_room(&good, patches_of(w), sizeof *l->same);
    l->upper_same = patch_room(&good, patches_of(w), sizeof *l->upper_same);
    l->equal_rows = patch_room(&good, patches_of(w), sizeof *l->equal_rows);
  }
  s->ends = patch_room(&good, patches_of(width) + 1, sizeof *s->ends);
  s->missing = patch_room(&good, patches_of(width), sizeof *s->missing);
  s->raw = patch_room(&good, width * TAPS, sizeof *s->raw);
  s->laid = row_room(&good, s->scale[0].padded, 3);
  s->down = row_room(&good, s->scale[0].padded, QUANTITIES);
  if (good) return s;
  score_close(s);
  return NULL;
}

void score_close(Score *s) {
  if (!s) return;
  for (int k = 0; k < SCALES; k++) {
    for (int c = 0; c < 3; c++) free(s->scale[k].ring[c]), free(s->scale[k].tiles[c]);
    free(s->scale[k].linear);
    free(s->scale[k].upper);
    free(s->scale[k].same), free(s->scale[k].upper_same), free(s->scale[k].equal_rows);
  }
  free(s->down), free(s->ends), free(s->raw), free(s->missing), free(s->laid);
  free(s);
}

static float *copied(bool *good, const float *from, uint32_t padded, uint32_t rows) {
  float *p = from ? row_room(good, padded, rows) : NULL;
  if (p) memcpy(p, from, ((size_t)padded * rows + 16) * sizeof *p);
  return p;
}

static void *copied_patches(bool *good, const void *from, uint32_t patches, size_t bytes) {
  void *p = from ? patch_room(good, patches, bytes) : NULL;
  if (p) memcpy(p, from, patches * bytes);
  return p;
}

Score *score_copy(const Score *from) {
  Score *s = malloc(sizeof *s);
  if (!s) return NULL;
  bool good = true;
  *s = *from;
  for (int k = 0; k < SCALES; k++) {
    Scale *l = &s->scale[k];
    for (int c = 0; c < 3; c++) {
      l->ring[c] = copied(&good, l->ring[c], l->padded, TAPS * QUANTITIES);
      l->tiles[c] = copied(&good, l->tiles[c], s->tiles_across * 6, TILE_ROWS);
    }
    l->linear = copied(&good, l->linear, l->padded, 6);
    l->upper = copied(&good, l->upper, l->padded, 6);
    const uint32_t patches = patches_of(l->width);
    l->same = copied_patches(&good, l->same, patches, sizeof *l->same);
    l->upper_same = copied_patches(&good, l->upper_same, patches, sizeof *l->upper_same);
    l->equal_rows = copied_patches(&good, l->equal_rows, patches, sizeof *l->equal_rows);
  }
  const uint32_t width = s->scale[0].width;
  s->ends = copied_patches(&good, s->ends, patches_of(width) + 1, sizeof *s->ends);
  s->missing = copied_patches(&good, s->missing, patches_of(width), sizeof *s->missing);
  s->raw = copied_patches(&good, s->raw, width * TAPS, sizeof *s->raw);
  s->laid = copied(&good, s->laid, s->scale[0].padded, 3);
  s->down = copied(&good, s->down, s->scale[0].padded, QUANTITIES);
  if (good) return s;
  score_close(s);
  return NULL;
}

bool score_tiles(Score *s) {
  bool good = true;
  if (!has_tiles(s->scale[0].width, s->stride)) return true;
  s->tiles_across = (s->scale[0].width + SCORE_TILE - 1) / SCORE_TILE;
  s->worst_tile = INFINITY;
  for (int k = 0; k < s->scales; k++)
    for (int c = 0; c < 3; c++)
      if (s->scale[k].ring[c]) s->scale[k].tiles[c] = row_room(&good, s->tiles_across * 6, TILE_ROWS);
  return good;
}

#define TAP_VECTORS {held(.264621105f), held(.212928592f), held(.109335373f), held(.036011115f), held(.009414368f)}

/* Returns the quantities of four columns of a row of the ring. */
static inline v4 *block_at(const Scale *l, int channel, uint32_t slot, uint32_t column) {
  return (v4 *)(l->ring[channel] + ((size_t)column * TAPS + 4 * slot) * QUANTITIES);
}

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Blurs `blocks` blocks vertically. `oldest`: slot of the first of the nine rows; a constant, so that the compiler knows
 * where the others are. */
ALWAYS_INLINE void blur_blocks(const v4 *at, uint32_t blocks, float *out, size_t plane, int oldest) {
  const v4 tap[HALF + 1] = TAP_VECTORS;
  for (; blocks; blocks--, at += TAPS * QUANTITIES, out += 4)
    for (int q = 0; q < QUANTITIES; q++) {
#define ROW(k) at[(oldest + (k)) % TAPS * QUANTITIES + q]
      store(out + q * plane, tap[0] * ROW(4) + tap[1] * (ROW(3) + ROW(5)) + tap[2] * (ROW(2) + ROW(6)) +
                                 tap[3] * (ROW(1) + ROW(7)) + tap[4] * (ROW(0) + ROW(8)));
    }
}

/* Blurs columns `from` to `to` of row `at` vertically, and the columns that their terms reach. */
static void blur_down(const Score *s, const Scale *l, int c, uint32_t at, uint32_t from, uint32_t to) {
  const uint32_t first = from < SIDE ? 0 : from - SIDE, end = to + SIDE < l->width ? to + SIDE : l->width;
  const v4 *block = block_at(l, c, 0, first);
  const uint32_t blocks = (end - first + 3) / 4;
  float *out = s->down + SIDE + first;
  switch ((at + TAPS - HALF) % TAPS) {
#define OLDEST(k)                                                                                                      \
  case k: blur_blocks(block, blocks, out, l->padded, k); break;
    OLDEST(0) OLDEST(1) OLDEST(2) OLDEST(3) OLDEST(4) OLDEST(5) OLDEST(6) OLDEST(7) OLDEST(8)
  }
  for (int q = 0; q < QUANTITIES; q++) {
    float *row = s->down + (size_t)q * l->padded;
    if (end == l->width) memset(row + SIDE + l->width, 0, SIDE * sizeof *row);
    if (!first) memset(row, 0, SIDE * sizeof *row);
  }
}

#define BLOCKS_AT_ONCE 16

/* Blurs `blocks` blocks horizontally. `from`: four columns before the first one. */
static void blur_along(const float *from, float *to, uint32_t blocks) {
  const v4 tap[HALF + 1] = TAP_VECTORS;
  for (; blocks; blocks--, from += 4, to += 4)
    store(to, tap[0] * load(from + 4) + tap[1] * (load(from + 3) + load(from + 5)) +
                  tap[2] * (load(from + 2) + load(from + 6)) + tap[3] * (load(from + 1) + load(from + 7)) +
                  tap[4] * (load(from) + load(from + 8)));
}

/* Finds the parts of row `at` whose terms may differ from 0. Returns the end of the list in `ends`. */
static uint32_t *find_parts(const Score *s, const Scale *l, uint32_t at) {
  const uint32_t reach = l->in - (at < HALF ? 0 : at - HALF), patches = patches_of(l->width);
  uint32_t *end = s->ends;
  for (uint32_t p = 0; p < patches; p++) {
    if (l->equal_rows[p] >= reach) continue;
    /* A patch reaches into its neighbours. */
    const uint32_t from = p ? (p - 1) * PATCH : 0, to = (p + 2) * PATCH < l->width ? (p + 2) * PATCH : l->width;
    if (end > s->ends && from <= end[-1]) end[-1] = to;
    else *end++ = from, *end++ = to;
  }
  return end;
}

/* Adds the sums of a row, or of a tile's part of it. */
static void end_tile(Scale *l, int c, float *tile, v4 sum[6]) {
  for (int i = 0; i < 6; i++) {
    const float all = (sum[i][0] + sum[i][1]) + (sum[i][2] + sum[i][3]);
    l->sum[c][i] += all;
    if (tile) tile[i] += all;
    sum[i] = (v4){0};
  }
}

/* Adds the terms of up to BLOCKS_AT_ONCE blocks. `row`: their first block in the ring; `blurred`: their quantities;
 * `maps`: constant; `lanes`: columns that count in the last block. */
ALWAYS_INLINE void add_terms(const v4 *row, const v4 *blurred, uint32_t blocks, int maps, uint32_t lanes, v4 sum[6]) {
  const v4 one = held(1), c2 = held(.0009f);
  v4 sums[6];
  for (int i = 0; i < 6; i++) sums[i] = sum[i];
  for (; blocks; blocks--, row += TAPS * QUANTITIES, blurred++) {
    const v4 a = blurred[0], b = blurred[BLOCKS_AT_ONCE];
    const v4 squares = blurred[SQUARES * BLOCKS_AT_ONCE], squared = blurred[SQUARED * BLOCKS_AT_ONCE];
    const v4 m = (a - b) * (a - b), variance = squared - m, all = squares - a * a - b * b + c2;
    v4 term[3] = {positive((variance + m * (all - variance)) / all)};
    if (maps & ~3) {
      const v4 ex = (v4)((i4)(row[X] - a) & 0x7fffffff), ey = (v4)((i4)(row[Y] - b) & 0x7fffffff);
      const v4 e = (ey - ex) / (one + ex);
      term[1] = positive(e), term[2] = positive(-e);
    }
    for (int t = 0; t < 3; t++) {
      if (!(maps >> 2 * t & 3)) continue;
      if (lanes < 4 && blocks == 1) term[t] = (v4)((i4)term[t] & ((i4){0, 1, 2, 3} < (int32_t)lanes));
      if (maps >> 2 * t & 1) sums[2 * t] += term[t];
      const v4 square = term[t] * term[t];
      if (maps >> 2 * t & 2) sums[2 * t + 1] += square * square;
    }
  }
  for (int i = 0; i < 6; i++) sum[i] = sums[i];
}

/* Adds the terms of columns `from` to `to`, at most 64, of a row of the ring to the sums. */
static void add_columns(const Score *s, const Scale *l, int c, uint32_t at, uint32_t from, uint32_t to, v4 sum[6]) {
  v4 blurred[QUANTITIES * BLOCKS_AT_ONCE];
  const v4 *row = block_at(l, c, at % TAPS, from);
  const uint32_t blocks = (to - from + 3) / 4, lanes = (to - from + 3) % 4 + 1;
  for (int q = 0; q < QUANTITIES; q++)
    blur_along(s->down + (size_t)q * l->padded + from, (float *)(blurred + q * BLOCKS_AT_ONCE), blocks);
  if (lanes < 4 || l->maps[c] & ~(SSIM_4 | BLUR_4)) add_terms(row, blurred, blocks, ALL_MAPS, lanes, sum);
  else if (l->maps[c] == SSIM_4) add_terms(row, blurred, blocks, SSIM_4, 4, sum);
  else add_terms(row, blurred, blocks, SSIM_4 | BLUR_4, 4, sum);
}

/* Adds the parts between `ends` and `last` of row `at` to the sums; all its neighbouring rows must be present. */
static void add_row(Score *s, Scale *l, int c, uint32_t at, const uint32_t *last) {
  const uint32_t side = SCORE_TILE >> (l - s->scale), columns = side < 4 ? 4 : side;
  float *tiles = l->tiles[c] ? l->tiles[c] + (size_t)(at / side % TILE_ROWS) * s->tiles_across * 6 : NULL;
  for (const uint32_t *ends = s->ends; ends < last; ends += 2) {
    blur_down(s, l, c, at, ends[0], ends[1]);
    for (uint32_t x = ends[0], to; x < ends[1]; x = to) {
      to = tiles ? (x / columns + 1) * columns : x + 4 * BLOCKS_AT_ONCE;
      if (to > ends[1]) to = ends[1];
      v4 sum[6] = {0};
      add_columns(s, l, c, at, x, to, sum);
      end_tile(l, c, tiles ? tiles + x / side * 6 : NULL, sum);
    }
  }
}

static inline uint32_t over(uint32_t value, uint32_t alpha, uint32_t behind) {
  return (value * alpha + behind * (255 - alpha) + 127) / 255;
}

/* Writes four pixels in linear light. */
static inline void store_cones(const v4 p[4], size_t padded, float *to) {
  v4 planes[3];
  transpose(p, planes);
  for (int c = 0; c < 3; c++) store(to + c * padded, planes[c]);
}

/* Writes up to four pixels in linear light, composited. */
static void lay_few(const uint32_t *px, uint32_t pixels, uint32_t behind, size_t padded, float *to) {
  v4 p[4];
  for (uint32_t k = 0; k < 4; k++) {
    const uint32_t c = px[k < pixels ? k : pixels - 1], alpha = c >> 24;
    p[k] = cones[0][over(c & 255, alpha, behind)] + cones[1][over(c >> 8 & 255, alpha, behind)] +
           cones[2][over(c >> 16 & 255, alpha, behind)];
  }
  store_cones(p, padded, to);
}

/* Writes columns `from` to `to` in linear light, composited. */
static void lay(const Score *s, const uint32_t *px, uint32_t from, uint32_t to, uint32_t behind, float *linear) {
  const uint32_t padded = s->scale[0].padded;
  for (uint32_t i = from; i < to; i += 4) {
    if (to - i < 4 || !are_opaque(wasm_v128_load(px + i))) {
      lay_few(px + i, to - i < 4 ? to - i : 4, behind, padded, linear + i);
      continue;
    }
    v4 p[4];
    for (uint32_t k = 0; k < 4; k++) {
      const uint32_t c = px[i + k];
      p[k] = cones[0][c & 255] + cones[1][c >> 8 & 255] + cones[2][c >> 16 & 255];
    }
    store_cones(p, padded, linear + i);
  }
}

typedef struct {
  CubeRoot root;
  v4 half, seven, middle[3];
} ToXyb;

static inline ToXyb xyb_terms(void) {
  return (ToXyb){cube_root_terms(), held(.5f), held(7), {held(.42f), held(.01f - BIAS_ROOT), held(.55f)}};
}

/* Converts four columns of cones to XYB. `channels`: bits of X, Y and B - Y; constant. */
ALWAYS_INLINE void to_xyb(const ToXyb *k, const float *cone, size_t plane, int channels, v4 out[3]) {
  const v4 l = cube_root(&k->root, load(cone)), m = cube_root(&k->root, load(cone + plane)), y = k->half * (l + m);
  if (channels & 1) out[0] = k->seven * (l - m) + k->middle[0];
  out[1] = y + k->middle[1];
  if (channels & 4) out[2] = cube_root(&k->root, load(cone + 2 * plane)) - y + k->middle[2];
}

/* Computes the quantities of columns `from` to `to` in a row of the ring. */
ALWAYS_INLINE void fill_channels(const Scale *l, uint32_t slot, const float *linear, bool same, uint32_t from,
                                 uint32_t to, int channels) {
  const ToXyb k = xyb_terms();
  const size_t plane = l->padded;
  v4 *out[3];
  for (int c = 0; c < 3; c++) out[c] = channels >> c & 1 ? block_at(l, c, slot, from) : NULL;
  for (const float *cone = linear + from, *end = linear + to; cone < end; cone += 4) {
    v4 a[3], b[3];
    to_xyb(&k, cone, plane, channels, a);
    if (!same) to_xyb(&k, cone + 3 * plane, plane, channels, b);
    for (int c = 0; c < 3; c++) {
      if (!(channels >> c & 1)) continue;
      const v4 x = a[c], y = same ? x : b[c];
      out[c][X] = x, out[c][Y] = y;
      out[c][SQUARES] = x * x + y * y, out[c][SQUARED] = (x - y) * (x - y);
      out[c] += TAPS * QUANTITIES;
    }
  }
}

/* Computes the quantities of columns `from` to `to` in a row of the ring, from their linear light. `same`: both pictures
 * are equal there. */
static void fill_part(const Scale *l, uint32_t slot, const float *linear, bool same, uint32_t from, uint32_t to) {
  const int channels = (l->ring[0] ? 1 : 0) | (l->ring[1] ? 2 : 0) | (l->ring[2] ? 4 : 0);
  if (channels == 2) fill_channels(l, slot, linear, same, from, to, 2);
  else if (channels == 3) fill_channels(l, slot, linear, same, from, to, 3);
  else if (channels == 7) fill_channels(l, slot, linear, same, from, to, 7);
  else
    for (int c = 0; c < 3; c++) { /* few pixels: pictures with fewer than six scales */
      if (channels >> c & 1 && c == 0) fill_channels(l, slot, linear, same, from, to, 1);
      if (channels >> c & 1 && c == 1) fill_channels(l, slot, linear, same, from, to, 2);
      if (channels >> c & 1 && c == 2) fill_channels(l, slot, linear, same, from, to, 4);
    }
}

/* Empties a row of the ring below the picture. */
static void fill_below(const Score *s, const Scale *l, uint32_t slot) {
  for (int c = 0; c < 3; c++)
    for (uint32_t x = 0; l->ring[c] && x < l->width; x += 4)
      memset(block_at(l, c, slot, x), 0, QUANTITIES * sizeof(v4));
  for (uint32_t p = 0; l == s->scale && p < patches_of(l->width); p++) s->missing[p] &= (uint16_t)~(1u << slot);
}

/* Returns the column after the patches from `from` on that are equal, or not equal, as the first one. */
static uint32_t end_of_alike(const Scale *l, uint32_t from) {
  uint32_t patch = from / PATCH, patches = patches_of(l->width);
  const bool same = l->same[patch];
  while (patch < patches && l->same[patch] == same) patch++;
  return patch * PATCH < l->width ? patch * PATCH : l->width;
}

/* Computes the quantities of the newest row, without those that may not be needed. */
static void fill_ring(Score *s, const Scale *l) {
  const uint32_t slot = l->in % TAPS;
  const bool largest = l == s->scale;
  if (!l->ring[0] && !l->ring[1] && !l->ring[2]) return;
  for (uint32_t x = 0, to; x < l->width; x = to) {
    to = end_of_alike(l, x);
    const bool same = l->same[x / PATCH];
    if (!largest || !same) fill_part(l, slot, l->linear, same, x, to);
    for (uint32_t p = x / PATCH; largest && p * PATCH < to; p++)
      s->missing[p] = (uint16_t)((s->missing[p] & ~(1u << slot)) | (uint32_t)same << slot);
  }
}

/* Halves columns `from` to `to` of plane v. */
static void halve_part(const Scale *l, const float *above, const Scale *below, int v, uint32_t from, uint32_t to) {
  const float *a = above + (size_t)v * l->padded, *b = l->linear + (size_t)v * l->padded;
  float *out = below->linear + (size_t)v * below->padded;
  const uint32_t pairs = l->width / 2, end = to < pairs ? to : pairs;
  uint32_t i = from;
  const v4 quarter = held(.25f);
  for (; i + 4 <= end; i += 4) {
    const v4 left = load(a + 2 * i) + load(b + 2 * i), right = load(a + 2 * i + 4) + load(b + 2 * i + 4);
    store(out + i, quarter * (__builtin_shufflevector(left, right, 0, 2, 4, 6) +
                              __builtin_shufflevector(left, right, 1, 3, 5, 7)));
  }
  for (; i < end; i++) out[i] = .25f * (a[2 * i] + a[2 * i + 1] + b[2 * i] + b[2 * i + 1]);
  if (to > pairs) out[pairs] = .5f * (a[l->width - 1] + b[l->width - 1]);
}

/* Halves a pair of rows. `same` of the next scale must be set. */
static void halve(const Scale *l, const float *above, Scale *below) {
  for (uint32_t x = 0, to; x < below->width; x = to) {
    to = end_of_alike(below, x);
    const bool same = below->same[x / PATCH];
    for (int v = 0; v < (same ? 3 : 6); v++) halve_part(l, above, below, v, x, to);
    for (int v = 3; same && v < 6; v++) {
      float *out = below->linear + (size_t)v * below->padded;
      memcpy(out + x, out - (size_t)3 * below->padded + x, (to - x) * sizeof *out);
    }
  }
}

/* Sets `same` of the next scale, for the newest row, or for a pair of rows. */
static void halve_same(const Scale *l, bool paired, const Scale *below) {
  const uint32_t patches = patches_of(l->width);
  for (uint32_t p = 0; p < patches_of(below->width); p++) {
    bool same = true;
    for (uint32_t i = 2 * p; i < 2 * p + 2 && i < patches; i++) same &= l->same[i] && (!paired || l->upper_same[i]);
    below->same[p] = same;
  }
}

/* Computes missing quantities of the largest scale that the terms of these parts reach. */
static void fill_missing(Score *s, const uint32_t *last) {
  const Scale *l = s->scale;
  for (const uint32_t *ends = s->ends; ends < last; ends += 2) {
    const uint32_t first = ends[0] ? ends[0] / PATCH - 1 : 0,
                   end = ends[1] + SIDE < l->width ? ends[1] + SIDE : l->width;
    for (uint32_t p = first; p * PATCH < end; p++)
      for (; s->missing[p]; s->missing[p] &= (uint16_t)(s->missing[p] - 1)) {
        const uint32_t slot = (uint32_t)__builtin_ctz(s->missing[p]), from = p * PATCH;
        const uint32_t to = from + PATCH < l->width ? from + PATCH : l->width;
        lay(s, s->raw + (size_t)slot * l->width, from, to, s->behind, s->laid);
        fill_part(l, slot, s->laid, true, from, to);
      }
  }
}

/* Processes the new row in `linear` at scale k and at all smaller scales. */
static void row_came(Score *s, int k) {
  for (;; k++) {
    Scale *l = &s->scale[k];
    if (l->in >= l->height) return;
    const uint32_t patches = patches_of(l->width);
    for (uint32_t p = 0; p < patches; p++) l->equal_rows[p] = l->same[p] ? l->equal_rows[p] + 1 : 0;
    fill_ring(s, l);
    l->in++;
    for (; l->out + HALF < l->in || (l->in == l->height && l->out < l->height); l->out++) {
      const uint32_t *last = find_parts(s, l, l->out);
      if (l->out + HALF >= l->height) fill_below(s, l, (l->out + HALF) % TAPS);
      if (k == 0) fill_missing(s, last);
      for (int c = 0; last > s->ends && c < 3; c++)
        if (l->ring[c]) add_row(s, l, c, l->out, last);
    }
    if (k + 1 >= s->scales) return;
    const bool lower = !(l->in & 1);
    if (!lower && l->in < l->height) {
      float *const row = l->upper;
      uint8_t *const same = l->upper_same;
      l->upper = l->linear, l->linear = row;
      l->upper_same = l->same, l->same = same;
      return;
    }
    halve_same(l, lower, l + 1);
    halve(l, lower ? l->upper : l->linear, l + 1);
  }
}

typedef struct {
  double sum[6], pixels;
} Part;

/* Returns the score from the six means of each channel and scale. The weights of a channel start `stride` scales after
 * those of the channel before. */
static double scored(int scales, int stride, Part part[3][SCALES]) {
  double total = 0;
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < scales; k++)
      for (int norm = 0; norm < 2; norm++)
        for (int map = 0; map < 3; map++) {
          const double mean = part[c][k].sum[map * 2 + norm] / part[c][k].pixels;
          total += WEIGHT[(c * stride + k) * 6 + norm * 3 + map] * (norm ? sqrt(sqrt(mean)) : mean);
        }
  total *= .9562382616834844;
  total =
      2.326765642916932 * total - .020884521182843837 * total * total + 6.248496625763138e-05 * total * total * total;
  return total > 0 ? 100 - 10 * pow(total, .6276336467831387) : 100;
}

double score_result(const Score *s) {
  Part part[3][SCALES];
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < s->scales; k++) {
      memcpy(part[c][k].sum, s->scale[k].sum[c], sizeof part[c][k].sum);
      part[c][k].pixels = (double)s->scale[k].width * s->scale[k].height;
    }
  return scored(s->scales, s->stride, part);
}

/* Returns how many columns or rows of a scale lie in tile `at`. */
static uint32_t within(uint32_t length, uint32_t at, uint32_t side) {
  return length > at * side ? (length - at * side < side ? length - at * side : side) : 0;
}

/* Returns the score of tile (column, row); INFINITY: the tile has less than half its width or height. */
static double score_of_tile(const ScoreTile *tile, int scales, uint32_t width, uint32_t height, uint32_t column,
                            uint32_t row) {
  Part part[3][SCALES];
  for (int k = 0; k < scales; k++, width = (width + 1) / 2, height = (height + 1) / 2) {
    const uint32_t side = SCORE_TILE >> k, across = within(width, column, side), down = within(height, row, side);
    if (!k && (across < SCORE_TILE / 2 || down < SCORE_TILE / 2)) return INFINITY;
    for (int c = 0; c < 3; c++) {
      for (int i = 0; i < 6; i++) part[c][k].sum[i] = tile->sum[c][k][i];
      part[c][k].pixels = (double)across * down;
    }
  }
  return scored(scales, SCALES, part);
}

static void score_tile(Score *s, uint32_t column, uint32_t row) {
  ScoreTile tile;
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < SCALES; k++) {
      const float *sums = s->scale[k].tiles[c];
      if (sums)
        memcpy(tile.sum[c][k], sums + ((size_t)(row % TILE_ROWS) * s->tiles_across + column) * 6,
               sizeof tile.sum[c][k]);
      else memset(tile.sum[c][k], 0, sizeof tile.sum[c][k]);
    }
  s->worst_tile =
      fmin(s->worst_tile, score_of_tile(&tile, s->scales, s->scale[0].width, s->scale[0].height, column, row));
  if (s->keep.to && column - s->keep.column < s->keep.columns && row - s->keep.row < s->keep.rows)
    s->keep.to[(size_t)(row - s->keep.row) * s->keep.stride + (column - s->keep.column)] = tile;
}

void score_keep_tiles(Score *s, ScoreTile *to, uint32_t stride, uint32_t column, uint32_t row, uint32_t columns,
                      uint32_t rows) {
  s->keep.to = to, s->keep.stride = stride;
  s->keep.column = column, s->keep.row = row, s->keep.columns = columns, s->keep.rows = rows;
}

double score_of_tiles(const ScoreTile *tiles, uint32_t width, uint32_t height, double *worst_tile) {
  const uint32_t across = (width + SCORE_TILE - 1) / SCORE_TILE, down = (height + SCORE_TILE - 1) / SCORE_TILE;
  const int scales = score_scales(width, height);
  Part part[3][SCALES] = {0};
  *worst_tile = INFINITY;
  for (uint32_t row = 0; row < down; row++)
    for (uint32_t column = 0; column < across; column++, tiles++) {
      *worst_tile = fmin(*worst_tile, score_of_tile(tiles, scales, width, height, column, row));
      for (int c = 0; c < 3; c++)
        for (int k = 0; k < scales; k++)
          for (int i = 0; i < 6; i++) part[c][k].sum[i] += tiles->sum[c][k][i];
    }
  for (int k = 0; k < scales; k++, width = (width + 1) / 2, height = (height + 1) / 2)
    for (int c = 0; c < 3; c++) part[c][k].pixels = (double)width * height;
  const double score = scored(scales, scales, part);
  if (!isfinite(*worst_tile)) *worst_tile = score;
  return score;
}

/* Scores the tile rows that are complete at every scale, and clears their sums. */
static void score_whole_tiles(Score *s) {
  for (;;) {
    const uint32_t row = s->tile_rows;
    if (row * SCORE_TILE >= s->scale[0].height) return;
    for (int k = 0; k < s->scales; k++) {
      const uint32_t end = (row + 1) * (SCORE_TILE >> k), height = s->scale[k].height;
      if (s->scale[k].out < (end < height ? end : height)) return;
    }
    for (uint32_t column = 0; column < s->tiles_across; column++) score_tile(s, column, row);
    for (int k = 0; k < s->scales; k++)
      for (int c = 0; c < 3; c++)
        if (s->scale[k].tiles[c])
          memset(s->scale[k].tiles[c] + (size_t)(row % TILE_ROWS) * s->tiles_across * 6, 0,
                 s->tiles_across * 6 * sizeof(float));
    s->tile_rows++;
  }
}

double score_worst_tile(const Score *s) {
  return s->tiles_across && isfinite(s->worst_tile) ? s->worst_tile : score_result(s);
}

static bool equal_pixels(const uint32_t *a, const uint32_t *b, uint32_t n) {
  uint32_t differ = 0;
  for (uint32_t i = 0; i < n; i++) differ |= a[i] ^ b[i];
  return !differ;
}

void score_row(Score *s, const uint32_t *a, const uint32_t *b, uint32_t behind) {
  Scale *l = &s->scale[0];
  float *const one = l->linear, *const other = one + (size_t)3 * l->padded;
  for (uint32_t x = 0; x < l->width; x += PATCH)
    l->same[x / PATCH] = equal_pixels(a + x, b + x, l->width - x < PATCH ? l->width - x : PATCH);
  memcpy(s->raw + (size_t)(l->in % TAPS) * l->width, a, (size_t)l->width * sizeof *a);
  s->behind = behind;
  lay(s, a, 0, l->width, behind, one);
  for (uint32_t x = 0, to; x < l->width; x = to) {
    to = end_of_alike(l, x);
    if (!l->same[x / PATCH]) lay(s, b, x, to, behind, other);
    else
      for (size_t c = 0; c < 3; c++) memcpy(other + c * l->padded + x, one + c * l->padded + x, (to - x) * sizeof *one);
  }
  row_came(s, 0);
  if (s->tiles_across) score_whole_tiles(s);
}
