/* Local texture of a picture, row by row. Errors are masked by texture and visible in gradients and flat areas. */
#ifndef TEXTURE_H
#define TEXTURE_H
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint32_t rows;    /* rows since the last break */
  uint8_t *luma[3]; /* luma of the last three rows, composited over grey */
  /* bend of each pixel in the newest row: second differences of luma, horizontal plus vertical; 0 in linear gradients
   * */
  uint8_t *bends;
} Texture;

bool texture_open(Texture *t, uint32_t width); /* returns false if memory is short */
void texture_break(Texture *t);
/* Adds a row of `width` pixels, at most as many as in texture_open. */
void texture_row(Texture *t, const uint32_t *px, uint32_t width);
void texture_close(Texture *t);
#endif
