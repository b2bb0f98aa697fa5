/* The PNG engine processes one picture per instance. Rows are streamed, so that memory does not depend on the height.
 *
 * The host (engine.ts) reads and writes the chunks of the file; the engine processes the zlib streams inside. A pass
 * is begin(mode), then for each frame: frame(width, height), compressed bytes (feed) or plain rows (take_row), and
 * frame_end(). The engine checks all input from host and file. Errors call host_fail, which does not return; the
 * host then discards the instance.
 *
 * Layers, each using only those below it:
 *   exports      functions for the host; owns the single instance
 *   passes       processing of each source row · trial: the same on a sample
 *   encode · remap · near_lossless · quantise · numbered · perceptual
 *   layout · filter_cost · hiding · histogram · sample
 *   source (passes rows up through RowTaker) · analyse · palette_order · palette · hard_blocks
 *   inflate (passes bytes up through InflateTaker) · samples · filters · checksum
 *   host (with wasm/common), picture, tuning
 *
 * "W3C PNG" in comments: Portable Network Graphics (PNG) Specification (Third Edition). */
#ifndef PNG_PNG_H
#define PNG_PNG_H
#include "analyse.h"
#include "checksum.h"
#include "encode.h"
#include "layout.h"
#include "near_lossless.h"
#include "passes.h"
#include "quantise.h"
#include "remap.h"
#include "sample.h"
#include "source.h"
#include "trial.h"

/* State of the PNG engine. Unused fields are zero. */
struct Png {
  Crc32 crc;
  Source source;
  u32 *rgba_row; /* buffer for one row of RGBA pixels */
  Analysis analysis;
  Layout layout; /* layout of the output */
  Encoder encoder;
  Histogram histogram;
  Quantiser quantiser;
  Palette palette;
  Remap remap;
  Near near;
  Sample sample;
  Perceptual perceptual;
  Trials trials;
  Pass pass;
};

static inline const Picture *picture_of(const Png *png) { return &png->source.picture; }
#endif
