/* Colour histogram of the picture with weights, and the weighted points for the quantiser. */
#ifndef PNG_HISTOGRAM_H
#define PNG_HISTOGRAM_H
#include "../measure/texture.h"
#include "palette.h"

/* Histogram bin: number of pixels and sums of their four channels. */
typedef struct {
  u32 key, count;
  u64 sum[4];
} Bin;

/* Histogram bin as a point in the quantiser's colour space, with its weight. */
typedef struct {
  float at[COORDINATES], weight, first_weight;
} Point;

typedef struct {
  Texture texture;
  u8 counted[256]; /* weight of a pixel by its bends (texture.h) */
  Bin *bins;       /* hash table of bins; NULL after conversion to points */
  u32 bins_used;
  int bin_shift; /* low bits of each channel that bins ignore */
  Point *points;
  u32 point_count;
  u32 *slot_key;   /* hash table for points: key of the former bin */
  u16 *slot_point; /* index of the bin's point + 1; 0: empty slot */
  u8 *weighed;     /* flags: weigh_up has raised the point's weight since the last palette */
} Histogram;

void histogram_begin(Histogram *h, u32 width);
/* Adds a row. `new_colours`: counters of new bins, one per `block` columns; NULL: not counted. */
void histogram_row(Histogram *h, const u32 *rgba, u32 width, u16 *new_colours, u32 block);
/* Converts the bins to points. Later calls do nothing. */
void histogram_to_points(Histogram *h);
/* Raises the weight of a colour, so that the next palette reproduces it better. Returns true if its weight has
 * changed. */
bool weigh_up(Histogram *h, u32 colour);
/* Restores the weights before all calls of weigh_up. */
void weigh_as_at_first(Histogram *h);
/* Returns the number of distinct colours, or of bins if there are very many colours. */
u32 colour_points_of(const Histogram *h);
#endif
