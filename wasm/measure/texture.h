/* How busy a picture is, row by row: errors drown in texture and stand out in gradients and flat areas. */
#ifndef TEXTURE_H
#define TEXTURE_H
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint32_t rows;    /* since the last break */
  uint8_t *luma[3]; /* of the last rows, on grey */
  uint8_t *bends;   /* of the newest row: second differences across and down, 0 in gradients however steep */
} Texture;

bool texture_open(Texture *t, uint32_t width); /* false when memory is short */
void texture_break(Texture *t);
/* `width` pixels at most as many as at first. */
void texture_row(Texture *t, const uint32_t *px, uint32_t width);
void texture_close(Texture *t);
#endif
