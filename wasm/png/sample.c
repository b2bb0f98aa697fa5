/* A sample of the picture, for trials without reading it again. */
#include "remap.h"

#include <wasm_simd128.h>

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

/* Adds the squared errors of a pixel over black and over white: luma, and the sum over red, green and blue. */
static void pixel_errors(u32 a, u32 b, float luma[2], float rgb[2]) {
  if (a == b) return;
  const bool opaque = (a & b) >> 24 == 255;
  const float ca = (a >> 24) * (1 / 255.f), cb = (b >> 24) * (1 / 255.f);
  for (int w = 0; w < 2; w++) {
    const float base = w ? 255.f * (cb - ca) : 0;
    float e[3];
    for (int c = 0; c < 3; c++) e[c] = (a >> (8 * c) & 255) * ca - (b >> (8 * c) & 255) * cb + base;
    const float y = .299f * e[0] + .587f * e[1] + .114f * e[2], squares = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    luma[w] += y * y;
    rgb[w] += squares;
    if (!opaque) continue;
    luma[1] += y * y; /* what is behind does not show */
    rgb[1] += squares;
    return;
  }
}

/* ---- its colours by number: what is nearest is found out once for each ---- */

#define MOST_NUMBERED 65536u
static u16 *numbers; /* of the sample's pixels, then of the hard blocks'; NULL: there are too many colours */
static u32 numbered; /* colours; the first is what nobody sees */
static u32 *numbered_colour;
static v4f *numbered_at;
static u8 *numbered_nearest;
static bool numbers_tried;
static u32 nearest_version;

static void numbers_forget(void) {
  free(numbers), free(numbered_colour), free(numbered_at), free(numbered_nearest);
  numbers = NULL, numbered_colour = NULL, numbered_at = NULL, numbered_nearest = NULL;
  numbers_tried = false;
}

#define NUMBER_SLOTS (1u << 17)
static u16 *number_slots;
static u32 number_room;

static bool number_pixels(const u32 *px, u32 count, u16 *out) {
  for (u32 i = 0; i < count; i++) {
    if (i && px[i] == px[i - 1]) {
      out[i] = out[i - 1];
      continue;
    }
    if (!(px[i] >> 24)) {
      out[i] = 0;
      continue;
    }
    u32 h = (px[i] * 0x9E3779B1u) >> 15;
    while (number_slots[h] && numbered_colour[number_slots[h]] != px[i]) h = (h + 1) & (NUMBER_SLOTS - 1);
    if (!number_slots[h]) {
      if (numbered == MOST_NUMBERED) return false;
      if (numbered == number_room && !(numbered_colour = realloc(numbered_colour, (number_room *= 2) * sizeof(u32))))
        host_fail(FAIL_MEMORY, "no memory for colours");
      numbered_colour[numbered] = px[i];
      number_slots[h] = numbered++;
    }
    out[i] = number_slots[h];
  }
  return true;
}

static void number_sample(void) {
  if (numbers_tried) return;
  numbers_tried = true;
  const u32 pixels = sample_rows * source.width, hard = block_rows ? HARD_BLOCKS * BLOCK * BLOCK : 0;
  numbers = allocate((pixels + hard) * sizeof *numbers + 16);
  number_slots = zeroed(NUMBER_SLOTS * sizeof *number_slots);
  numbered_colour = zeroed((number_room = 1024) * sizeof(u32));
  numbered = 1;
  bool all = number_pixels(sample, pixels, numbers);
  for (u32 k = 0; k < HARD_BLOCKS && all && hard; k++)
    if (hardness[k])
      all = number_pixels(hard_blocks + (size_t)k * BLOCK * BLOCK, BLOCK * BLOCK, numbers + pixels + (size_t)k * BLOCK * BLOCK);
  free(number_slots);
  if (!all) {
    numbers_forget();
    numbers_tried = true;
    return;
  }
  numbered_at = allocate(numbered * sizeof *numbered_at);
  numbered_nearest = allocate(numbered);
  for (u32 i = 0; i < numbered; i++) {
    const u32 c = numbered_colour[i];
    to_coordinates(c & 255, c >> 8 & 255, c >> 16 & 255, c >> 24, (float *)&numbered_at[i]);
  }
  nearest_version = 0;
}

/* Whether each pixel gets the nearest colour, whatever stands beside it. */
static bool by_number(void) { return numbers && tolerance <= 0 && dither <= 0; }

