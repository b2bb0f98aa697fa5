/* A palette for the picture: variance cuts (Wu 1991: the cut that removes most variance along the widest axis), then
 * k-means with reseeding, over the points of the histogram. */
#ifndef PNG_QUANTISE_H
#define PNG_QUANTISE_H
#include "histogram.h"

/* What a cut made: the first box's new mean, and that of another box, which is the next one. */
typedef struct {
  u8 box;
  float mean[2][COORDINATES];
} Cut;

typedef struct {
  u32 *point_order;
  int cuts_made; /* of the points into boxes; -1: none yet */
  Cut cuts[PALETTE_MOST - 1];
  float mean_of_all[COORDINATES];
  double predicted_mse; /* of the palette before rows are mapped: per sample, in its space */
} Quantiser;

/* Forgets the cuts: the points or their weights have changed. */
static inline void quantise_forget(Quantiser *q) { q->cuts_made = -1; }
/* For a new histogram. */
void quantise_begin(Quantiser *q);
/* Finds at most `colours` entries, with at most `rounds` of k-means. `spread`: share of the way that outer entries
 * move out towards where their colours end, so that mixtures reach those; 0: none. */
void quantise_points(Quantiser *q, Histogram *h, Palette *p, int colours, int rounds, float spread);
#endif
