#include "numbered.h"

#include "tuning.h"

#define SLOT_BITS 17 /* log2 of the hash slots: twice the largest number of colours */
#define SLOTS (1u << SLOT_BITS)
#define FIRST_ROOM 1024

void numbered_forget(Numbered *n) {
  free(n->numbers), free(n->colours), free(n->at), free(n->nearest);
  *n = (Numbered){0};
}

static u32 add_colour(Numbered *n, u32 colour) {
  if (n->count == n->room && !(n->colours = realloc(n->colours, (n->room *= 2) * sizeof *n->colours)))
    host_fail(FAIL_MEMORY, "no memory for colours");
  n->colours[n->count] = colour;
  return n->count++;
}

/* Numbers the colours of `count` pixels. Returns false if there are too many colours. `slots`: hash table of colour
 * numbers; 0: empty. */
static bool number_pixels(Numbered *n, u16 *slots, const u32 *px, u32 count, u16 *out) {
  for (u32 i = 0; i < count; i++) {
    if (i && px[i] == px[i - 1]) {
      out[i] = out[i - 1];
      continue;
    }
    if (!(px[i] >> 24)) {
      out[i] = 0;
      continue;
    }
    u32 h = (px[i] * 0x9E3779B1u) >> (32 - SLOT_BITS);
    while (slots[h] && n->colours[slots[h]] != px[i]) h = (h + 1) & (SLOTS - 1);
    if (!slots[h]) {
      if (n->count == MOST_NUMBERED) return false;
      slots[h] = add_colour(n, px[i]);
    }
    out[i] = slots[h];
  }
  return true;
}

void numbered_try(Numbered *n, const Sample *s) {
  if (n->tried) return;
  const HardBlocks *hard = &s->hard;
  const u32 pixels = s->rows * s->width, in_blocks = hard->rows ? HARD_BLOCKS * BLOCK_PIXELS : 0;
  n->numbers = allocate((pixels + in_blocks) * sizeof *n->numbers + 16);
  n->room = FIRST_ROOM;
  n->colours = allocate_zeroed(n->room * sizeof *n->colours);
  n->count = 1;
  u16 *slots = allocate_zeroed(SLOTS * sizeof *slots);
  bool all = number_pixels(n, slots, s->pixels, pixels, n->numbers);
  for (u32 k = 0; k < HARD_BLOCKS && all && in_blocks; k++) {
    const size_t at = (size_t)k * BLOCK_PIXELS;
    if (hard->hardness[k]) all = number_pixels(n, slots, hard->pixels + at, BLOCK_PIXELS, n->numbers + pixels + at);
  }
  free(slots);
  if (!all) numbered_forget(n);
  n->tried = true;
  if (!all) return;
  n->at = allocate(n->count * sizeof *n->at);
  n->nearest = allocate(n->count);
  for (u32 i = 0; i < n->count; i++) coordinates_of(n->colours[i], (float *)&n->at[i]);
  n->version = 0;
}

void numbered_follow(Numbered *n, const Palette *p, u32 version) {
  if (n->version == version) return;
  n->version = version;
  float distance;
  for (u32 i = 0; i < n->count; i++) n->nearest[i] = nearest_colour(p, (const float *)&n->at[i], &distance);
}
