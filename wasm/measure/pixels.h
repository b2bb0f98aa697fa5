/* Access to pixels of several formats for measure.c: luma on a background, and squared errors. */
#ifndef WHITTLE_PIXELS_H
#define WHITTLE_PIXELS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint8_t channels; /* 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA; alpha is not premultiplied */
  bool wide;        /* true: 16 bits per sample, little-endian, 0 to 65535; false: 8 bits */
  bool translucent; /* some pixel may be translucent */
} PixelFormat;

#define GREY_BYTES ((PixelFormat){1, false, false})

static inline uint32_t pixels_bytes(PixelFormat s) { return (uint32_t)s.channels << s.wide; }
static inline uint32_t pixels_colours(PixelFormat s) { return s.channels < 3 ? 1 : 3; }
/* True if all of these pixels are opaque. */
bool pixels_opaque(PixelFormat s, const uint8_t *row, uint32_t pixels);
/* Computes luma (ITU-R BT.601) minus 128 of pixels composited over `background`. */
void pixels_luma(PixelFormat s, const uint8_t *row, uint32_t pixels, bool opaque, float background, float *luma);
/* Returns the squared errors of the colour channels of at most 32 pixels, for which single precision is exact
 * enough. */
float pixels_squares(PixelFormat s, const uint8_t *a, const uint8_t *b, uint32_t pixels, bool opaque, float background);

#endif
