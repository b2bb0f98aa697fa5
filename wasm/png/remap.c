/* Pixels to palette indices. */
#include "remap.h"

#include <wasm_simd128.h>

float tolerance;
v4f palette_points[256];
u32 palette_version;
static u8 *indices_above;
static bool have_above;

/* The nearest entries of colours that were met. */
#define KNOWN_BITS 15
typedef struct { v4f at; u32 colour; float distance; u8 nearest; } Known;
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
  have_above = false;
}

void remap_break(void) { have_above = false; }

/* Whether the next eight pixels are like the last one, and what is above them like what was above it: then nothing decides
 * otherwise for them. */
static inline bool goes_on(const u32 *px, u32 colour, const u8 *above) {
  const v128_t same = wasm_u32x4_splat(colour);
  if (!wasm_i32x4_all_true(wasm_v128_and(wasm_i32x4_eq(wasm_v128_load(px), same), wasm_i32x4_eq(wasm_v128_load(px + 4), same)))) return false;
  u64 eight;
  if (!above) return true;
  memcpy(&eight, above, 8);
  return eight == above[-1] * 0x0101010101010101u;
}

void remap_row(const u32 *px, u32 width, u8 *indices) {
  const Known *at = NULL;
  const u8 *above = have_above && tolerance > 0 ? indices_above : NULL;
  for (u32 i = 0; i < width; i++) {
    u32 c = px[i] >> 24 ? px[i] : 0;
    if (!at || c != at->colour) at = look_up(c);
    u8 index = at->nearest;
    if (tolerance > 0 && c) index = settle(at->at, at->distance, index, i ? indices[i - 1] : index, above ? above[i] : index);
    indices[i] = index;
    while (i + 9 <= width && goes_on(px + i + 1, px[i], above ? above + i + 1 : NULL)) {
      memset(indices + i + 1, index, 8);
      i += 8;
    }
  }
  memcpy(indices_above, indices, width);
  have_above = true;
}
