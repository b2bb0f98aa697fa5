/* Computes a palette from the histogram's points: variance cuts (Wu 1991: split at the cut that removes most variance
 * along the widest axis), then k-means with reseeding. */
#ifndef PNG_QUANTISE_H
#define PNG_QUANTISE_H
#include "histogram.h"

/* Result of a variance cut: the new mean of box `box`, and the mean of the box that is added. */
typedef struct {
  u8 box;
  float mean[2][COORDINATES];
} Cut;

typedef struct {
  u32 *point_order;
  int cuts_made; /* number of cuts of the points into boxes; -1: none yet */
  Cut cuts[PALETTE_MOST - 1];
  float mean_of_all[COORDINATES];
  /* estimated mean squared error per sample of the palette, before rows are mapped, in the palette's colour space */
  double predicted_mse;
} Quantiser;

/* Discards the cuts. Called when points or weights have changed. */
static inline void quantise_forget(Quantiser *q) { q->cuts_made = -1; }
/* Starts with a new histogram. */
void quantise_begin(Quantiser *q);
/* Computes at most `colours` palette entries with at most `rounds` of k-means. `spread`: how far outer entries move
 * towards the outermost colours, so that dithering can mix those; 0: not at all; 1: all the way. */
void quantise_points(Quantiser *q, Histogram *h, Palette *p, int colours, int rounds, float spread);
#endif
