/* Rows of the source in common forms. */
#ifndef PNG_SAMPLES_H
#define PNG_SAMPLES_H
#include "picture.h"

/* `width` pixels as r | g << 8 | b << 16 | a << 24, palette and colour key applied. Samples of 16 bits are rounded. */
void to_rgba8(const Picture *picture, const u8 *row, u32 width, u32 *out);
/* The same as four samples a pixel, 0..65535. `rgba` has room for `width` pixels. */
void to_rgba16(const Picture *picture, const u8 *row, u32 width, u16 *out, u32 *rgba);
#endif
