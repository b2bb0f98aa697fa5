#include "remap.h"

#include <math.h>
#include <wasm_simd128.h>

#include "picture.h"
#include "tuning.h"

/* ---- nearest palette entries ---- */

static const Known *look_up(Known *known, const Palette *p, u32 colour) {
  Known *k = known + ((colour * 0x9E3779B1u) >> (32 - KNOWN_BITS));
  if (k->colour == colour) return k;
  k->colour = colour;
  coordinates_of(colour, (float *)&k->at);
  k->nearest = nearest_colour(p, (const float *)&k->at, &k->distance);
  return k;
}

void remap_follow(Remap *r, const Palette *p) {
  bool same = r->version && r->points_used == p->used;
  r->points_used = p->used;
  for (int i = 0; i < p->used; i++)
    for (int c = 0; c < COORDINATES; c++) {
      same &= r->points[i][c] == p->at[c][i];
      r->points[i][c] = p->at[c][i];
    }
  if (!same) r->version++;
}

static void forget_known(Remap *r) {
  if (!r->known) r->known = allocate(sizeof *r->known << KNOWN_BITS);
  /* a value that never occurs as a key marks empty cache entries */
  for (u32 i = 0; i < 1u << KNOWN_BITS; i++) r->known[i].colour = COLOUR_MASK;
  r->known_version = r->version;
}

static float square_of(v4f e) {
  e *= e;
  return (e[0] + e[1]) + (e[2] + e[3]);
}

/* ---- error diffusion (Floyd and Steinberg 1976), rows in alternating directions ---- */

static void dither_begin(Remap *r, u32 width) {
  const size_t room = ((size_t)width + 2) * sizeof **r->errors;
  for (int i = 0; i < 2; i++) {
    if (!r->errors[i]) r->errors[i] = allocate(room);
    memset(r->errors[i], 0, room);
  }
  r->backwards = false;
}

static void dither_row(Remap *r, const Palette *p, const u32 *px, u32 width, u8 *indices) {
  v4f *here = r->errors[0] + 1, *below = r->errors[1] + 1;
  memset(r->errors[1], 0, ((size_t)width + 2) * sizeof **r->errors);
  const int step = r->backwards ? -1 : 1;
  const float dither = r->dither, in_texture = r->dither_in_texture;
  const u8 *hidden = r->hiding.hidden;
  Known *known = r->known;
  const Known *at = NULL;
  for (u32 n = 0, i = r->backwards ? width - 1 : 0; n < width; n++, i += step) {
    const u32 c = px[i] >> 24 ? px[i] : 0;
    if (!at || c != at->colour) at = look_up(known, p, c);
    indices[i] = at->nearest;
    if (!c || at->distance < EXACT_DISTANCE) continue;
    const v4f target = at->at + here[i];
    float distance;
    const int index = indices[i] = nearest_colour(p, (const float *)&target, &distance);
    v4f e = target - r->points[index];
    const float square = square_of(e);
    if (square > MOST_ERROR) e *= sqrtf(MOST_ERROR / square);
    e *= dither * (1 - (1 - in_texture) * hidden[i] * (1 / 255.f));
    here[(i32)i + step] += e * (7 / 16.f);
    below[(i32)i - step] += e * (3 / 16.f);
    below[i] += e * (5 / 16.f);
    below[(i32)i + step] += e * (1 / 16.f);
  }
  v4f *t = r->errors[0];
  r->errors[0] = r->errors[1];
  r->errors[1] = t;
  r->backwards = !r->backwards;
}

/* ---- mapping without error diffusion ---- */

/* Chooses between the nearest entry and the indices `left` and `above` of the neighbours. `hidden` (0-255): share of
 * the tolerance that texture masks here. */
static inline u8 settle(const Remap *r, const Known *k, u8 left, u8 above, u8 hidden) {
  const u8 nearest = k->nearest;
  if (left == nearest && above == nearest) return nearest;
  float limit = k->distance + r->tolerance * hidden * (1 / 255.f);
  u8 index = nearest;
  if (left != nearest) {
    const float d = square_of(r->points[left] - k->at);
    if (d < limit) {
      limit = d;
      index = left;
    }
  }
  if (above != nearest && square_of(r->points[above] - k->at) < limit) index = above;
  return index;
}

/* True if the next eight pixels have this colour. */
static inline bool goes_on(const u32 *px, u32 colour) {
  const v128_t same = wasm_u32x4_splat(colour);
  const v128_t first = wasm_i32x4_eq(wasm_v128_load(px), same), second = wasm_i32x4_eq(wasm_v128_load(px + 4), same);
  return wasm_i32x4_all_true(wasm_v128_and(first, second));
}

static void settle_row(Remap *r, const Palette *p, const u32 *px, u32 width, u8 *indices) {
  const bool tolerant = r->tolerance > 0;
  const u8 *hidden = r->hiding.hidden, *above = r->has_above && tolerant ? r->indices_above : NULL;
  Known *known = r->known;
  const Known *at = NULL;
  for (u32 i = 0; i < width; i++) {
    const u32 c = px[i] >> 24 ? px[i] : 0;
    if (!at || c != at->colour) at = look_up(known, p, c);
    u8 index = at->nearest;
    if (tolerant && c && hidden[i])
      index = settle(r, at, i ? indices[i - 1] : index, above ? above[i] : index, hidden[i]);
    indices[i] = index;
    while (i + 9 <= width && (!tolerant || !hidden[i]) && goes_on(px + i + 1, px[i])) {
      memset(indices + i + 1, index, 8);
      i += 8;
    }
  }
  memcpy(r->indices_above, indices, width);
  r->has_above = true;
}

/* ---- mapping rows to indices ---- */

void remap_begin(Remap *r, const Palette *p, u32 width) {
  remap_follow(r, p);
  /* the cache of nearest entries stays valid while the palette is unchanged */
  if (r->known_version != r->version) forget_known(r);
  free(r->indices_above);
  r->indices_above = allocate_zeroed(width + 4);
  remap_break(r, width);
}

void remap_break(Remap *r, u32 width) {
  r->has_above = false;
  hiding_begin(&r->hiding, width);
  if (r->dither > 0) dither_begin(r, width);
}

void remap_row(Remap *r, const Palette *p, const u32 *px, u32 width, u8 *indices) {
  if (r->tolerance > 0 || r->dither > 0) hiding_row(&r->hiding, px, width);
  if (r->dither > 0) dither_row(r, p, px, width, indices);
  else settle_row(r, p, px, width, indices);
}
