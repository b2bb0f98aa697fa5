/* Decodes the LZW image data of a frame into rows of indices (GIF89a, appendices E and F). */
#ifndef GIF_DECODE_PIXELS_H
#define GIF_DECODE_PIXELS_H

#include "decode.h"

void pixels_begin(Decoder *d, int code_size);
/* Decodes `count` bytes of LZW codes, without the sub-block length bytes. */
void pixels_take(Decoder *d, const u8 *bytes, u32 count);

#endif
