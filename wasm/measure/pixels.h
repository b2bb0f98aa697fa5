/* Pixels as measure.c gets them: how their samples lie, their luma on a background, and their squared errors. */
#ifndef WHITTLE_PIXELS_H
#define WHITTLE_PIXELS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint8_t channels; /* 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA; alpha is not premultiplied */
  bool wide;        /* of 16 bits, little-endian, 65535 stands for 255; of 8 otherwise */
  bool translucent; /* any pixel may be */
} PixelFormat;

#define GREY_BYTES ((PixelFormat){1, false, false})

static inline uint32_t pixels_bytes(PixelFormat s) { return (uint32_t)s.channels << s.wide; }
static inline uint32_t pixels_colours(PixelFormat s) { return s.channels < 3 ? 1 : 3; }
/* Whether all of these pixels are. */
bool pixels_opaque(PixelFormat s, const uint8_t *row, uint32_t pixels);
/* Luma (ITU-R BT.601) minus 128. */
void pixels_luma(PixelFormat s, const uint8_t *row, uint32_t pixels, bool opaque, float background, float *luma);
/* Squared errors over the colour channels, of at most 32 pixels: single precision holds them. */
float pixels_squares(PixelFormat s, const uint8_t *a, const uint8_t *b, uint32_t pixels, bool opaque, float background);

#endif
