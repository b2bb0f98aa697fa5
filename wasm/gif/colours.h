/* Maps 24-bit colours to 16-bit numbers, so that canvases take two bytes per pixel. */
#ifndef GIF_COLOURS_H
#define GIF_COLOURS_H

#include "../common/types.h"

#define COLOURS 65536
#define CLEAR 0 /* number of a transparent pixel that no frame has painted */

/* Callback that sets alive[n] for each colour number n still in use. */
typedef void ColoursInUse(void *user, bool *alive);

typedef struct {
  u32 rgba[COLOURS]; /* colour of each number as r | g << 8 | b << 16 | 255 << 24; 0 for CLEAR and for free numbers */
  u16 *slots;        /* hash table of colour numbers; 0: empty slot */
  u32 next;          /* first number that the search for a free number tries */
  bool alive[COLOURS];
  ColoursInUse *in_use; /* called when all 65,536 numbers are taken */
  void *user;           /* first argument of the `in_use` callback */
} Colours;

void colours_begin(Colours *colours, ColoursInUse *in_use, void *user);
/* Returns the number of the colour r | g << 8 | b << 16. If no number is free, numbers that are no longer in use are
 * reassigned. */
u16 colour_number(Colours *colours, u32 rgb);
/* Squared distance of two colours. Luma has full weight and chroma about half, similar to human vision and SSIMULACRA
 * 2. */
i32 colour_distance(u32 a, u32 b);

#endif
