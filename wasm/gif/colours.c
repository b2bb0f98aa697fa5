#include "colours.h"

#include <string.h>

#include "../common/allocate.h"
#include "../common/host.h"

#define SLOT_BITS 17
#define SLOTS (1u << SLOT_BITS)
#define TABLE_COLOURS 256 /* a GIF colour table needs up to 256 numbers at once */

void colours_begin(Colours *colours, ColoursInUse *in_use, void *user) {
  colours->in_use = in_use;
  colours->user = user;
  colours->next = 1;
  colours->slots = allocate_zeroed(SLOTS * sizeof *colours->slots);
}

/* Knuth's multiplicative hash. */
static u32 slot_of(u32 colour) { return (colour * 0x9E3779B1u) >> (32 - SLOT_BITS); }

static void enter(Colours *colours, u16 number) {
  u32 h = slot_of(colours->rgba[number]);
  while (colours->slots[h]) h = (h + 1) & (SLOTS - 1);
  colours->slots[h] = number;
}

/* Frees colour numbers that are not in use. Other colours keep their numbers, so that canvases stay valid. */
static void recycle(Colours *colours) {
  memset(colours->alive, 0, sizeof colours->alive);
  colours->in_use(colours->user, colours->alive);
  u32 free_numbers = 0;
  memset(colours->slots, 0, SLOTS * sizeof *colours->slots);
  for (u32 i = 1; i < COLOURS; i++) {
    if (colours->alive[i]) {
      enter(colours, i);
    } else {
      colours->rgba[i] = 0;
      free_numbers++;
    }
  }
  if (free_numbers < TABLE_COLOURS) host_fail(FAIL_UNSUPPORTED, "more colours on the canvas than can be told apart");
  colours->next = 1;
}

u16 colour_number(Colours *colours, u32 rgb) {
  const u32 colour = rgb | 0xff000000u;
  u32 h = slot_of(colour);
  for (; colours->slots[h]; h = (h + 1) & (SLOTS - 1))
    if (colours->rgba[colours->slots[h]] == colour) return colours->slots[h];
  while (colours->next < COLOURS && colours->rgba[colours->next]) colours->next++;
  if (colours->next == COLOURS) {
    recycle(colours);
    while (colours->rgba[colours->next]) colours->next++;
    h = slot_of(colour);
    while (colours->slots[h]) h = (h + 1) & (SLOTS - 1);
  }
  colours->rgba[colours->next] = colour;
  colours->slots[h] = colours->next;
  return colours->next++;
}

i32 colour_distance(u32 a, u32 b) {
  const i32 red = (i32)(a & 255) - (i32)(b & 255);
  const i32 green = (i32)(a >> 8 & 255) - (i32)(b >> 8 & 255);
  const i32 blue = (i32)(a >> 16 & 255) - (i32)(b >> 16 & 255);
  const i32 luma = (77 * red + 150 * green + 29 * blue) / 16; /* luma of ITU-R BT.601, times sixteen */
  const i32 cr = red * 16 - luma, cb = blue * 16 - luma;
  return (luma * luma + (cr * cr + cb * cb) / 5) >> 8;
}
