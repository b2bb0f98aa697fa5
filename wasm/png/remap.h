/* Pixels to palette indices: the nearest colour, a neighbour's where texture hides the difference, or with errors
 * diffused. */
#ifndef PNG_REMAP_H
#define PNG_REMAP_H
#include "hiding.h"
#include "palette.h"

/* The nearest entry of a colour that was met. */
typedef struct {
  v4f at;
  u32 colour;
  float distance;
  u8 nearest;
} Known;

typedef struct {
  /* Squared distance that a neighbour's index may cost beyond the nearest colour, in texture; 0: the nearest always. */
  float tolerance;
  float dither;             /* share of an error that goes on to the neighbours; 0: none */
  float dither_in_texture;  /* how much of that in texture */
  v4f points[PALETTE_MOST]; /* of the palette, entry by entry */
  int points_used;
  u32 version;       /* of `points`; 0: none yet */
  u32 known_version; /* that `known` is about */
  Known *known;
  u8 *indices_above;
  bool has_above;
  Hiding hiding;
  v4f *errors[2]; /* for this row and the next, from one pixel before the first */
  bool backwards; /* the next row is dithered from right to left */
} Remap;

/* Takes over the palette where it has changed; `version` then changes, too. */
void remap_follow(Remap *r, const Palette *p);
/* Begins a picture of `width` pixels a row. */
void remap_begin(Remap *r, const Palette *p, u32 width);
/* The next row has none above it. */
void remap_break(Remap *r, u32 width);
void remap_row(Remap *r, const Palette *p, const u32 *rgba, u32 width, u8 *indices);
#endif
