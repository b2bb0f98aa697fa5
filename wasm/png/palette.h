/* Palettes in a space where the squared distance is what the eye and the metrics see, and the search for the nearest
 * entry.
 *
 * Luma counts fully, chroma by CHROMA, both as the mean over a black and a white background. With premultiplied p
 * over black and p + 255 - a over white, the mean of the two squared luma errors is (dY - da / 2)^2 + (da / 2)^2;
 * chroma does not see a grey background. */
#ifndef PNG_PALETTE_H
#define PNG_PALETTE_H
#include "host.h"

#define COORDINATES 4
#define PALETTE_MOST 256
#define PALETTE_STEPS 256

typedef struct {
  float at[COORDINATES][PALETTE_MOST] __attribute__((aligned(16)));
  int used; /* entries */
  /* The same by the first coordinate, four entries to a group, so that a search can stop when all others are further
   * away along that alone. */
  float sorted[COORDINATES][PALETTE_MOST] __attribute__((aligned(16)));
  i32 sorted_index[PALETTE_MOST] __attribute__((aligned(16)));
  int groups;
  u8 first_group[PALETTE_STEPS]; /* for each step of one of the first coordinate, from -128 on */
} Palette;

void to_coordinates(float r, float g, float b, float a, float *out);
static inline void coordinates_of(u32 c, float *out) {
  to_coordinates(c & 255, c >> 8 & 255, c >> 16 & 255, c >> 24, out);
}

/* Writes the entries as colours of eight bits, without doubles; returns how many. */
int palette_colours(const Palette *p, u32 *colours);
/* Makes up to 256 colours the palette, and prepares the search. */
void palette_set(Palette *p, const u32 *colours, int count);
/* Prepares the search; to be called when entries have changed. */
void palette_sort(Palette *p);
/* The nearest entry to a point, and its squared distance. */
int nearest_colour(const Palette *p, const float *point, float *distance);
#endif
