/* What a viewer shows. */
#ifndef GIF_CANVAS_H
#define GIF_CANVAS_H

#include <wasm_simd128.h>

#include "../common/types.h"
#include "box.h"

typedef struct {
  int width, height;
  u16 *numbers;       /* colour numbers of the canvas after the frame that was read last */
  u8 *painted;        /* a bit for each pixel: that frame painted it, if only in the colour it had */
  bool keeps_painted; /* `painted` is kept up to date */
  Box dirty;          /* where the canvas may differ from the one before that frame */
  bool cleared;       /* a part was cleared since the frame before */
} Canvas;

/* Bytes of a bit for each pixel. put_row in decode_pixels.c may touch two bytes more. */
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
