/*
 * The JPEG engine: libjpeg (mozjpeg 3.2, unmodified) with everything that is as large as the picture replaced.
 *
 *   JPEG bytes --(suspending source)--> Huffman decoder --+
 *                                                         +--> block rows --> [taker] --> packed rows "read"
 *   pixel rows --(libjpeg's front end, all steps 1) ------+        |
 *                                                                  +--> requantise (trellis) --> packed rows "made"
 *   packed rows --> Huffman coder (progressive or sequential) --> JPEG bytes
 *
 * libjpeg keeps whole images in "virtual block arrays". Its objects get ours instead (arrays.h): a window of a few
 * block rows over rows packed to about two bytes a non-zero coefficient (store.h). A row that leaves the window goes
 * to the store's taker, which packs it, samples it, hashes it, requantises it or codes it on the spot.
 *
 * One instance does one job; the host throws (and drops the instance) when host_fail() is called, so nothing jumps.
 *
 * Layers, each using only those below it:
 *   exports      what the host calls; owns the one instance
 *   input, rows_in       rows of a file, and of pixels
 *   intake               what becomes of them
 *   requantise, recode, decimate, scans, sequential
 *   trellis, coder
 *   smooth, script, overshoot
 *   picture, dct, packed
 *   arrays               hands rows upwards through Taker and StoreMade
 *   store
 *   host (with wasm/common), tuning
 */
#ifndef WHITTLE_JPEG_JPEG_H
#define WHITTLE_JPEG_JPEG_H

#include "decimate.h"
#include "input.h"
#include "intake.h"
#include "recode.h"
#include "requantise.h"
#include "rows_in.h"
#include "scans.h"
#include "sequential.h"

/* The state of the engine. */
struct Jpeg {
  Picture picture;
  Packing packing;
  Smooth smooth;
  Trellis trellis;
  Script scripts[2]; /* of what was read, and of what was made */
  Requantiser requantiser;
  Output output;
  ScanWriter scan_writer;
  Sequential sequential;
  Recode recode;
  Intake intake;
  Input input;
  RowsIn rows_in;
};

#endif
