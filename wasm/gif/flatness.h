/* Where a frame is flat or smooth. There a colour that is off shows as dirt, however little it weighs in the mean. */
#ifndef GIF_FLATNESS_H
#define GIF_FLATNESS_H

#include "../common/types.h"
#include "canvas.h"

typedef struct {
  const Canvas *canvas; /* its size */
  const u32 *rgba;      /* of colour numbers */
  u8 *flat, *smooth;    /* a bit for each pixel of the canvas */
  u8 *cores;            /* three rows: the 3 x 3 pixels around are of one colour */
} Flatness;

void flatness_begin(Flatness *f, const Canvas *canvas, const u32 *rgba);
/* Finds flat and smooth pixels of a canvas of colour numbers. */
void flatness_find(Flatness *f, const u16 *numbers);
/* Flat pixels must be written as they are. */
static inline bool is_flat(const Flatness *f, size_t pixel) { return f->flat[pixel >> 3] >> (pixel & 7) & 1; }
/* Smooth pixels may be off by less than others. */
static inline bool is_smooth(const Flatness *f, size_t pixel) { return f->smooth[pixel >> 3] >> (pixel & 7) & 1; }

#endif
