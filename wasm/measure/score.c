/* Own implementation of the SSIMULACRA 2.1 definition. Weights and constants are those of the crate ssimulacra2 0.5.1
 * (BSD-2-Clause, see ../png/LICENSE.ssimulacra2). The definition blurs with a "recursive" Gaussian (Charalampidis 2016,
 * truncated cosines, sigma 1.5), but its impulse response is finite: nine taps. So each scale needs a ring buffer of
 * nine rows, and passes rows of half the size to the next scale. Outside the picture, samples and their products are
 * 0. */
#include "score.h"

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

typedef float v4 __attribute__((vector_size(16), aligned(4)));
typedef int32_t i4 __attribute__((vector_size(16), aligned(4)));

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

static const float tap[HALF + 1] = {.264621105f, .212928592f, .109335373f, .036011115f, .009414368f};

typedef struct {
  uint32_t width, height, padded, in, out;
  float *ring[3];              /* TAPS rows of QUANTITIES times `padded` values, for each channel used at this scale */
  float *linear;               /* newest row in linear light: red, green and blue of both pictures */
  float *upper;                /* previous row in linear light, while a pair of rows is incomplete */
  uint8_t *same, *upper_same;  /* for each patch of the newest row, and of `upper`: true if both pictures are equal */
  uint32_t *equal_rows;        /* for each patch: number of rows up to the newest one in which both pictures are equal */
  double sum[3][6];
  float *tiles[3]; /* TILE_ROWS rows of six sums per tile; NULL: no tile scores */
} Scale;

