/* Pixels to palette indices. */
#include "remap.h"

#include <wasm_simd128.h>

float tolerance;
float dither;
v4f palette_points[256];
u32 palette_version;
static u8 *indices_above;
static bool have_above;

/* The nearest entries of colours that were met. */
#define KNOWN_BITS 15
typedef struct {
  v4f at;
  u32 colour;
  float distance;
  u8 nearest;
} Known;
static Known *known;

static const Known *look_up(u32 colour) {
  Known *k = known + ((colour * 0x9E3779B1u) >> (32 - KNOWN_BITS));
  if (k->colour == colour) return k;
  k->colour = colour;
  to_coordinates(colour & 255, colour >> 8 & 255, colour >> 16 & 255, colour >> 24, (float *)&k->at);
  k->nearest = nearest_colour((const float *)&k->at, &k->distance);
  return k;
}

void palette_follow(void) {
  static int used;
  bool same = palette_version && used == palette_used;
  used = palette_used;
  for (int i = 0; i < palette_used; i++)
    for (int c = 0; c < COORDINATES; c++) {
      same &= palette_points[i][c] == palette_xyz[c][i];
      palette_points[i][c] = palette_xyz[c][i];
    }
  if (!same) palette_version++;
}

/* How far (in multiples of the palette's own error) a pixel may stray to repeat its left or upper neighbour's index. */
EXPORT(set_tolerance) void set_tolerance(double multiple) { tolerance = (float)(multiple * predicted_mse); }
/* The share of a pixel's error that goes on to its neighbours: 0 for none; and how much of that in texture. */
static float in_texture;
EXPORT(set_dither) void set_dither(double share, double of_that_in_texture) {
  dither = (float)share;
  in_texture = (float)of_that_in_texture;
}

/* ---- where texture hides errors ---- */

#define REACH 8           /* pixels to each side that must be busy */
#define MOST_BEND 32      /* one sharp edge is no texture */
#define QUIET (8 * REACH) /* bends on the calmer side at which nothing is hidden, and the range up to where all is */
#define HIDING (16 * REACH)
static Texture texture;
static u8 *hidden_above; /* of the row above */
static u32 *bends_up_to;
u8 *hidden, *bent;

static void hiding_begin(void) {
  if (!hidden) {
    if (!texture_open(&texture, source.width)) host_fail(FAIL_MEMORY, "no memory for texture");
    hidden = zeroed((size_t)source.width + 32);
    bent = zeroed(source.width);
    hidden_above = zeroed((size_t)source.width + 32);
    bends_up_to = zeroed(((size_t)source.width + 2 * REACH + 1) * sizeof *bends_up_to);
  }
  texture_break(&texture);
}

void hiding_row(const u32 *px, u32 width) {
  texture_row(&texture, px, width);
  u8 *t = hidden_above;
  hidden_above = hidden;
  hidden = t;
  u32 sum = 0, *to = bends_up_to + REACH; /* to[i]: bends of all pixels before i */
  for (u32 i = 0; i < width; i++) {
    to[i] = sum;
    sum += texture.bends[i] < MOST_BEND ? texture.bends[i] : MOST_BEND;
  }
  for (u32 i = 0; i <= REACH; i++) to[width + i] = sum, bends_up_to[i] = 0; /* nothing hides beyond the edges */
  for (u32 i = 0; i < width; i++) {
    const i32 left = to[i + 1] - to[(i32)i + 1 - REACH], right = to[i + REACH] - to[i];
    const i32 least = left < right ? left : right;
    bent[i] = least > 255 ? 255 : least;
    i32 here = (least - QUIET) * 255 / HIDING;
    here = here < 0 ? 0 : here > 255 ? 255 : here;
    if (texture.rows > 1) here = here < hidden_above[i] + 64 ? here : hidden_above[i] + 64; /* nor right below an edge */
    else here = 0;
    hidden[i] = here > 255 ? 255 : here;
  }
}

/* ---- error diffusion (Floyd and Steinberg 1976), to and fro ---- */

