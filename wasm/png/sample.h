/* A sample of the picture's rows, for trials without reading it again. */
#ifndef PNG_SAMPLE_H
#define PNG_SAMPLE_H
#include "hard_blocks.h"
#include "picture.h"

/* Whole groups of neighbouring rows, evenly spread over the picture. */
typedef struct {
  u32 width; /* of the picture */
  u32 *pixels;
  u32 rows, room; /* that are there, and that there may be */
  u32 group_rows, groups, groups_wanted;
  u32 alpha; /* the alphas of all its pixels, and-ed */
  HardBlocks hard;
} Sample;

void sample_begin(Sample *s, const Picture *picture);
/* Takes row `y` of the picture, after histogram_row. */
void sample_row(Sample *s, const u32 *px, u32 width, u32 y);

static inline const u32 *sample_row_at(const Sample *s, u32 y) { return s->pixels + (size_t)y * s->width; }
static inline bool sample_is_translucent(const Sample *s) { return s->alpha != OPAQUE; }
/* Whether the sample leaves out rows of the picture. */
static inline bool sample_has_gaps(const Sample *s) { return s->groups_wanted < s->groups; }
/* Whether row `y` of the sample is no neighbour of the row before. */
static inline bool sample_gap_at(const Sample *s, u32 y) { return y % s->group_rows == 0 && sample_has_gaps(s); }
#endif
