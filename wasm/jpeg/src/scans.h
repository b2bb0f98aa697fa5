/*
 * Scans of rows that are stored. Symbols are counted before they are written: they are noted down on the way, and
 * rows for which there was no room are gone through again.
 */
#ifndef WHITTLE_JPEG_SCANS_H
#define WHITTLE_JPEG_SCANS_H

#include "coder.h"

typedef struct Jpeg Jpeg;

/* What has to be known to go on with a row. */
typedef struct {
  uint32_t row, run, noted;
  int previous, waiting;
  uint8_t correction[WAITING_MAX + DCTSIZE2];
} ScanPlace;

typedef struct {
  Lane lane;
  Coder coder;
  ScanPlace place; /* first row without notes */
  uint32_t *notes;
  uint32_t room; /* for notes */
} ScanWriter;

/* Writes a progressive file (B.2.2). Returns its bytes; `counting` writes none. */
double write_scans(Jpeg *jpeg, int made, int headers, int counting);

#endif
