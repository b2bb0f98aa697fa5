/* The colours of a sample by number, so that the nearest entry is found once for each. */
#ifndef PNG_NUMBERED_H
#define PNG_NUMBERED_H
#include "palette.h"
#include "sample.h"

typedef struct {
  /* Of the sample's pixels, then of the hard blocks'. NULL: not tried yet, or there are too many colours. */
  u16 *numbers;
  bool tried;
  u32 count; /* colours; the first is what nobody sees */
  u32 room;  /* for colours */
  u32 *colours;
  v4f *at;     /* their coordinates */
  u8 *nearest; /* their nearest entries */
  u32 version; /* of the palette's points that `nearest` is about; 0: none */
} Numbered;

/* For a new sample. */
void numbered_forget(Numbered *n);
/* Numbers the sample's colours, once. */
void numbered_try(Numbered *n, const Sample *s);
/* Finds the nearest entries again if `version` of the palette is another one. */
void numbered_follow(Numbered *n, const Palette *p, u32 version);
/* Numbers of row `y` of the sample, and of hard block `k`. */
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
