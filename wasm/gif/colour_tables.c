#include "colour_tables.h"

#include <string.h>

#include "../common/allocate.h"
#include "gif.h"

void colour_tables_begin(Gif *gif) {
  PreparedPixels *p = &gif->prepared;
  if (p->symbols) return;
  p->symbols = allocate_zeroed(canvas_pixels(&gif->canvas));
  p->may_repeat = allocate_zeroed((canvas_pixels(&gif->canvas) + 7) >> 3);
}

/* True if the frame's area is cleared afterwards. Viewers clear to transparency only if the frame has a transparent
 * entry. */
static bool will_be_cleared(const Gif *gif) { return gif->encoder.frame.disposal == 2; }

static bool add_entry(PreparedPixels *p, ColourTable *t, u16 number) {
  if (p->index_stamp[number] == p->stamp) return true;
  if (t->size == 256) return false;
  p->index_stamp[number] = p->stamp;
  p->index_of[number] = t->size;
  t->number[t->size++] = number;
  return true;
}

/* True if the difference levels of eight pixels are all zero. */
static inline bool are_equal(const u8 *levels) {
  u64 eight;
  memcpy(&eight, levels, 8);
  return !eight;
}

/* Collects the colours of the box: of changed pixels, or of all pixels. Returns false if there are more than 256. */
static bool collect_local(Gif *gif, ColourTable *t, Box box, int limit, bool all) {
  PreparedPixels *p = &gif->prepared;
  const u16 *target = gif->encoder.frame.numbers;
  const u8 *levels = gif->changes.levels;
  bool needs_clear = will_be_cleared(gif);
  t->size = 0;
  t->local = true;
  p->stamp++;
  for (int y = box.y; y < box.y + box.h; y++)
    for (int x = box.x; x < box.x + box.w; x++) {
      const u32 i = (u32)y * gif->canvas.width + x;
      if (!all && x + 8 <= box.x + box.w && are_equal(levels + i)) {
        needs_clear = true;
        x += 7;
      } else if (!target[i] || (!all && levels[i] <= limit)) {
        needs_clear = true;
      } else if (!add_entry(p, t, target[i])) {
        return false;
      }
    }
  if (needs_clear && t->size == 256) return false;
  t->bits = table_bits_for(t->size + needs_clear);
  t->code_bits = t->bits;
  t->clear_index = t->size < 1 << t->bits ? t->size : -1;
  return true;
}

/* Uses the global table. Only as many entries as the changed pixels need are used, and an entry that no changed pixel
 * needs becomes the transparent one. */
static void use_common(Gif *gif, ColourTable *t, Box box, int limit) {
  PreparedPixels *p = &gif->prepared;
  const u16 *target = gif->encoder.frame.numbers;
  const u8 *levels = gif->changes.levels;
  bool needed[256] = {false}, needs_clear = will_be_cleared(gif);
  int highest = -1;
  t->size = 0;
  t->local = false;
  p->stamp++;
  for (int i = 0; i < gif->encoder.common_size; i++) add_entry(p, t, gif->encoder.common[i]);
  t->bits = table_bits_for(gif->encoder.common_size);
  for (int y = box.y; y < box.y + box.h; y++)
    for (int x = box.x; x < box.x + box.w; x++) {
      const u32 i = (u32)y * gif->canvas.width + x;
      if (x + 8 <= box.x + box.w && are_equal(levels + i)) {
        needs_clear = true;
        x += 7;
      } else if (!target[i] || levels[i] <= limit) {
        needs_clear = true;
      } else if (p->index_stamp[target[i]] == p->stamp && !needed[p->index_of[target[i]]]) {
        needed[p->index_of[target[i]]] = true;
        if (p->index_of[target[i]] > highest) highest = p->index_of[target[i]];
      }
    }
  t->clear_index = -1;
  if (needs_clear || highest < 1) {
    for (int i = 0; i < 1 << t->bits && t->clear_index < 0; i++)
      if (!needed[i]) t->clear_index = i;
    if (t->clear_index > highest) highest = t->clear_index;
  }
  t->code_bits = table_bits_for(highest + 1);
}

