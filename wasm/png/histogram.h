/* The colours of the picture and how much each counts, and the points for the quantiser made of them. */
#ifndef PNG_HISTOGRAM_H
#define PNG_HISTOGRAM_H
#include "../measure/texture.h"
#include "palette.h"

/* Colours of one bin: sums of their channels. */
typedef struct {
  u32 key, count;
  u64 sum[4];
} Bin;

/* What the quantiser sees of a bin. */
typedef struct {
  float at[COORDINATES], weight, first_weight;
} Point;

typedef struct {
  Texture texture;
  u8 counted[256]; /* by bends: how often a pixel counts */
  Bin *bins;       /* NULL once they are points */
  u32 bins_used;
  int bin_shift; /* low bits of each channel that bins ignore */
  Point *points;
  u32 point_count;
  u32 *slot_key;   /* of what the bins were */
  u16 *slot_point; /* index + 1 */
  u8 *weighed;     /* points that weigh_up met since the last palette */
} Histogram;

void histogram_begin(Histogram *h, u32 width);
/* Takes a row. `new_colours`: counters of the bins that are new, one for `block` columns. NULL: nobody asks. */
void histogram_row(Histogram *h, const u32 *rgba, u32 width, u16 *new_colours, u32 block);
/* Makes points of the bins, once. */
void histogram_to_points(Histogram *h);
/* Makes a colour weigh more, so that the next palette comes closer to it. True if its weight has changed. */
bool weigh_up(Histogram *h, u32 colour);
/* Takes back what weigh_up did. */
void weigh_as_at_first(Histogram *h);
/* Distinct colours, or bins where there are very many. */
u32 colour_points_of(const Histogram *h);
#endif