static void sample_remap_begin(void) {
  number_sample();
  if (!by_number()) {
    remap_begin();
    return;
  }
  palette_follow();
  if (nearest_version == palette_version) return;
  nearest_version = palette_version;
  float distance;
  for (u32 i = 0; i < numbered; i++) numbered_nearest[i] = nearest_colour((const float *)&numbered_at[i], &distance);
}

static void remap_numbers(const u16 *row, u32 width, u8 *indices) {
  for (u32 i = 0; i < width; i++) indices[i] = numbered_nearest[row[i]];
}

/* Row y of the sample as indices. */
static void sample_remap(u32 y, u8 *indices) {
  const u32 n = source.width;
  if (by_number()) remap_numbers(numbers + (size_t)y * n, n, indices);
  else remap_row(sample + (size_t)y * n, n, indices);
}

/* Makes the figures of the worst block those of the worst hard block, where that is worse. */
static void hard_trial(Quality *q) {
  u8 indices[BLOCK];
  if (!block_rows) return;
  const u16 *n = by_number() ? numbers + (size_t)sample_rows * source.width : NULL;
  for (int k = 0; k < HARD_BLOCKS && hard_blocks; k++) {
    if (!hardness[k]) continue;
    float luma[2] = {0}, rgb[2] = {0};
    remap_break();
    for (u32 r = 0; r < BLOCK; r++) {
      const size_t at = ((size_t)k * BLOCK + r) * BLOCK;
      const u32 *px = hard_blocks + at;
      if (n) remap_numbers(n + at, BLOCK, indices);
      else remap_row(px, BLOCK, indices);
      for (u32 i = 0; i < BLOCK; i++) pixel_errors(px[i], layout.palette[indices[i]], luma, rgb);
    }
    for (int w = 0; w < 2; w++) {
      if (luma[w] / (BLOCK * BLOCK) > q->block_luma_mse) q->block_luma_mse = luma[w] / (BLOCK * BLOCK);
      if (rgb[w] / (3 * BLOCK * BLOCK) > q->block_rgb_mse) q->block_rgb_mse = rgb[w] / (3 * BLOCK * BLOCK);
    }
  }
}

