/* Numbers of 16 bits for colours of 24: canvases hold the numbers. */
#ifndef GIF_COLOURS_H
#define GIF_COLOURS_H

#include "../common/types.h"

#define COLOURS 65536
#define CLEAR 0 /* the number of a pixel that nothing was painted on */

/* Sets alive[n] for each number n that is in use. */
typedef void ColoursInUse(void *user, bool *alive);

typedef struct {
  u32 rgba[COLOURS]; /* r | g << 8 | b << 16 | 255 << 24 of each number; 0 for CLEAR and for free numbers */
  u16 *slots;        /* hash table of numbers, 0 for an empty slot */
  u32 next;          /* where the search for a free number begins */
  bool alive[COLOURS];
  ColoursInUse *in_use; /* called when all numbers are taken */
  void *user;           /* its first argument */
} Colours;

void colours_begin(Colours *colours, ColoursInUse *in_use, void *user);
/* The number of r | g << 8 | b << 16. If none is free, the numbers that are not in use are given out again. */
u16 colour_number(Colours *colours, u32 rgb);
/* Squared distance of two colours: luma in full, chroma by about half, as eyes and metrics weigh them. */
i32 colour_distance(u32 a, u32 b);

#endif
