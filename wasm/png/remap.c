/* Pixels to palette indices, and trials on a sample of the picture. */
#include "engine.h"

#include <wasm_simd128.h>

static float tolerance;   /* squared distance that a repeated index may cost beyond the nearest colour */
static u8 *indices_above;
static bool have_above;

/* Candidates per cell of 16 x 16 x 16 over opaque colours, made when a cell is first met: those that are nearest somewhere
 * in the cell. 255 stands for "too many: look at all". */
#define CELLS 4096
#define CANDIDATES 63
#define ALL 255
static u8 *cell_lists;
static const float cell_low[3] = {-128.f, -70.f, -70.f}, cell_size[3] = {16.f, 8.75f, 8.75f};

static void cell_build(u8 *list, const int *cell) {
  float low[3], least = 1e30f;
  for (int c = 0; c < 3; c++) low[c] = cell_low[c] + cell[c] * cell_size[c];
  for (int i = 0; i < palette_used; i++) { /* the smallest of the largest distances */
    float d = palette_xyz[3][i] - 127.5f, far = d * d;
    for (int c = 0; c < 3; c++) {
      float a = fabsf(palette_xyz[c][i] - low[c]), b = fabsf(palette_xyz[c][i] - low[c] - cell_size[c]);
      far += a > b ? a * a : b * b;
    }
    if (far < least) least = far;
  }
  int count = 0;
  for (int i = 0; i < palette_used; i++) { /* whoever may come closer than that */
    float d = palette_xyz[3][i] - 127.5f, near = d * d;
    for (int c = 0; c < 3; c++) {
      float t = palette_xyz[c][i] - low[c], e = t < 0 ? -t : t > cell_size[c] ? t - cell_size[c] : 0;
      near += e * e;
    }
    if (near > least) continue;
    if (count == CANDIDATES) {
      list[0] = ALL;
      return;
    }
    list[1 + count++] = i;
  }
  list[0] = count;
}

typedef float v4f __attribute__((vector_size(16)));
static v4f palette_points[256]; /* palette_xyz, entry by entry */

static inline float distance_to(v4f x, int i) {
  v4f d = palette_points[i] - x;
  d *= d;
  return (d[0] + d[1]) + (d[2] + d[3]);
}

static int nearest_opaque(v4f point, float *distance) {
  const float *x = (const float *)&point;
  int cell[3];
  for (int c = 0; c < 3; c++) {
    float at = (x[c] - cell_low[c]) / cell_size[c];
    if (at < 0 || at >= 16) return nearest_colour(x, distance);
    cell[c] = (int)at;
  }
  u8 *list = cell_lists + (size_t)(cell[0] << 8 | cell[1] << 4 | cell[2]) * (CANDIDATES + 1);
  if (!list[0]) cell_build(list, cell);
  if (list[0] == ALL) return nearest_colour(x, distance);
  float best = 1e30f;
  int winner = 0;
  for (int k = 1; k <= list[0]; k++) {
    float d = distance_to(point, list[k]);
    if (d < best) {
      best = d;
      winner = list[k];
    }
  }
  *distance = best;
  return winner;
}

/* The nearest entries of colours that were met. */
#define KNOWN_BITS 15
typedef struct { v4f at; u32 colour; float distance; u8 nearest; } Known;
static Known *known;

static const Known *look_up(u32 colour) {
  Known *k = known + ((colour * 0x9E3779B1u) >> (32 - KNOWN_BITS));
  if (k->colour == colour) return k;
  k->colour = colour;
  to_coordinates(colour & 255, colour >> 8 & 255, colour >> 16 & 255, colour >> 24, (float *)&k->at);
  k->nearest = colour >> 24 == 255 ? nearest_opaque(k->at, &k->distance) : nearest_colour((const float *)&k->at, &k->distance);
  return k;
}

/* What is known stays while the palette does: trials differ in their tolerance more often. */
static bool palette_is_known(void) {
  static int used;
  bool same = known && used == palette_used;
  used = palette_used;
  for (int i = 0; i < palette_used; i++)
    for (int c = 0; c < COORDINATES; c++) {
      same &= palette_points[i][c] == palette_xyz[c][i];
      palette_points[i][c] = palette_xyz[c][i];
    }
  return same;
}

/* How far (in multiples of the palette's own error) a pixel may stray to repeat its left or upper neighbour's index. */
EXPORT(set_tolerance) void set_tolerance(double multiple) { tolerance = (float)(multiple * predicted_mse); }

void remap_begin(void) {
  if (!palette_is_known()) {
    if (!cell_lists) cell_lists = allocate(CELLS * (CANDIDATES + 1));
    memset(cell_lists, 0, CELLS * (CANDIDATES + 1));
    if (!known) known = allocate(sizeof *known << KNOWN_BITS);
    for (u32 i = 0; i < 1u << KNOWN_BITS; i++) known[i].colour = 0x00ffffff; /* no colour that is looked up */
  }
  free(indices_above);
  indices_above = zeroed(source.width + 4);
  have_above = false;
}

