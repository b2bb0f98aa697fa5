/* Palettes in a colour space whose squared distances match perception and metrics, and the nearest-entry search. Luma
 * has weight 1 and chroma CHROMA. Alpha is included as the mean error over a black and a white background. With
 * premultiplied p over black and p + 255 - a over white, the mean squared luma error is (dY - da / 2)^2 + (da / 2)^2. A
 * grey background does not change chroma. */
#ifndef PNG_PALETTE_H
#define PNG_PALETTE_H
#include "host.h"

#define COORDINATES 4
#define PALETTE_MOST 256
#define PALETTE_STEPS 256

typedef struct {
  float at[COORDINATES][PALETTE_MOST] __attribute__((aligned(16)));
  int used; /* number of palette entries */
  /* Entries sorted by the first coordinate, in groups of four. The search stops when the first coordinate alone is
   * further away than the best entry. */
  float sorted[COORDINATES][PALETTE_MOST] __attribute__((aligned(16)));
  i32 sorted_index[PALETTE_MOST] __attribute__((aligned(16)));
  int groups;
  u8 first_group[PALETTE_STEPS]; /* first group for each unit step of the first coordinate, from -128 on */
} Palette;

void to_coordinates(float r, float g, float b, float a, float *out);
static inline void coordinates_of(u32 c, float *out) {
  to_coordinates(c & 255, c >> 8 & 255, c >> 16 & 255, c >> 24, out);
}

/* Writes the palette entries as distinct eight-bit colours. Returns their number. */
int palette_colours(const Palette *p, u32 *colours);
/* Sets the palette to up to 256 colours and prepares the search. */
void palette_set(Palette *p, const u32 *colours, int count);
/* Prepares the nearest-entry search. Must be called after entries have changed. */
void palette_sort(Palette *p);
/* Returns the entry nearest to a point, and its squared distance. */
int nearest_colour(const Palette *p, const float *point, float *distance);
#endif
