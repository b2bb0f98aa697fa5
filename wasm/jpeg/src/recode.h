/*
 * The same coefficients in other scans, of a file that is read three times and never stored: for the rows by which a
 * script is chosen, for the symbols of all scans, and to write all of them side by side. Memory has a row of blocks
 * for each plane, a coder for each scan, and what the host keeps of what is written.
 */
#ifndef WHITTLE_JPEG_RECODE_H
#define WHITTLE_JPEG_RECODE_H

#include "coder.h"

typedef struct Jpeg Jpeg;

typedef struct {
  const Script *script; /* NULL before the second reading */
  Coder *coders;        /* one for each scan */
  Lane *lanes;          /* NULL before the third reading */
  double packed_bytes;  /* that a reader would pack the coefficients into */
  int next_row[PLANES];
} Recode;

/* Takers of the first reading and of the others; the context is the Jpeg. */
Taker recode_sample, recode_take;
/* After the first reading: a script. Between the second and the third: tables. Returns the number of lanes. */
int recode_next(Jpeg *jpeg);
/* After the third: ends all scans, and writes the head as lane 0; an end marker belongs after all. */
void recode_end(Jpeg *jpeg);

#endif