void sample_begin(void) {
  hard_begin();
  numbers_forget();
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
static Seen shades_found, score_found;

static bool at_gap(u32 y) { return y % group_rows == 0 && groups_wanted < groups; } /* else the sample is the picture */

/* Squared distance from the palette from which a colour counts as missing. */
#define FAR 2.f

/* The colours of windows whose hue or lightness the palette changes weigh more from now on. */
static void weigh_watched(void) {
  u32 count;
  const ShadesWindow *windows = look_watched(&count);
  for (u32 i = 0; i < count; i++)
    for (u32 y = windows[i].y > 15 ? windows[i].y - 15 : 0; y < windows[i].y && y < sample_rows; y++)
      for (u32 x = windows[i].x; x < windows[i].x + 15 && x < source.width; x++) {
        const u32 c = sample[(size_t)y * source.width + x];
        float at[COORDINATES] __attribute__((aligned(16))), distance;
        to_coordinates(c & 255, c >> 8 & 255, c >> 16 & 255, c >> 24, at);
        nearest_colour(at, &distance);
        if (distance > FAR) weigh_up(c);
      }
}

static u8 *trial_indices; /* of the whole sample */
static u32 *trial_near;   /* or what it becomes */
static bool translucent(void) { return sample_alpha != 0xff000000u; }

/* Maps the sample to the palette, for the trials that measure. */
EXPORT(trial_map) void trial_map(void) {
  free(trial_indices), free(trial_near);
  trial_near = NULL;
  trial_indices = allocate((size_t)sample_rows * source.width + 16);
  sample_remap_begin();
  for (u32 y = 0; y < sample_rows; y++) sample_remap(y, trial_indices + (size_t)y * source.width);
}

/* Makes the sample one of rows near to it, in the form that is planned, for the same trials. Their deflated bytes. */
EXPORT(trial_come_near) double trial_come_near(void) {
  free(trial_indices);
  trial_indices = NULL;
  if (!trial_near) trial_near = allocate((size_t)sample_rows * source.width * 4);
  encode_begin(true);
  encode_frame(source.width, sample_rows);
  encode_rows_begin(source.width);
  near_begin();
  for (u32 y = 0; y < sample_rows; y++)
    encode_filtered(near_row(sample + (size_t)y * source.width, source.width, trial_near + (size_t)y * source.width));
  encode_frame_end();
  return (double)encoded_bytes;
}

static const u32 *mapped_row(u32 y, u32 *mapped) {
  if (trial_near) return trial_near + (size_t)y * source.width;
  if (!trial_indices) host_fail(FAIL_MISUSE, "no sample is mapped");
  const u8 *indices = trial_indices + (size_t)y * source.width;
  for (u32 i = 0; i < source.width; i++) mapped[i] = layout.palette[indices[i]];
  return mapped;
}

/* SSIM and PSNR of the mapped sample. */
EXPORT(trial_measure) void trial_measure(void) {
  Measure *m = new_measure(translucent());
  u32 *mapped = allocate((size_t)source.width * 4);
  measure_every(m, TRIAL_EVERY);
  for (u32 y = 0; y < sample_rows; y++) {
    if (at_gap(y)) measure_break(m);
    measure_row(m, sample + (size_t)y * source.width, mapped_row(y, mapped));
  }
  measure_break(m);
  trial_quality = measure_result(m);
  free(m);
  free(mapped);
  if (groups_wanted < groups && !trial_near) hard_trial(&trial_quality);
}

/* Casts and steps of the mapped sample. With limits, the next palette will come closer to colours of windows
 * where it is above them. */
EXPORT(trial_shades) void trial_shades(double most_cast, double most_steps) {
  u32 *mapped = allocate((size_t)source.width * 4);
  look_begin(sample_rows, translucent(), LOOK_SHADES);
  if (most_cast > 0) look_watch((float)most_cast, (float)most_steps);
  for (u32 y = 0; y < sample_rows; y++) {
    if (at_gap(y)) look_break();
    look_row(sample + (size_t)y * source.width, mapped_row(y, mapped));
  }
  shades_found = look_result();
  if (most_cast > 0) weigh_watched();
  look_end();
  free(mapped);
}

/* Its score and that of its worst tile, of a part that says enough. The score takes that for a picture, gaps and all. */
#define SCORED_PIXELS (1u << 17)
EXPORT(trial_score) void trial_score(void) {
  u32 *mapped = allocate((size_t)source.width * 4);
  u32 every = (u32)((u64)sample_rows * source.width / SCORED_PIXELS), rows = 0;
  if (!every) every = 1;
  for (u32 y = 0; y < sample_rows; y++) rows += y / GROUP_ROWS % every == 0;
  look_begin(rows, translucent(), LOOK_SCORE);
  for (u32 y = 0; y < sample_rows; y++)
    if (y / GROUP_ROWS % every == 0) look_row(sample + (size_t)y * source.width, mapped_row(y, mapped));
  score_found = look_result();
  look_end();
  free(mapped);
}

/* Bytes of the sample, mapped to the palette and deflated; or plain, if not `mapped`. `gray`: with alpha, without colour. Told from
 * one group of rows in `every`. */
EXPORT(trial_bytes) double trial_bytes(bool mapped, bool gray, u32 every) {
  if (!mapped) layout_set(gray ? GRAY_ALPHA : sample_alpha == 0xff000000u ? RGB : RGB_ALPHA, 8);
  u8 *indices = allocate((size_t)source.width + 4), *packed = allocate((size_t)source.width * 4 + 64);
  if (mapped) sample_remap_begin();
  if (sample_rows < 2 * every * group_rows) every = 1;
  u32 taken = 0;
  encode_begin(true);
  encode_frame(source.width, sample_rows);
  encode_rows_begin(source.width);
  for (u32 y = 0; y < sample_rows; y++) {
    if (y / group_rows % every != every / 2) continue;
    taken++;
    if (mapped) {
      sample_remap(y, indices);
      pack_indices(indices, source.width, packed);
    } else pack_direct(sample + (size_t)y * source.width, source.width, packed);
    encode_row(packed);
  }
  encode_frame_end();
  free(indices), free(packed);
  return (double)encoded_bytes * sample_rows / taken;
}
/* Of the last trials: 0 SSIM, 1 luma MSE, 2 RGB MSE, 3 and 4 those of the worst block; 5 the share of the rows in it;
 * 6 SSIMULACRA 2.1, 7 colour cast, 8 steps, 9 bands, 10 specks, 11 SSIMULACRA 2.1 of the worst tile. */
EXPORT(trial_fact) double trial_fact(int what) {
  switch (what) {
    case 0: return trial_quality.ssim;
    case 1: return trial_quality.luma_mse;
    case 2: return trial_quality.rgb_mse;
    case 3: return trial_quality.block_luma_mse;
    case 4: return trial_quality.block_rgb_mse;
    case 5: return (double)sample_rows / source.height;
    case 6:
    case 11: return seen_fact(&score_found, what);
    default: return seen_fact(&shades_found, what);
  }
}
