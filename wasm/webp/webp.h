/*
 * WebP (RFC 9649) from pixel rows: planes of 1.5 bytes a pixel, libwebp's encoder, and its decoder run over the
 * result so that SSIM and PSNR come with it, strip by strip, without a decoded picture. One instance, one picture.
 *
 * Layers, each using only those below it:
 *   exports            what the host calls; owns the one instance
 *   compare, viewer    figures of the last result; rows of a file as viewers show them
 *   rows, encode       pixel rows in, files out
 *   strips             libwebp's decoder, handing strips upwards through StripTaker
 *   wasm/common, tuning
 */
#ifndef WHITTLE_WEBP_H
#define WHITTLE_WEBP_H

#include "measure.h"
#include "src/webp/encode.h"
#include "strips.h"

/* Which picture: the whole, or a sample of it for the search. */
enum { WHOLE = 0, SAMPLE = 1 };

typedef struct {
  WebPPicture pictures[2];
  WebPMemoryWriter file; /* the last result */

  /* rows.c */
  uint32_t *sums; /* of red, green and blue over the pairs of columns of a row pair; NULL: rows are kept as pixels */
  int channels, next_row, is_fitted;
  uint32_t hue_steps; /* pairs of pixels whose hues are far apart, of those whose mean becomes chroma */

  Strips strips;

  /* compare.c */
  Measure *measure;
  const WebPPicture *reference;
  uint8_t full_range[256], *line_a, *line_b; /* luma of the studio range to 0..255; a line of both pictures */
  double u_error, v_error, chroma_samples;

  /* viewer.c: rows of the last strip as RGBA. Chroma lies between two pairs of rows, so each strip keeps its last
   * row for the next one. */
  uint8_t *rgba, *kept_y, *kept_u, *kept_v, *kept_a;
  int rgba_rows;
} Webp;

/* Pixel rows of a picture. */
typedef struct {
  int width, height, channels;
  /* Red, green, blue and alpha as they are, 4 bytes a pixel, for lossless coding. */
  int exact;
  /* The same until the last row, then planes that come nearest to the picture when chroma is interpolated
   * (libsharpyuv), which keeps thin lines of strong colours; 13 bytes a pixel. */
  int fitted;
} RowsFormat;

/* ---- rows.c ---- */
void rows_begin(Webp *w, RowsFormat format);
void rows_add(Webp *w, const uint8_t *bytes, int count);
/* Makes `count` bands of 64 rows, evenly spread, the sample. 0: the whole picture is hardly more. */
int rows_sample(Webp *w, int count);

/* ---- encode.c ---- */
typedef struct {
  float quality;
  int method, lossless, frugal; /* frugal: less memory, more time */
} Settings;
/* Encodes the whole or the sample. Returns the number of bytes, 0 when libwebp gave up (usually for memory). */
uint32_t encode_file(Webp *w, int which, Settings settings);

/* ---- compare.c ---- */
/* Decodes the last result and compares it with the planes it was made from. 0: it cannot be decoded. */
int compare_file(Webp *w, int which);

/* ---- viewer.c ---- */
/* Begins to decode a lossy file as viewers show it. 0: it is damaged, or of another size. */
int viewer_begin(Webp *w, const uint8_t *file, uint32_t length, int width, int height);
/* How many rows came next: 0 at the end, -1 where the file is damaged. */
int viewer_next(Webp *w);

#endif