static v4f *errors[2]; /* for this row and the next, from one pixel before the first */
static bool backwards;

/* A colour that the palette has (so nearly) takes no error and passes none on: flat areas stay flat. */
#define EXACT .4f
/* Errors that grow beyond are of colours outside of what the palette can mix. */
#define MOST_ERROR 400.f

static void dither_begin(void) {
  const size_t room = ((size_t)source.width + 2) * sizeof **errors;
  for (int i = 0; i < 2; i++) {
    if (!errors[i]) errors[i] = allocate(room);
    memset(errors[i], 0, room);
  }
  backwards = false;
}

static float square_of(v4f e) {
  e *= e;
  return (e[0] + e[1]) + (e[2] + e[3]);
}

static void dither_row(const u32 *px, u32 width, u8 *indices) {
  v4f *here = errors[0] + 1, *below = errors[1] + 1;
  memset(errors[1], 0, ((size_t)width + 2) * sizeof **errors);
  const int step = backwards ? -1 : 1;
  const Known *at = NULL;
  for (u32 n = 0, i = backwards ? width - 1 : 0; n < width; n++, i += step) {
    const u32 c = px[i] >> 24 ? px[i] : 0;
    if (!at || c != at->colour) at = look_up(c);
    indices[i] = at->nearest;
    if (!c || at->distance < EXACT) continue;
    const v4f wanted = at->at + here[i];
    float distance;
    const int index = indices[i] = nearest_colour((const float *)&wanted, &distance);
    v4f e = wanted - palette_points[index];
    const float square = square_of(e);
    if (square > MOST_ERROR) e *= sqrtf(MOST_ERROR / square);
    e *= dither * (1 - (1 - in_texture) * hidden[i] * (1 / 255.f));
    here[(i32)i + step] += e * (7 / 16.f);
    below[(i32)i - step] += e * (3 / 16.f);
    below[i] += e * (5 / 16.f);
    below[(i32)i + step] += e * (1 / 16.f);
  }
  v4f *t = errors[0];
  errors[0] = errors[1];
  errors[1] = t;
  backwards = !backwards;
}

void remap_begin(void) {
  static u32 version;
  palette_follow();
  if (version != palette_version) { /* what is known stays while the palette does */
    version = palette_version;
    if (!known) known = allocate(sizeof *known << KNOWN_BITS);
    for (u32 i = 0; i < 1u << KNOWN_BITS; i++) known[i].colour = 0x00ffffff; /* no colour that is looked up */
  }
  free(indices_above);
  indices_above = zeroed(source.width + 4);
  remap_break();
}

void remap_break(void) {
  have_above = false;
  hiding_begin();
  if (dither > 0) dither_begin();
}

/* Whether the next eight pixels are like the last one. */
static inline bool goes_on(const u32 *px, u32 colour) {
  const v128_t same = wasm_u32x4_splat(colour);
  return wasm_i32x4_all_true(wasm_v128_and(wasm_i32x4_eq(wasm_v128_load(px), same), wasm_i32x4_eq(wasm_v128_load(px + 4), same)));
}

void remap_row(const u32 *px, u32 width, u8 *indices) {
  if (tolerance > 0 || dither > 0) hiding_row(px, width);
  if (dither > 0) {
    dither_row(px, width, indices);
    return;
  }
  const Known *at = NULL;
  const u8 *above = have_above && tolerance > 0 ? indices_above : NULL;
  for (u32 i = 0; i < width; i++) {
    u32 c = px[i] >> 24 ? px[i] : 0;
    if (!at || c != at->colour) at = look_up(c);
    u8 index = at->nearest;
    if (tolerance > 0 && c && hidden[i])
      index = settle(at->at, at->distance, index, i ? indices[i - 1] : index, above ? above[i] : index, hidden[i]);
    indices[i] = index;
    while (i + 9 <= width && (tolerance <= 0 || !hidden[i]) && goes_on(px + i + 1, px[i])) {
      memset(indices + i + 1, index, 8);
      i += 8;
    }
  }
  memcpy(indices_above, indices, width);
  have_above = true;
}
