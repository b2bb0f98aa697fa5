/* Rectangle of pixels on the GIF canvas. */
#ifndef GIF_BOX_H
#define GIF_BOX_H

typedef struct {
  int x, y, w, h; /* height 0: the box is empty */
} Box;

/* Returns the smallest box that contains `a` and `b`. */
static inline Box box_around(Box a, Box b) {
  if (!a.h) return b;
  if (!b.h) return a;
  const int right = a.x + a.w > b.x + b.w ? a.x + a.w : b.x + b.w;
  const int bottom = a.y + a.h > b.y + b.h ? a.y + a.h : b.y + b.h;
  a.x = a.x < b.x ? a.x : b.x;
  a.y = a.y < b.y ? a.y : b.y;
  a.w = right - a.x;
  a.h = bottom - a.y;
  return a;
}

#endif
