/* Keeps a sample of the picture's rows in memory for trials. */
#ifndef PNG_SAMPLE_H
#define PNG_SAMPLE_H
#include "hard_blocks.h"
#include "picture.h"

/* Sample of the picture: groups of adjacent rows, evenly spread. */
typedef struct {
  u32 width; /* width of the picture in pixels */
  u32 *pixels;
  u32 rows, room; /* rows in the sample, and their maximum */
  u32 group_rows, groups, groups_wanted;
  u32 alpha; /* bitwise AND of all alpha values, to detect translucency */
  HardBlocks hard;
} Sample;

void sample_begin(Sample *s, const Picture *picture);
/* Adds row `y` of the picture to the sample. Called after histogram_row. */
void sample_row(Sample *s, const u32 *px, u32 width, u32 y);

static inline const u32 *sample_row_at(const Sample *s, u32 y) { return s->pixels + (size_t)y * s->width; }
static inline bool sample_is_translucent(const Sample *s) { return s->alpha != OPAQUE; }
/* True if the sample omits rows of the picture. */
static inline bool sample_has_gaps(const Sample *s) { return s->groups_wanted < s->groups; }
/* True if row `y` of the sample is not adjacent to the row before in the picture. */
static inline bool sample_gap_at(const Sample *s, u32 y) { return y % s->group_rows == 0 && sample_has_gaps(s); }
/* Returns the picture's row of row `y` of the sample. */
static inline u32 sample_picture_row(const Sample *s, u32 y) {
  const u64 group = ((u64)(y / s->group_rows) * s->groups + s->groups_wanted - 1) / s->groups_wanted;
  return (u32)group * s->group_rows + y % s->group_rows;
}
#endif
