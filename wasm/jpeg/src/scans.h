/* Progressive scans written from packed rows (scans.c), and the choice of a script (script.c). */
#ifndef WHITTLE_JPEG_SCANS_H
#define WHITTLE_JPEG_SCANS_H

#include "engine.h"

/* One scan of one component (ITU-T T.81, G.1.1): band of the zigzag, successive approximation. */
typedef struct {
  int plane, from, to, high, low;
} Scan;
#define SCANS_WRITTEN_MAX 64

typedef struct {
  Scan scan[SCANS_WRITTEN_MAX];
  int count; /* 0: not chosen yet */
  double bytes; /* of all scans, estimated */
} Script;

/* End-of-band runs end at 15 bits (G.1.2.2). */
#define RUN_MAX 0x7FFF
/* Correction bits that wait for the symbol they follow; as many as libjpeg's decoders and coders are used to. */
#define WAITING_MAX 937

const Script *script_of(int made);
double write_scans(const Script *script, int made, int headers, int counting);

#endif
