/* The blocks of the picture in which most colours are met first. What a palette spoils is rare, and a sample of rows
 * would miss it. */
#ifndef PNG_HARD_BLOCKS_H
#define PNG_HARD_BLOCKS_H
#include "picture.h"
#include "tuning.h"

#define BLOCK_PIXELS (BLOCK * BLOCK)

typedef struct {
  u32 *pixels;               /* HARD_BLOCKS blocks, one after the other */
  u32 *rows;                 /* BLOCK rows of the picture; NULL: the picture is too small or too wide for blocks */
  u16 *new_colours;          /* by column of blocks: counted by histogram_row; NULL as `rows` */
  u16 hardness[HARD_BLOCKS]; /* new colours; 0: no block is there */
} HardBlocks;

void hard_blocks_begin(HardBlocks *h, const Picture *picture);
/* Takes row `y` of the picture, after its new colours were counted. */
void hard_blocks_row(HardBlocks *h, const u32 *px, u32 width, u32 y);
#endif
