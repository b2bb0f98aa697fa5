/* Trellis quantisation of a row of blocks: finds the levels with the lowest bits + λ · squared error by dynamic
 * programming, with errors in units of the step. Costs, candidates and λ follow mozjpeg's quantize_trellis(), after
 * Crouse and Ramchandran, "Joint thresholding and quantizer selection for transform image coding" (1997). */
#ifndef WHITTLE_JPEG_TRELLIS_H
#define WHITTLE_JPEG_TRELLIS_H

#include "smooth.h"

/* Frequency of each Huffman symbol of sequential coding (ITU-T T.81, F.1.2): `dc` by size of the DC difference, `ac` by
 * run << 4 | size. */
typedef struct {
  uint32_t dc[16], ac[256];
} Counts;

/* Cost in bits of each symbol including its value bits. */
typedef struct {
  float dc[16], ac[256];
  float least[16]; /* lowest price of any AC symbol with this value size */
} Prices;

/* Parameters of the trellis search. */
typedef struct {
  const Picture *picture;
  Smooth *smooth;
  float error_weight; /* weight of errors relative to bits; mozjpeg has 1 */
  /* Limits samples to white and black. Needed below an alpha mask, where hidden pixels have a lower weight than visible
   * ones. */
  int stays_within;
} Trellis;

/* Blocks of a row that are requantised. */
typedef struct {
  uint32_t row, first, width;
  int smooth; /* the picture has smooth areas */
} RowPlace;

/* Initialises each count to 1, so that every symbol has a finite cost. */
void counts_start(Counts *counts);
/* Adds the symbols of a row of blocks to the counts. */
void counts_add(Counts *counts, int *previous_dc, JBLOCKROW blocks, uint32_t width);
void prices_from(Prices *prices, const Counts *counts);
/* Returns the bits that an ideal entropy coder needs for all counted symbols. */
double counts_bits(const Counts *counts);

/* Quantises a row of blocks to the plane's output steps by rounding. */
void quantise_round(const Plane *plane, JBLOCKROW in, JBLOCKROW out, uint32_t width);
/* Quantises a row of blocks to the plane's output steps by trellis search. */
void quantise_trellis(const Trellis *trellis, const Plane *plane, const Prices *prices, RowPlace at, JBLOCKROW in,
                      JBLOCKROW out);

#endif
