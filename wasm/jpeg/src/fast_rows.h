/* SIMD forms of the last steps of libjpeg's decoder, with exactly the same samples: inverse DCT, doubled chroma, RGB. */
#ifndef WHITTLE_JPEG_FAST_ROWS_H
#define WHITTLE_JPEG_FAST_ROWS_H

#include "host.h"

/* Replaces the steps of a decoder for which there is a faster form. Called after jpeg_start_decompress. */
void fast_rows(j_decompress_ptr decoder);

#endif
