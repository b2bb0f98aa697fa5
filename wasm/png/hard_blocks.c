#include "hard_blocks.h"

void hard_blocks_begin(HardBlocks *h, const Picture *p) {
  free(h->rows), free(h->new_colours);
  h->rows = NULL, h->new_colours = NULL;
  memset(h->hardness, 0, sizeof h->hardness);
  if (p->width < BLOCK || p->width > HARD_BLOCKS_WIDEST || p->height < BLOCK) return;
  if (!h->pixels) h->pixels = allocate(HARD_BLOCKS * BLOCK_PIXELS * 4);
  h->rows = allocate((size_t)BLOCK * p->width * 4);
  h->new_colours = allocate_zeroed((p->width / BLOCK + 1) * sizeof *h->new_colours);
}

static int easiest(const HardBlocks *h) {
  int least = 0;
  for (int k = 1; k < HARD_BLOCKS; k++)
    if (h->hardness[k] < h->hardness[least]) least = k;
  return least;
}

void hard_blocks_row(HardBlocks *h, const u32 *px, u32 width, u32 y) {
  if (!h->rows) return;
  memcpy(h->rows + (size_t)(y % BLOCK) * width, px, (size_t)width * 4);
  if (y % BLOCK != BLOCK - 1) return;
  for (u32 b = 0; (b + 1) * BLOCK <= width; b++) {
    const int least = easiest(h);
    if (h->new_colours[b] <= h->hardness[least]) continue;
    h->hardness[least] = h->new_colours[b];
    for (u32 r = 0; r < BLOCK; r++)
      memcpy(h->pixels + ((size_t)least * BLOCK + r) * BLOCK, h->rows + (size_t)r * width + b * BLOCK, BLOCK * 4);
  }
  memset(h->new_colours, 0, (width / BLOCK + 1) * sizeof *h->new_colours);
}
