/* The PNG engine: one picture per instance, rows streamed, memory independent of the height.
 *
 * The host (engine.ts) reads and writes the chunks of the file; the engine sees the zlib streams inside. A pass is
 * begin(mode), then for each frame frame(width, height) and either the compressed bytes (feed) or plain rows
 * (take_row), and frame_end(). Everything that the host says or a file holds is checked; trouble calls host_fail,
 * which does not return, and the host throws the instance away.
 *
 * Layers, each using only those below it:
 *   exports      what the host calls; owns the one instance
 *   passes       what happens to each row of the source · trial: the same on a sample
 *   encode · remap · near_lossless · quantise · numbered · perceptual
 *   layout · filter_cost · hiding · histogram · sample
 *   source (hands rows upwards through RowTaker) · analyse · palette_order · palette · hard_blocks
 *   inflate (hands bytes upwards through InflateTaker) · samples · filters · checksum
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

/* The state of the engine. Fields that are not yet in use are zero. */
struct Png {
  Crc32 crc;
  Source source;
  u32 *rgba_row; /* room for one row of the picture */
  Analysis analysis;
  Layout layout; /* of the result */
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
