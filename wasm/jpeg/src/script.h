/*
 * The script of a progressive file: how luma and chroma are cut into bands and bits. What mozjpeg's search finds by
 * coding everything is estimated here from a sample of the rows, so it costs little at any size.
 */
#ifndef WHITTLE_JPEG_SCRIPT_H
#define WHITTLE_JPEG_SCRIPT_H

#include "picture.h"

/* One scan of one component (ITU-T T.81, G.1.1): band of the zigzag, successive approximation. */
typedef struct {
  int plane, from, to, high, low;
} Scan;
#define SCANS_WRITTEN_MAX 64

typedef struct {
  Scan scan[SCANS_WRITTEN_MAX];
  int count;    /* 0: not chosen yet */
  double bytes; /* of all scans, estimated */
} Script;

/* End-of-band runs end at 15 bits (G.1.2.2). */
#define RUN_MAX 0x7FFF
/* Correction bits that wait for the symbol they follow; as many as libjpeg's decoders and coders are used to. */
#define WAITING_MAX 937

/* The script of what was read (0) or made (1), chosen once. `scripts`: room for both. */
const Script *script_of(Script *scripts, const Picture *picture, int made);
/* What was read or made has changed. */
void forget_script(Script *scripts, int made);
/* Whether the choice of a script samples the row. */
int row_is_scripted(const Plane *plane, uint32_t row);

#endif