struct Score {
  Scale scale[SCALES];
  int scales;
  /* scales of the whole picture; the weights of a channel start at this offset after those of the channel before */
  int stride;
  float to_linear[256];
  float *zeros, *down;
  /* Pixels of the last nine rows of the largest scale. Where both pictures are equal, quantities are only computed if a
   * term needs them. For each patch: one bit for each row of the ring whose quantities are missing. */
  uint32_t *raw, behind;
  uint16_t *missing;
  float *laid;    /* a row of missing pixels in linear light */
  uint32_t *ends; /* first and last column of each part of a row whose terms are computed */
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
  for (int i = 0; i < 256; i++) {
    const double v = i / 255.;
    s->to_linear[i] = (float)(v <= .04045 ? v / 12.92 : pow((v + .055) / 1.055, 2.4));
  }
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
  s->zeros = row_room(&good, s->scale[0].padded, QUANTITIES);
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
  free(s->zeros), free(s->down), free(s->ends), free(s->raw), free(s->missing), free(s->laid);
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
  s->zeros = copied(&good, s->zeros, s->scale[0].padded, QUANTITIES);
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

static inline v4 load(const float *p) { return *(const v4 *)p; }
static inline void store(float *p, v4 v) { *(v4 *)p = v; }
static inline v4 positive(v4 v) { return (v4)((i4)v & (v > 0)); }

static inline bool all_equal(v4 a, v4 b) {
  const i4 equal = (i4)a == (i4)b;
  return (equal[0] & equal[1] & equal[2] & equal[3]) != 0;
}

static inline v4 cube_root(v4 x) { /* first approximation by the exponent, then two Halley iterations */
  v4 y = (v4)(__builtin_convertvector(__builtin_convertvector((i4)x, v4) * (1.f / 3), i4) + 0x2a5137a0);
  for (int k = 0; k < 2; k++) {
    const v4 cube = y * y * y;
    y = y * (cube + 2 * x) / (2 * cube + x);
  }
  return y;
}

#define BIAS .0037930732552754493f
#define BIAS_ROOT .15595420054924863f
/* Converts columns `from` to `to` of linear RGB to XYB. X and B - Y are skipped if they have no output row. */
static void to_xyb(const float *rgb, uint32_t padded, uint32_t from, uint32_t to, float *const out[3]) {
  v4 before[3] = {0};
  for (uint32_t i = from; i < to; i += 4) {
    const v4 r = load(rgb + i), g = load(rgb + padded + i), b = load(rgb + 2 * padded + i);
    if (i > from && all_equal(r, before[0]) && all_equal(g, before[1]) && all_equal(b, before[2])) {
      for (int c = 0; c < 3; c++)
        if (out[c]) store(out[c] + i, load(out[c] + i - 4));
      continue;
    }
    before[0] = r, before[1] = g, before[2] = b;
    const v4 l = cube_root(.3f * r + .622f * g + .078f * b + BIAS);
    const v4 m = cube_root(.23f * r + .692f * g + .078f * b + BIAS);
    const v4 y = .5f * (l + m) - BIAS_ROOT;
    if (out[0]) store(out[0] + i, .5f * (l - m) * 14 + .42f);
    if (out[1]) store(out[1] + i, y + .01f);
    if (!out[2]) continue;
    const v4 s = cube_root(.24342268924547819f * r + .20476744424496821f * g + .5518098665095536f * b + BIAS);
    store(out[2] + i, s - BIAS_ROOT - y + .55f);
  }
}

/* Blurs columns `from` to `to` of row `at` vertically, and the columns that their terms reach. */
static void blur_down(const Score *s, const Scale *l, int c, uint32_t at, uint32_t from, uint32_t to) {
  const uint32_t first = from < SIDE ? 0 : from - SIDE, end = to + SIDE < l->width ? to + SIDE : l->width;
  const float *row[TAPS];
  for (int k = 0; k < TAPS; k++) {
    const int64_t y = (int64_t)at - HALF + k;
    row[k] = y < 0 || y >= l->height ? s->zeros : l->ring[c] + (size_t)(y % TAPS) * QUANTITIES * l->padded;
  }
  for (int q = 0; q < QUANTITIES; q++) {
    const size_t start = (size_t)q * l->padded;
    float *out = s->down + start + SIDE;
    for (uint32_t x = first; x < end; x += 4) {
      const size_t i = start + x;
      store(out + x, tap[0] * load(row[4] + i) + tap[1] * (load(row[3] + i) + load(row[5] + i)) +
                         tap[2] * (load(row[2] + i) + load(row[6] + i)) +
                         tap[3] * (load(row[1] + i) + load(row[7] + i)) +
                         tap[4] * (load(row[0] + i) + load(row[8] + i)));
    }
    memset(out + l->width, 0, SIDE * sizeof *out);
    memset(out - SIDE, 0, SIDE * sizeof *out);
  }
}

static inline v4 along(const float *r) {
  return tap[0] * load(r) + tap[1] * (load(r - 1) + load(r + 1)) + tap[2] * (load(r - 2) + load(r + 2)) +
         tap[3] * (load(r - 3) + load(r + 3)) + tap[4] * (load(r - 4) + load(r + 4));
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

/* Adds the parts between `ends` and `last` of row `at` to the sums; all its neighbouring rows must be present. */
static void add_row(Score *s, Scale *l, int c, uint32_t at, const uint32_t *last) {
  const float *row = l->ring[c] + (size_t)(at % TAPS) * QUANTITIES * l->padded;
  const float *m1 = s->down + SIDE, *m2 = m1 + l->padded, *ss = m2 + l->padded, *dd = ss + l->padded;
  const uint32_t side = SCORE_TILE >> (l - s->scale);
  float *tiles = l->tiles[c] ? l->tiles[c] + (size_t)(at / side % TILE_ROWS) * s->tiles_across * 6 : NULL;
  float *tile = tiles;
  v4 sum[6] = {0};
  for (const uint32_t *ends = s->ends; ends < last; ends += 2) {
    blur_down(s, l, c, at, ends[0], ends[1]);
    for (uint32_t x = ends[0]; x < ends[1]; x += 4) {
      if (tiles && tile != tiles + x / side * 6) {
        end_tile(l, c, tile, sum);
        tile = tiles + x / side * 6;
      }
      const v4 a = along(m1 + x), b = along(m2 + x), squares = along(ss + x), squared = along(dd + x);
      const v4 m = (a - b) * (a - b), variance = squared - m, all = squares - a * a - b * b + .0009f;
      const v4 ex = load(row + x) - a, ey = load(row + l->padded + x) - b;
      const v4 e1 = 1 + (v4)((i4)ey & 0x7fffffff), e2 = 1 + (v4)((i4)ex & 0x7fffffff), e = e1 / e2 - 1;
      v4 term[3] = {positive((variance + m * (all - variance)) / all), positive(e), positive(-e)};
      for (int t = 0; t < 3; t++) {
        if (x + 4 > l->width) term[t] = (v4)((i4)term[t] & ((i4){0, 1, 2, 3} < (int32_t)(l->width - x)));
        sum[2 * t] += term[t];
        const v4 square = term[t] * term[t];
        sum[2 * t + 1] += square * square;
      }
    }
  }
  end_tile(l, c, tile, sum);
}

static inline uint32_t over(uint32_t value, uint32_t alpha, uint32_t behind) {
  return (value * alpha + behind * (255 - alpha) + 127) / 255;
}

/* Writes columns `from` to `to` in linear light, composited. */
static void lay(const Score *s, const uint32_t *px, uint32_t from, uint32_t to, uint32_t behind, float *linear) {
  const uint32_t padded = s->scale[0].padded;
  float *const r = linear, *const g = r + padded, *const b = g + padded;
  for (uint32_t i = from; i < to; i++) {
    if (i > from && px[i] == px[i - 1]) {
      r[i] = r[i - 1], g[i] = g[i - 1], b[i] = b[i - 1];
      continue;
    }
    const uint32_t c = px[i], alpha = c >> 24, rgb[3] = {c & 255, c >> 8 & 255, c >> 16 & 255};
    const bool opaque = alpha == 255;
    r[i] = s->to_linear[opaque ? rgb[0] : over(rgb[0], alpha, behind)];
    g[i] = s->to_linear[opaque ? rgb[1] : over(rgb[1], alpha, behind)];
    b[i] = s->to_linear[opaque ? rgb[2] : over(rgb[2], alpha, behind)];
  }
}

/* Computes the quantities of columns `from` to `to` in a row of the ring, from their linear light. `same`: both pictures
 * are equal there. */
static void fill_part(const Scale *l, uint32_t slot, const float *linear, bool same, uint32_t from, uint32_t to) {
  float *of[2][3];
  for (int c = 0; c < 3; c++) {
    float *row = l->ring[c] ? l->ring[c] + (size_t)slot * QUANTITIES * l->padded : NULL;
    of[0][c] = row;
    of[1][c] = row ? row + l->padded : NULL;
  }
  for (int p = 0; p < (same ? 1 : 2); p++) to_xyb(linear + (size_t)3 * p * l->padded, l->padded, from, to, of[p]);
  for (int c = 0; c < 3; c++) {
    float *row = of[0][c];
    if (!row) continue;
    for (uint32_t x = from; x < to; x += 4) {
      const v4 a = load(row + x), b = same ? a : load(row + l->padded + x);
      if (same) store(row + l->padded + x, a);
      store(row + SQUARES * l->padded + x, a * a + b * b);
      store(row + SQUARED * l->padded + x, (a - b) * (a - b));
    }
  }
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
  for (; i + 4 <= end; i += 4) {
    const v4 a1 = load(a + 2 * i), a2 = load(a + 2 * i + 4), b1 = load(b + 2 * i), b2 = load(b + 2 * i + 4);
    store(out + i,
          .25f * (__builtin_shufflevector(a1, a2, 0, 2, 4, 6) + __builtin_shufflevector(a1, a2, 1, 3, 5, 7) +
                  __builtin_shufflevector(b1, b2, 0, 2, 4, 6) + __builtin_shufflevector(b1, b2, 1, 3, 5, 7)));
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
    const uint32_t first = ends[0] ? ends[0] / PATCH - 1 : 0, end = ends[1] + SIDE < l->width ? ends[1] + SIDE : l->width;
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
      if (k == 0) fill_missing(s, last);
      for (int c = 0; last > s->ends && c < 3; c++)
        if (l->ring[c]) add_row(s, l, c, l->out, last);
    }
    if (k + 1 >= s->scales) return;
    const bool lower = !(l->in & 1);
    if (!lower && l->in < l->height) {
      memcpy(l->upper, l->linear, (size_t)6 * l->padded * sizeof *l->upper);
      memcpy(l->upper_same, l->same, patches);
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
      for (size_t c = 0; c < 3; c++)
        memcpy(other + c * l->padded + x, one + c * l->padded + x, (to - x) * sizeof *one);
  }
  row_came(s, 0);
  if (s->tiles_across) score_whole_tiles(s);
}
