/* Finds flat and smooth areas of a frame. In them a wrong colour is visible as dirt even if the mean error is small. */
#ifndef GIF_FLATNESS_H
#define GIF_FLATNESS_H

#include "../common/types.h"
#include "canvas.h"

typedef struct {
  const Canvas *canvas; /* canvas whose width and height are used */
  const u32 *rgba;      /* RGBA of each colour number */
  u8 *flat, *smooth;    /* bitmaps with one bit per canvas pixel */
  u8 *cores;            /* three rows of flags: the pixel and its eight neighbours have one colour */
} Flatness;

void flatness_begin(Flatness *f, const Canvas *canvas, const u32 *rgba);
/* Finds the flat and smooth pixels of a canvas of colour numbers. */
void flatness_find(Flatness *f, const u16 *numbers);
/* True if the pixel is in a flat area. Flat pixels must be coded exactly. */
static inline bool is_flat(const Flatness *f, size_t pixel) { return f->flat[pixel >> 3] >> (pixel & 7) & 1; }
/* True if the pixel is in a smooth area. Smooth pixels have a smaller tolerance than others. */
static inline bool is_smooth(const Flatness *f, size_t pixel) { return f->smooth[pixel >> 3] >> (pixel & 7) & 1; }

#endif
