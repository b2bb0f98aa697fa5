/* Picture properties from the file header, and geometry of the rows that are decoded. */
#ifndef PNG_PICTURE_H
#define PNG_PICTURE_H
#include "host.h"

/* W3C PNG, 11.2.1: colour types. Bit 1: colour; bit 2: alpha. */
enum { GRAY = 0, RGB = 2, INDEXED = 3, GRAY_ALPHA = 4, RGB_ALPHA = 6 };

/* Delivery of an Adam7 (interlaced) picture: pass by pass, or buffered and delivered in row order. */
enum { INTERLACE_NONE = 0, INTERLACE_PASSES = 1, INTERLACE_GATHER = 2 };

/* Properties of the source picture. */
typedef struct {
  u32 width, height; /* picture size from the IHDR chunk */
  int colour_type, depth, channels, pixel_bits, filter_bytes;
  int interlace;
  u32 palette[256]; /* palette colours as r | g << 8 | b << 16 | a << 24 */
  int palette_size;
  bool has_key; /* a tRNS chunk makes one colour of a grey or RGB picture transparent */
  u16 key[3];
} Picture;

/* Geometry of the current rows: a frame, or one Adam7 pass of it. Position in the frame: x = x0 + i * dx, y = y0 + row
 * * dy. */
typedef struct {
  u32 width, height, x0, y0, dx, dy, row_bytes;
} Rows;

/* Samples per pixel by PNG colour type; 0: no such type. */
static const u8 channels_of_type[7] = {1, 0, 3, 1, 2, 0, 4};

/* Bytes of a row of `width` pixels with `bits` bits each (W3C PNG, 7.2). */
static inline u32 row_bytes_of(u32 width, int bits) { return (u32)(((u64)width * bits + 7) >> 3); }

#define OPAQUE 0xff000000u
#define COLOUR_MASK 0x00ffffffu
#endif
