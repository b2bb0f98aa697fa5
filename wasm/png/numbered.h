/* Numbers the distinct colours of a sample, so that the nearest palette entry is searched once per colour. */
#ifndef PNG_NUMBERED_H
#define PNG_NUMBERED_H
#include "palette.h"
#include "sample.h"

typedef struct {
  /* Colour numbers of the sample's pixels, then of the hard blocks' pixels. NULL: not computed yet, or too many
   * colours. */
  u16 *numbers;
  bool tried;
  u32 count; /* number of colours; the first is the colour of transparent pixels */
  u32 room;  /* number of colours that fit into the arrays */
  u32 *colours;
  v4f *at;     /* coordinates of each colour in the palette's colour space */
  u8 *nearest; /* nearest palette entry of each colour */
  u32 version; /* palette version for which `nearest` is valid; 0: none */
} Numbered;

/* Discards the numbers. Called for a new sample. */
void numbered_forget(Numbered *n);
/* Numbers the sample's colours. Later calls do nothing. */
void numbered_try(Numbered *n, const Sample *s);
/* Updates the nearest entries if the palette `version` has changed. */
void numbered_follow(Numbered *n, const Palette *p, u32 version);
/* Return the colour numbers of row `y` of the sample, or of hard block `k`. */
static inline const u16 *numbers_of_row(const Numbered *n, const Sample *s, u32 y) {
  return n->numbers + (size_t)y * s->width;
}
static inline const u16 *numbers_of_block(const Numbered *n, const Sample *s, u32 k) {
  return n->numbers + (size_t)s->rows * s->width + (size_t)k * BLOCK_PIXELS;
}
static inline void numbered_indices(const Numbered *n, const u16 *numbers, u32 count, u8 *indices) {
  const u8 *nearest = n->nearest;
  for (u32 i = 0; i < count; i++) indices[i] = nearest[numbers[i]];
}
#endif
