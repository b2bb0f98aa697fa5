/*
 * The levels of a row of blocks: those with the least bits + λ · squared error, found by dynamic programming, with the
 * error in units of the step. Costs, candidates and λ are those of mozjpeg's quantize_trellis(); after Crouse and
 * Ramchandran, "Joint thresholding and quantizer selection for transform image coding" (1997).
 */
#ifndef WHITTLE_JPEG_TRELLIS_H
#define WHITTLE_JPEG_TRELLIS_H

#include "smooth.h"

/* How often each Huffman symbol of sequential coding occurs (ITU-T T.81, F.1.2): size of a DC difference; run << 4 |
 * size. */
typedef struct {
  uint32_t dc[16], ac[256];
} Counts;

/* Bits of each symbol with those of the value that follows it. */
typedef struct {
  float dc[16], ac[256];
  float least[16]; /* of the symbols that code a value of so many bits */
} Prices;

/* What a search needs to know beside the rows. */
typedef struct {
  const Picture *picture;
  Smooth *smooth;
  float error_weight; /* of errors against bits, where mozjpeg has 1 */
  /* No sample goes beyond white and black: below a mask, what it hides is worth less than what it shows. */
  int stays_within;
} Trellis;

/* The blocks of a row that are requantised. */
typedef struct {
  uint32_t row, first, width;
  int smooth; /* the picture has smooth areas */
} RowPlace;

/* Counts each symbol once: nothing is free of charge. */
void counts_start(Counts *counts);
/* Adds the symbols of a row of blocks. */
void counts_add(Counts *counts, int *previous_dc, JBLOCKROW blocks, uint32_t width);
void prices_from(Prices *prices, const Counts *counts);
/* Bits that an ideal coder takes for all symbols. */
double counts_bits(const Counts *counts);

/* Rounds a row of blocks to the plane's new steps. */
void quantise_round(const Plane *plane, JBLOCKROW in, JBLOCKROW out, uint32_t width);
/* Searches for the levels of a row of blocks. */
void quantise_trellis(const Trellis *trellis, const Plane *plane, const Prices *prices, RowPlace at, JBLOCKROW in,
                      JBLOCKROW out);

#endif
