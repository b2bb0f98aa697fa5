/* The GIF engine reads a GIF byte by byte and composes the canvas that a viewer would show. It writes every frame anew
 * as a difference to what the output shows so far. Canvases hold 16-bit colour numbers, so that an animation of any
 * length takes about 9 bytes per canvas pixel. Errors end the job through host_fail.
 *
 * Layers: a file calls only files below it. Exceptions are two callbacks that engine.c sets: `Decoder.frame_read`
 * (a frame is complete) and `Colours.in_use` (which colour numbers are needed).
 *
 *   engine.c                               functions for the host, passes over the file
 *   scan.c · target_frame.c · frame_write.c
 *   frame_search.c                         the smallest plan for a frame
 *   frame_quality.c · codings.c            quality of a plan, size of a plan
 *   colour_tables.c                        symbols of a plan
 *   changes.c                              where the target differs from the shown canvas
 *   ---- below, modules have their own state instead of `Gif` ----
 *   decode.c                               blocks of the file
 *   decode_pixels.c                        image data
 *   recode.c                               lossless recompression without a canvas
 *   lossy_lzw.c                            LZW encoder that chooses symbols within a tolerance
 *   lzw.c · flatness.c · colour_cast.c · similarity.c · ssimulacra2_tiles.c
 *   colours.c · output.c · canvas.h · box.h · row_hash.h · colour_table.h · tuning.h
 *   ../measure · ../common
 *
 * "GIF89a" in comments: Graphics Interchange Format Version 89a (CompuServe, 31 July 1990). */
#ifndef GIF_GIF_H
#define GIF_GIF_H

#include "canvas.h"
#include "changes.h"
#include "codings.h"
#include "colour_cast.h"
#include "colour_tables.h"
#include "colours.h"
#include "decode.h"
#include "encoder.h"
#include "flatness.h"
#include "frame_quality.h"
#include "frame_search.h"
#include "lossy_lzw.h"
#include "lzw.h"
#include "output.h"
#include "recode.h"
#include "scan.h"
#include "similarity.h"
#include "ssimulacra2_tiles.h"

struct Gif {
  /* State of reading the source file. */
  Canvas canvas;
  Colours colours;
  Decoder decoder;
  Scan scan;
  bool has_clear; /* some pixel of some frame is transparent */

  /* State of writing the output file. */
  Output output;
  LzwBits writer;
  Lzw encoders[LZW_STYLES]; /* shared by style and kind comparison: LZW_STYLES is at least KINDS */
  Recoder recoder;
  Encoder encoder;
  Changes changes;
  Flatness flatness;
  PreparedPixels prepared;
  Codings codings;
  LossyLzw lossy_lzw;
  Similarity similarity;
  ColourCast colour_cast;
  ScoreTiles score_tiles;
  FrameQuality quality;
  FrameSearch search;
};

_Static_assert(LZW_STYLES >= KINDS, "an encoder for each kind");

#endif