/* Returns the table entry nearest to a colour without an entry, and stores it as that colour's entry. */
static u8 nearest_entry(Gif *gif, const ColourTable *t, u16 number) {
  const u32 *rgba = gif->colours.rgba;
  i32 best = INT32_MAX;
  u8 winner = 0;
  for (int i = 0; i < t->size && i < 1 << t->code_bits; i++) {
    if (i == t->clear_index) continue;
    const i32 d = colour_distance(rgba[number], rgba[t->number[i]]);
    if (d < best) {
      best = d;
      winner = i;
    }
  }
  gif->prepared.index_stamp[number] = gif->prepared.stamp;
  return gif->prepared.index_of[number] = winner;
}

/* Computes the symbols, and the pixels that may stay unpainted. `nearest`: colours without an entry get the nearest
 * one. Returns false if the table cannot express the frame exactly. */
static bool map_pixels(Gif *gif, const ColourTable *t, Box box, int limit, bool nearest) {
  const PreparedPixels *p = &gif->prepared;
  u8 *symbols = p->symbols, *may_repeat = p->may_repeat;
  const u16 *targets = gif->encoder.frame.numbers, *shown = gif->encoder.shown;
  const u8 *levels = gif->changes.levels;
  const u32 stamp = p->stamp;
  const int clear = t->clear_index, entries = 1 << t->code_bits;
  u32 k = 0;
  for (int y = box.y; y < box.y + box.h; y++)
    for (int x = box.x; x < box.x + box.w; x++, k++) {
      const u32 i = (u32)y * gif->canvas.width + x;
      const u16 target = targets[i];
      const bool stays = levels[i] <= limit && clear >= 0;
      const u8 bit = 1 << (k & 7);
      may_repeat[k >> 3] = (may_repeat[k >> 3] & ~bit) | (stays ? bit : 0);
      const int index = p->index_of[target]; /* table entry of the pixel's colour, if it may be used */
      if (!target) {
        if (clear < 0 || shown[i]) return false;
        symbols[k] = clear;
      } else if (p->index_stamp[target] == stamp && index != clear && index < entries) {
        symbols[k] = index;
      } else if (stays) {
        symbols[k] = clear;
      } else if (nearest) {
        symbols[k] = nearest_entry(gif, t, target);
      } else {
        return false;
      }
    }
  return true;
}

static int limit_of(const Gif *gif, const Plan *plan) { return changes_limit(gif, plan->tolerance * plan->keep_share); }

/* `all`: the local table also includes the colours of pixels that may stay unpainted. */
static bool prepare(Gif *gif, Plan *plan, bool local, bool all) {
  const int limit = limit_of(gif, plan);
  plan->box = changes_box(gif, limit);
  if (local) {
    if (!collect_local(gif, &plan->table, plan->box, limit, all)) return false;
  } else {
    use_common(gif, &plan->table, plan->box, limit);
    if (will_be_cleared(gif) && plan->table.clear_index < 0) return false;
  }
  plan->inexact = false;
  return map_pixels(gif, &plan->table, plan->box, limit, false);
}

bool prepare_common(Gif *gif, Plan *plan) { return gif->encoder.common_size && prepare(gif, plan, false, false); }

bool prepare_local(Gif *gif, Plan *plan) {
  if (prepare(gif, plan, true, false) || prepare(gif, plan, true, true)) return true;
  if (!gif->encoder.lossy) return false;
  /* The frame has more than 256 colours: use the global table, and its nearest entries for missing colours. */
  const int limit = limit_of(gif, plan);
  use_common(gif, &plan->table, plan->box, limit);
  return plan->inexact = map_pixels(gif, &plan->table, plan->box, limit, true);
}

bool find_local_table(Gif *gif, const Plan *plan, ColourTable *table) {
  return collect_local(gif, table, plan->box, limit_of(gif, plan), false);
}
