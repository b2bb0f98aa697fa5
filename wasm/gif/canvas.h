/* The canvas: pixels that a GIF viewer shows at one moment. */
#ifndef GIF_CANVAS_H
#define GIF_CANVAS_H

#include <wasm_simd128.h>

#include "../common/types.h"
#include "box.h"

typedef struct {
  int width, height;
  u16 *numbers;       /* 16-bit colour number of each pixel after the frame that was decoded last */
  u8 *painted;        /* one bit per pixel: the last frame painted it, even if with an unchanged colour */
  bool keeps_painted; /* true: the decoder keeps `painted` up to date */
  Box dirty;          /* area that may differ from the canvas before the last frame */
  bool cleared;       /* a frame disposal cleared some pixels since the frame before */
} Canvas;

/* Size in bytes of a bitmap with one bit per pixel. put_row in decode_pixels.c may write two bytes past the last
 * bit. */
#define PAINTED_BYTES(pixels) ((((pixels) + 7) >> 3) + 2)

static inline u32 canvas_pixels(const Canvas *canvas) { return (u32)canvas->width * canvas->height; }

static inline bool same_numbers(const u16 *a, const u16 *b, u32 count) {
  u32 i = 0;
  for (; i + 8 <= count; i += 8)
    if (wasm_v128_any_true(wasm_v128_xor(wasm_v128_load(a + i), wasm_v128_load(b + i)))) return false;
  for (; i < count; i++)
    if (a[i] != b[i]) return false;
  return true;
}

#endif
