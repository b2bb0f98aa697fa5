/* Progressive scans written from packed rows (scans.c), and the choice of a script (script.c). */
#ifndef WHITTLE_JPEG_SCANS_H
#define WHITTLE_JPEG_SCANS_H

#include "engine.h"

/* One scan of one component (ITU-T T.81, G.1.1): band of the zigzag, successive approximation. */
typedef struct {
  int plane, from, to, high, low;
} Scan;
#define SCANS_WRITTEN_MAX 64

int choose_script(Scan *script, int made);
double scan_bits(const Scan *scan, int made, uint32_t every); /* estimated, of one row in `every`, scaled up */
double write_scans(const Scan *script, int count, int made, int headers, int counting);

#endif
