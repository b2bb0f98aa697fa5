/* WebP encoder engine (RFC 9649) for pixel rows. It holds planes of 1.5 bytes per pixel and runs libwebp's encoder. It
 * then decodes the result strip by strip to measure SSIM and PSNR without holding a decoded picture. One instance
 * processes one picture. */
#ifndef WHITTLE_WEBP_H
#define WHITTLE_WEBP_H

#include "measure.h"
#include "src/webp/encode.h"
#include "strips.h"

/* Index of a picture: the whole picture, or the sample for the search. */
enum { WHOLE = 0, SAMPLE = 1 };

typedef struct {
  WebPPicture pictures[2];
  WebPMemoryWriter file; /* last encoded file */

  /* Fields of rows.c: input of pixel rows. */
  /* sums of red, green and blue of each 2×2 block of the current row pair; NULL: rows are stored as pixels */
  uint32_t *sums;
  int channels, next_row, is_fitted;
  uint32_t hue_steps; /* number of pixel pairs with strong hue differences, among pixels that share a chroma sample */

  Strips strips;

  /* Fields of compare.c: quality of the last result. */
  Measure *measure;
  const WebPPicture *reference;
  /* `full_range`: studio-range luma to 0-255; `line_a`, `line_b`: a luma row of both pictures */
  uint8_t full_range[256], *line_a, *line_b;
  double u_error, v_error, chroma_samples;

  /* State of viewer.c: rows of the last strip as RGBA. A chroma row lies between two luma rows, so that each strip
   * keeps its last row for the next one. */
  uint8_t *rgba, *kept_y, *kept_u, *kept_v, *kept_a;
  int rgba_rows;
} Webp;

/* Format of a picture's pixel rows. */
typedef struct {
  int width, height, channels;
  /* Keeps red, green, blue and alpha unchanged, with 4 bytes per pixel, for lossless coding. */
  int exact;
  /* Stores pixels until the last row, then optimises the planes for interpolated chroma (libsharpyuv). This preserves
   * thin lines of saturated colours and takes 13 bytes per pixel. */
  int fitted;
} RowsFormat;

/* ---- rows.c ---- */
void rows_begin(Webp *w, RowsFormat format);
void rows_add(Webp *w, const uint8_t *bytes, int count);
/* Creates the sample from `count` evenly spread bands of 64 rows. Returns 0 if the whole picture is hardly larger. */
int rows_sample(Webp *w, int count);

/* ---- encode.c ---- */
typedef struct {
  float quality;
  int method, lossless, frugal; /* frugal: use less memory and more time */
} Settings;
/* Encodes the whole picture or the sample. Returns the number of bytes; 0: libwebp failed, usually for lack of
 * memory. */
uint32_t encode_file(Webp *w, int which, Settings settings);

/* ---- compare.c ---- */
/* Decodes the last result and compares it with its source planes. Returns 0 if it cannot be decoded. */
int compare_file(Webp *w, int which);

/* ---- viewer.c ---- */
/* Starts decoding a lossy file as viewers display it. Returns 0 if the file is damaged or has another size. */
int viewer_begin(Webp *w, const uint8_t *file, uint32_t length, int width, int height);
/* Decodes the next rows. Returns their number; 0 at the end; -1 if the file is damaged. */
int viewer_next(Webp *w);

#endif
