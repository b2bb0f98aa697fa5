/* Image data of a frame: LZW codes to rows of indices (GIF89a, appendices E and F). */
#ifndef GIF_DECODE_PIXELS_H
#define GIF_DECODE_PIXELS_H

#include "decode.h"

void pixels_begin(Decoder *d, int code_size);
/* Bytes of codes, without sub-block lengths. */
void pixels_take(Decoder *d, const u8 *bytes, u32 count);

#endif