static inline bool goes_on(const u32 *px, u32 colour, const u8 *above, u8 index) {
  if (!wasm_i32x4_all_true(wasm_i32x4_eq(wasm_v128_load(px), wasm_u32x4_splat(colour)))) return false;
  u32 four;
  if (!above) return true;
  memcpy(&four, above, 4);
  return four == index * 0x01010101u;
}

void remap_row(const u32 *px, u32 width, u8 *indices) {
  const Known *at = NULL;
  int left = -1;
  for (u32 i = 0; i < width; i++) {
    u32 c = px[i] >> 24 ? px[i] : 0;
    if (!at || c != at->colour) at = look_up(c);
    int index = at->nearest;
    if (tolerance > 0 && c) {
      float limit = at->distance + tolerance;
      if (left >= 0 && left != index) {
        float d = distance_to(at->at, left);
        if (d < limit) {
          limit = d;
          index = left;
        }
      }
      if (have_above && indices_above[i] != at->nearest && distance_to(at->at, indices_above[i]) < limit) index = indices_above[i];
    }
    indices[i] = left = index;
    /* The same colour goes on, and what is above would not be chosen either. */
    if (index == at->nearest)
      while (i + 5 <= width && goes_on(px + i + 1, px[i], have_above ? indices_above + i + 1 : NULL, index)) {
        memset(indices + i + 1, index, 4);
        i += 4;
      }
  }
  memcpy(indices_above, indices, width);
  have_above = true;
}

/* ---- a sample of the picture, for trials without reading it again ---- */

#define SAMPLE_PIXELS (3u << 17) /* 1.5 MB */
#define GROUP_ROWS 32u

static u32 *sample;
static u32 sample_rows, sample_room, group_rows, groups, groups_wanted;
static u32 sample_alpha; /* the alphas of all its pixels, and-ed */

/* Beside the sample: the blocks in which most colours are met first. What a palette spoils is rare, and a sample of rows
 * would miss it. */
#define BLOCK 32u
#define HARD_BLOCKS 64
#define WIDEST 16384u
static u32 *hard_blocks, *block_rows; /* BLOCK rows of the picture */
static u16 *new_colours;              /* by column of blocks */
static u16 hardness[HARD_BLOCKS];

static void hard_begin(void) {
  free(block_rows), free(new_colours);
  block_rows = NULL, new_colours = NULL;
  memset(hardness, 0, sizeof hardness);
  if (source.width < BLOCK || source.width > WIDEST || source.height < BLOCK) return;
  if (!hard_blocks) hard_blocks = allocate(HARD_BLOCKS * BLOCK * BLOCK * 4);
  block_rows = allocate((size_t)BLOCK * source.width * 4);
  new_colours = zeroed((source.width / BLOCK + 1) * sizeof *new_colours);
}

void sample_new_colour(u32 x) {
  if (new_colours && new_colours[x / BLOCK] < 65535) new_colours[x / BLOCK]++;
}

static void hard_row(const u32 *px, u32 y) {
  if (!block_rows) return;
  memcpy(block_rows + (size_t)(y % BLOCK) * source.width, px, (size_t)source.width * 4);
  if (y % BLOCK != BLOCK - 1) return;
  for (u32 b = 0; (b + 1) * BLOCK <= source.width; b++) {
    int least = 0;
    for (int k = 1; k < HARD_BLOCKS; k++)
      if (hardness[k] < hardness[least]) least = k;
    if (new_colours[b] > hardness[least]) {
      hardness[least] = new_colours[b];
      for (u32 r = 0; r < BLOCK; r++)
        memcpy(hard_blocks + ((size_t)least * BLOCK + r) * BLOCK, block_rows + (size_t)r * source.width + b * BLOCK, BLOCK * 4);
    }
  }
  memset(new_colours, 0, (source.width / BLOCK + 1) * sizeof *new_colours);
}

/* Squared errors of a pixel over black or white: luma, and the sum over red, green and blue. */
static void pixel_errors(u32 a, u32 b, float white, float *luma, float *rgb) {
  const float ca = (a >> 24) * (1 / 255.f), cb = (b >> 24) * (1 / 255.f), base = white * (cb - ca);
  float e[3];
  for (int c = 0; c < 3; c++) e[c] = (a >> (8 * c) & 255) * ca - (b >> (8 * c) & 255) * cb + base;
  const float y = .299f * e[0] + .587f * e[1] + .114f * e[2];
  *luma += y * y;
  *rgb += e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
}

