/* Writes scans of stored rows. Symbols are counted before they are written. They are recorded during counting; rows
 * whose symbols did not fit into the buffer are coded a second time. */
#ifndef WHITTLE_JPEG_SCANS_H
#define WHITTLE_JPEG_SCANS_H

#include "coder.h"

typedef struct Jpeg Jpeg;

/* State needed to continue a scan at a row. */
typedef struct {
  uint32_t row, run, noted;
  int previous, waiting;
  uint8_t correction[WAITING_MAX + DCTSIZE2];
} ScanPlace;

typedef struct {
  Lane lane;
  Coder coder;
  ScanPlace place; /* first row whose symbols were not recorded */
  uint32_t *notes;
  uint32_t room; /* number of recorded symbols that fit into `notes` */
} ScanWriter;

/* Writes a progressive file (T.81, B.2.2). Returns its bytes; `counting`: only counts them. */
double write_scans(Jpeg *jpeg, int made, int headers, int counting);

#endif
