/* Keeps the blocks of the picture that contain the most new colours. Colours that a palette reproduces badly are rare,
 * and a sample of rows would miss them. */
#ifndef PNG_HARD_BLOCKS_H
#define PNG_HARD_BLOCKS_H
#include "picture.h"
#include "tuning.h"

#define BLOCK_PIXELS (BLOCK * BLOCK)

typedef struct {
  u32 *pixels;               /* pixels of HARD_BLOCKS blocks, one after the other */
  u32 *rows;                 /* BLOCK rows of the picture; NULL: the picture is too small or too wide for blocks */
  u16 *new_colours;          /* new colours per column of blocks, counted by histogram_row; NULL if `rows` is */
  u16 hardness[HARD_BLOCKS]; /* number of new colours in each kept block; 0: unused entry */
} HardBlocks;

void hard_blocks_begin(HardBlocks *h, const Picture *picture);
/* Adds row `y` of the picture. histogram_row must have counted its new colours. */
void hard_blocks_row(HardBlocks *h, const u32 *px, u32 width, u32 y);
#endif
