/* What maps pixels to palette entries, and what tries that on a sample, have in common. */
#ifndef PNG_REMAP_H
#define PNG_REMAP_H
#include "../measure/texture.h"
#include "engine.h"

typedef float v4f __attribute__((vector_size(16)));

extern float tolerance;                    /* squared distance that a repeated index may cost beyond the nearest colour, in texture */
extern float dither;                       /* the share of errors that goes on to the neighbours */
extern v4f palette_points[256];            /* palette_xyz, entry by entry */
extern u32 palette_version;                /* of palette_points */
void palette_follow(void);                 /* palette_xyz may have changed */
void remap_break(void);                    /* nothing is above the next row */
extern u8 *hidden;                         /* for each pixel of the row: how much texture hides there, of 255 */
extern u8 *bent;                           /* summed bends (texture.h) of eight pixels on the calmer side, up to 255 */
void hiding_row(const u32 *px, u32 width); /* the next row */

static inline float distance_to(v4f x, int i) {
  v4f d = palette_points[i] - x;
  d *= d;
  return (d[0] + d[1]) + (d[2] + d[3]);
}

/* The entry for a colour whose neighbours have `left` and `above`: one of those, or the nearest. `hidden`: how much of the
 * tolerance texture hides here, of 255. */
static inline u8 settle(v4f at, float distance, u8 nearest, u8 left, u8 above, u8 hidden) {
  if (left == nearest && above == nearest) return nearest;
  float limit = distance + tolerance * hidden * (1 / 255.f);
  u8 index = nearest;
  if (left != nearest) {
    const float d = distance_to(at, left);
    if (d < limit) {
      limit = d;
      index = left;
    }
  }
  if (above != nearest && distance_to(at, above) < limit) index = above;
  return index;
}
#endif
