/* Converts source rows of any colour type to RGBA. */
#ifndef PNG_SAMPLES_H
#define PNG_SAMPLES_H
#include "picture.h"

/* Converts `width` pixels to r | g << 8 | b << 16 | a << 24, with palette and colour key applied. 16-bit samples are
 * rounded to eight bits. */
void to_rgba8(const Picture *picture, const u8 *row, u32 width, u32 *out);
/* Converts `width` pixels to four 16-bit samples each (0-65535). `rgba` is a buffer for `width` pixels. */
void to_rgba16(const Picture *picture, const u8 *row, u32 width, u16 *out, u32 *rgba);
#endif
