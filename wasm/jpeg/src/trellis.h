/* The search for the levels of a row of blocks, and what symbols cost (trellis.c). */
#ifndef WHITTLE_JPEG_TRELLIS_H
#define WHITTLE_JPEG_TRELLIS_H

#include "engine.h"

/* How often each Huffman symbol of sequential coding occurs (ITU-T T.81, F.1.2): size of a DC difference; run << 4 | size. */
typedef struct {
  uint32_t dc[16], ac[256];
} Counts;

/* Bits of each symbol with those of the value that follows it. */
typedef struct {
  float dc[16], ac[256];
  float least[16]; /* of the symbols that code a value of so many bits */
} Prices;

void counts_start(Counts *counts); /* once each: nothing is free of charge */
void counts_add(Counts *counts, int *previous_dc, JBLOCKROW blocks, uint32_t width);
void prices_from(Prices *prices, const Counts *counts);
double counts_bits(const Counts *counts);

void quantise_round(const Plane *plane, JBLOCKROW in, JBLOCKROW out, uint32_t width);

/* The blocks of a row that are looked at. */
typedef struct {
  uint32_t row, first, width;
  int smooth; /* the picture has smooth areas */
} RowPlace;
void trellis_weight(float weight); /* of errors against bits, where mozjpeg has 1 */
void quantise_trellis(const Plane *plane, const Prices *prices, RowPlace at, JBLOCKROW in, JBLOCKROW out);

#endif
