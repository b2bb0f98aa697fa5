/* Maps pixels to palette indices: nearest colour, a neighbour's index where texture masks the difference, or error
 * diffusion. */
#ifndef PNG_REMAP_H
#define PNG_REMAP_H
#include "hiding.h"
#include "palette.h"

/* Cache entry: the nearest palette entry of a colour. */
typedef struct {
  v4f at;
  u32 colour;
  float distance;
  u8 nearest;
} Known;

typedef struct {
  /* Largest extra squared distance of a neighbour's index over the nearest colour, in texture; 0: always the
   * nearest. */
  float tolerance;
  float dither;             /* share of an error that is diffused to neighbours; 0: no dithering */
  float dither_in_texture;  /* factor for `dither` in textured areas */
  v4f points[PALETTE_MOST]; /* coordinates of each palette entry */
  int points_used;
  u32 version;       /* version number of `points`; 0: none yet */
  u32 known_version; /* version of `points` for which the cache `known` is valid */
  Known *known;
  u8 *indices_above;
  bool has_above;
  Hiding hiding;
  v4f *errors[2]; /* errors for this row and the next; the first entry is one pixel left of the row */
  bool backwards; /* the next row is dithered from right to left */
} Remap;

/* Copies the palette if it has changed, and then increments `version`. */
void remap_follow(Remap *r, const Palette *p);
/* Starts a picture of `width` pixels per row. */
void remap_begin(Remap *r, const Palette *p, u32 width);
/* Declares that the next row has no row above it. */
void remap_break(Remap *r, u32 width);
void remap_row(Remap *r, const Palette *p, const u32 *rgba, u32 width, u8 *indices);
#endif
