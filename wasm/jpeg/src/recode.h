/* Rewrites the same coefficients with other scans, by reading the file three times without storing it. The first
 * reading samples rows to choose a scan script, the second counts the symbols of all scans, and the third writes all
 * scans in parallel. Memory holds one block row per plane, one coder per scan, and the host's output. */
#ifndef WHITTLE_JPEG_RECODE_H
#define WHITTLE_JPEG_RECODE_H

#include "coder.h"

typedef struct Jpeg Jpeg;

typedef struct {
  const Script *script; /* scan script; NULL before the second reading */
  Coder *coders;        /* array of one Huffman coder per scan */
  Lane *lanes;          /* output buffers; NULL before the third reading */
  double packed_bytes;  /* bytes that the packed coefficients would take */
  int next_row[PLANES];
} Recode;

/* Row callbacks of the first reading (recode_sample) and of the others (recode_take); their context is the Jpeg. */
Taker recode_sample, recode_take;
/* After the first reading: chooses a script. After the second: computes the Huffman tables. Returns the number of scans;
 * each of them is a lane (output stream), numbered from 1. */
int recode_next(Jpeg *jpeg);
/* After the third reading: ends all scans and writes the header as lane (output stream) 0. The host appends the end
 * marker. */
void recode_end(Jpeg *jpeg);

#endif
