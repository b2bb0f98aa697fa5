/*
 * The JPEG engine: libjpeg (mozjpeg 3.2, unmodified), with all buffers of picture size replaced by packed rows.
 *
 *   JPEG bytes --(suspending source)--> Huffman decoder --+
 *                                                         +--> block rows --> [taker] --> packed rows "read"
 *   pixel rows --(libjpeg's front end, all steps 1) ------+        |
 *                                                                  +--> requantise (trellis) --> packed rows "made"
 *   packed rows --> Huffman coder (progressive or sequential) --> JPEG bytes
 *
 * libjpeg keeps whole images in "virtual block arrays". Here these arrays are a window of a few block rows over packed
 * rows (arrays.h). A packed row takes about two bytes per non-zero coefficient (store.h). A row that leaves the window
 * is passed to the store's taker, a callback that packs, samples, hashes, requantises or codes it.
 *
 * One instance does one job. host_fail() does not return: the host throws and discards the instance.
 *
 * Layers, each using only those below it:
 *   exports      functions for the host; owns the single instance
 *   input, rows_in       block rows of a file; block rows of pixels
 *   intake               handling of block rows by mode
 *   requantise, recode, decimate, cut, scans, sequential
 *   trellis, coder
 *   smooth, script, overshoot
 *   picture, dct, packed
 *   arrays               passes rows up through Taker and StoreMade
 *   store
 *   host (with wasm/common), tuning
 */
#ifndef WHITTLE_JPEG_JPEG_H
#define WHITTLE_JPEG_JPEG_H

#include "cut.h"
#include "decimate.h"
#include "input.h"
#include "intake.h"
#include "recode.h"
#include "requantise.h"
#include "rows_in.h"
#include "scans.h"
#include "sequential.h"

/* State of the JPEG engine. */
struct Jpeg {
  Picture picture;
  Packing packing;
  Smooth smooth;
  Trellis trellis;
  Script scripts[2]; /* scripts for the rows as read (0) and as made (1) */
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
