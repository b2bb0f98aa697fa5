/* Cuts bands out of a picture. A search tries qualities on such a cut first, because a probe of it takes a fraction of
 * the time. */
#ifndef WHITTLE_JPEG_CUT_H
#define WHITTLE_JPEG_CUT_H

#include <stdint.h>

typedef struct Jpeg Jpeg;

/* Writes one of every `every` bands of the rows as read as a sequential file, one band below the other. Returns the
 * height of that picture; 0: nothing was written, because the picture has too few bands, unusual sampling,
 * levels without a code, or most of its detail inside or outside the bands. */
uint32_t write_cut(Jpeg *jpeg, uint32_t every);

#endif
