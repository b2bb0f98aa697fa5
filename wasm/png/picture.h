/* What the file says about the picture, and which of its rows arrive. */
#ifndef PNG_PICTURE_H
#define PNG_PICTURE_H
#include "host.h"

/* W3C PNG, 11.2.1: colour types. Bit 1: colour; bit 2: alpha. */
enum { GRAY = 0, RGB = 2, INDEXED = 3, GRAY_ALPHA = 4, RGB_ALPHA = 6 };

/* How rows of an Adam7 picture are delivered: pass by pass, or gathered in memory and in order. */
enum { INTERLACE_NONE = 0, INTERLACE_PASSES = 1, INTERLACE_GATHER = 2 };

/* The source picture. */
typedef struct {
  u32 width, height; /* IHDR */
  int colour_type, depth, channels, pixel_bits, filter_bytes;
  int interlace;
  u32 palette[256]; /* r | g << 8 | b << 16 | a << 24 */
  int palette_size;
  bool has_key; /* tRNS of a grey or RGB picture */
  u16 key[3];
} Picture;

/* The rows that are being delivered: a frame, or one Adam7 pass of it. In the frame, x = x0 + i * dx, y = y0 + row *
 * dy. */
typedef struct {
  u32 width, height, x0, y0, dx, dy, row_bytes;
} Rows;

/* Samples of a pixel, by colour type; 0: there is no such type. */
static const u8 channels_of_type[7] = {1, 0, 3, 1, 2, 0, 4};

/* Bytes of a row of `width` pixels of `bits` each (W3C PNG, 7.2). */
static inline u32 row_bytes_of(u32 width, int bits) { return (u32)(((u64)width * bits + 7) >> 3); }

#define OPAQUE 0xff000000u
#define COLOUR_MASK 0x00ffffffu
#endif
