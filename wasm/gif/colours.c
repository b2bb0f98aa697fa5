#include "engine.h"

u32 colour_of[65536];

#define SLOTS (1u << 17)
static u16 *slots; /* colour numbers, 0 for an empty slot */
static u32 used = 1;

void colours_recycle(bool *alive); /* engine.c: marks the numbers that canvases hold */

static u32 slot_of(u32 colour) { return (colour * 0x9E3779B1u) >> 15; }

static void enter(u16 number) {
  u32 h = slot_of(colour_of[number]);
  while (slots[h]) h = (h + 1) & (SLOTS - 1);
  slots[h] = number;
}

/* Frees the numbers that no canvas holds any more. Numbers keep their colours, so canvases stay as they are. */
static void recycle(void) {
  static bool alive[65536];
  memset(alive, 0, sizeof alive);
  colours_recycle(alive);
  u32 free_numbers = 0;
  memset(slots, 0, SLOTS * sizeof *slots);
  for (u32 i = 1; i < 65536; i++) {
    if (alive[i]) enter(i);
    else {
      colour_of[i] = 0;
      free_numbers++;
    }
  }
  if (free_numbers < 256) host_fail(FAIL_UNSUPPORTED, "more colours on the canvas than can be told apart");
  used = 1;
}

u16 number_of(u32 rgb) {
  if (!slots) slots = allocate_zeroed(SLOTS * sizeof *slots);
  const u32 colour = rgb | 0xff000000u;
  u32 h = slot_of(colour);
  for (; slots[h]; h = (h + 1) & (SLOTS - 1))
    if (colour_of[slots[h]] == colour) return slots[h];
  while (used < 65536 && colour_of[used]) used++;
  if (used == 65536) {
    recycle();
    while (colour_of[used]) used++;
    h = slot_of(colour);
    while (slots[h]) h = (h + 1) & (SLOTS - 1);
  }
  colour_of[used] = colour;
  slots[h] = used;
  return used++;
}

void colours_forget(void) {
  memset(colour_of, 0, sizeof colour_of);
  if (slots) memset(slots, 0, SLOTS * sizeof *slots);
  used = 1;
}

i32 distance(u32 a, u32 b) {
  const i32 r = (i32)(a & 255) - (i32)(b & 255), g = (i32)(a >> 8 & 255) - (i32)(b >> 8 & 255), l = (i32)(a >> 16 & 255) - (i32)(b >> 16 & 255);
  const i32 y = (77 * r + 150 * g + 29 * l) / 16; /* sixteen times the luma */
  const i32 cr = r * 16 - y, cb = l * 16 - y;
  return (y * y + (cr * cr + cb * cb) / 5) >> 8;
}