/* Makes the figures of the worst block those of the worst hard block, where that is worse. */
static void hard_trial(Quality *q) {
  u8 indices[BLOCK];
  if (!block_rows) return;
  for (int k = 0; k < HARD_BLOCKS && hard_blocks; k++) {
    if (!hardness[k]) continue;
    float luma[2] = {0}, rgb[2] = {0};
    have_above = false;
    for (u32 r = 0; r < BLOCK; r++) {
      const u32 *px = hard_blocks + ((size_t)k * BLOCK + r) * BLOCK;
      remap_row(px, BLOCK, indices);
      for (u32 i = 0; i < BLOCK; i++)
        for (int w = 0; w < 2; w++) pixel_errors(px[i], layout.palette[indices[i]], w ? 255.f : 0, luma + w, rgb + w);
    }
    for (int w = 0; w < 2; w++) {
      if (luma[w] / (BLOCK * BLOCK) > q->block_luma_mse) q->block_luma_mse = luma[w] / (BLOCK * BLOCK);
      if (rgb[w] / (3 * BLOCK * BLOCK) > q->block_rgb_mse) q->block_rgb_mse = rgb[w] / (3 * BLOCK * BLOCK);
    }
  }
}

void sample_begin(void) {
  hard_begin();
  free(sample);
  u32 room_rows = SAMPLE_PIXELS / source.width;
  if (room_rows < 16) room_rows = 16;
  if (room_rows > source.height) room_rows = source.height;
  group_rows = room_rows < GROUP_ROWS ? room_rows : GROUP_ROWS;
  groups = (source.height + group_rows - 1) / group_rows;
  groups_wanted = room_rows == source.height ? groups : room_rows / group_rows;
  sample_room = room_rows;
  sample_rows = 0;
  sample_alpha = 0xff000000u;
  sample = allocate((size_t)sample_room * source.width * 4);
}

/* Whole groups, evenly spread. */
void sample_row(const u32 *px, u32 width, u32 y) {
  hard_row(px, y);
  const u64 group = y / group_rows;
  if (group && group * groups_wanted / groups == (group - 1) * groups_wanted / groups) return;
  if (sample_rows >= sample_room) return;
  memcpy(sample + (size_t)sample_rows++ * source.width, px, (size_t)width * 4);
  for (u32 i = 0; i < width; i++) sample_alpha &= px[i];
}

/* Rows of windows that SSIM leaves out in trials. */
#define TRIAL_EVERY 4

static Quality trial_quality;

static bool at_gap(u32 y) { return y % group_rows == 0 && groups_wanted < groups; } /* else the sample is the picture */

/* Maps the sample to the palette and measures: trial_fact. */
EXPORT(trial) void trial(void) {
  Measure *m = measure_open(source.width, sample_alpha != 0xff000000u);
  u8 *indices = allocate(source.width + 4);
  u32 *mapped = allocate((size_t)source.width * 4);
  if (!m) host_fail(FAIL_MEMORY, "no memory to measure with");
  measure_every(m, TRIAL_EVERY);
  remap_begin();
  for (u32 y = 0; y < sample_rows; y++) {
    const u32 *px = sample + (size_t)y * source.width;
    if (at_gap(y)) measure_break(m);
    remap_row(px, source.width, indices);
    for (u32 i = 0; i < source.width; i++) mapped[i] = layout.palette[indices[i]];
    measure_row(m, px, mapped);
  }
  measure_break(m);
  trial_quality = measure_result(m);
  if (groups_wanted < groups) hard_trial(&trial_quality);
  measure_close(m);
  free(indices), free(mapped);
}

/* Bytes of the sample, mapped to the palette and deflated; or plain, if not `mapped`. `gray`: with alpha, without colour. */
EXPORT(trial_bytes) double trial_bytes(bool mapped, bool gray) {
  if (!mapped) layout_set(gray ? GRAY_ALPHA : sample_alpha == 0xff000000u ? RGB : RGB_ALPHA, 8);
  u8 *indices = allocate(source.width + 4), *packed = allocate((size_t)source.width * 4 + 64);
  if (mapped) remap_begin();
  encode_begin(true);
  encode_frame(source.width, sample_rows);
  encode_rows_begin(source.width);
  for (u32 y = 0; y < sample_rows; y++) {
    const u32 *px = sample + (size_t)y * source.width;
    if (mapped) {
      remap_row(px, source.width, indices);
      pack_indices(indices, source.width, packed);
    } else {
      pack_direct(px, source.width, packed);
    }
    encode_row(packed);
  }
  encode_frame_end();
  free(indices), free(packed);
  return (double)encoded_bytes;
}
/* Of the last trial: 0 SSIM, 1 luma MSE, 2 RGB MSE, 3 and 4 those of the worst block; 5 the share of the rows in it. */
EXPORT(trial_fact) double trial_fact(int what) {
  switch (what) {
    case 0: return trial_quality.ssim;
    case 1: return trial_quality.luma_mse;
    case 2: return trial_quality.rgb_mse;
    case 3: return trial_quality.block_luma_mse;
    case 4: return trial_quality.block_rgb_mse;
    default: return (double)sample_rows / source.height;
  }
}
