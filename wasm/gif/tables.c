/* What has changed, and the table of a frame: which colours, and the index of each pixel. */
#include "plan.h"

u8 *symbols, *may_repeat;
bool clear_wanted;
extern u16 common[256]; /* engine.c: the global table of the result */
extern int common_size;

/* How far what is shown is from what is wanted, for each pixel of the canvas: 0 equal, NEVER when it must be painted, else a
 * step of `level_distances` at or above the squared distance. Rows that are not marked in row_levels are 0. */
static u8 *levels;
u8 *row_levels, *row_differs;
#define NEVER 255
static i32 level_distances[NEVER];
static u8 level_of[9216];

static u32 pixels(void) { return (u32)canvas_width * canvas_height; }

void tables_begin(void) {
  if (!levels) {
    symbols = allocate_zeroed(pixels());
    may_repeat = allocate_zeroed((pixels() + 7) >> 3);
    levels = allocate_zeroed(pixels());
    row_levels = allocate_zeroed(canvas_height);
    row_differs = allocate_zeroed(canvas_height);
    for (int i = 1; i < NEVER; i++) level_distances[i] = exp2((i - 1) / 16.);
    int level = 1;
    for (i32 d = 0; d < (i32)sizeof level_of; d++) {
      while (level < NEVER && level_distances[level] < d) level++;
      level_of[d] = level;
    }
  }
  flat_begin();
  memset(row_differs, 1, canvas_height);
}
/* Pixels up to this level may stay. */
static int level_limit(double distance) {
  int level = 0;
  if (distance > 0)
    while (level + 1 < NEVER && level_distances[level + 1] <= distance) level++;
  return level;
}

static struct { Box box; int limit, disposal; } box_known; /* of this frame */

void levels_find(void) {
  box_known.limit = -1;
  flat_find();
  for (int y = 0; y < canvas_height; y++) {
    const size_t line = (size_t)y * canvas_width;
    if (row_levels[y]) memset(levels + line, 0, canvas_width);
    row_levels[y] = 0;
    if (!row_differs[y]) continue;
    row_differs[y] = !same_numbers(wanted + line, shown + line, canvas_width);
    if (!row_differs[y]) continue;
    row_levels[y] = 1;
    for (size_t i = line; i < line + canvas_width; i++) {
      const u16 a = wanted[i], b = shown[i];
      if (a == b) continue;
      levels[i] = NEVER;
      if (!lossy || !a || !b) continue;
      const i32 d = distance(colour_of[a], colour_of[b]);
      if (is_flat(i) || (is_smooth_at(i) && d > target.smooth)) continue; /* no dirt is left behind */
      if (d < (i32)sizeof level_of) levels[i] = level_of[d];
    }
  }
}

static u8 index_of[65536];
static u32 index_stamp[65536], stamp;

static bool table_add(Table *t, u16 number) {
  if (index_stamp[number] == stamp) return true;
  if (t->size == 256) return false;
  index_stamp[number] = stamp;
  index_of[number] = t->size;
  t->number[t->size++] = number;
  return true;
}

int bits_for(int entries) {
  int bits = 1;
  while (1 << bits < entries) bits++;
  return bits;
}

/* Eight pixels from `i` on show what they should. */
static inline bool calm(u32 i) {
  u64 eight;
  memcpy(&eight, levels + i, 8);
  return !eight;
}

/* Colours of the pixels in the box: those that change, or all. False when there are more than 256. */
static bool table_collect(Table *t, Box box, int limit, bool all) {
  t->size = 0;
  t->local = true;
  stamp++;
  bool need_clear = clear_wanted;
  for (int y = box.y; y < box.y + box.h; y++)
    for (int x = box.x; x < box.x + box.w; x++) {
      const u32 i = (u32)y * canvas_width + x;
      if (!all && x + 8 <= box.x + box.w && calm(i)) {
        need_clear = true;
        x += 7;
      } else if (!wanted[i] || (!all && levels[i] <= limit)) need_clear = true;
      else if (!table_add(t, wanted[i])) return false;
    }
  if (need_clear && t->size == 256) return false;
  t->bits = bits_for(t->size + need_clear);
  t->code_bits = t->bits;
  t->clear_index = t->size < 1 << t->bits ? t->size : -1;
  return true;
}

/* The table of the whole file. Only as many entries as the pixels that change need are used, and an entry that they do not
 * need is the transparent one. */
static void table_common(Table *t, Box box, int limit) {
  bool needed[256] = {false};
  int highest = -1;
  bool need_clear = clear_wanted;
  t->size = 0;
  t->local = false;
  stamp++;
  for (int i = 0; i < common_size; i++) table_add(t, common[i]);
  t->bits = bits_for(common_size);
  for (int y = box.y; y < box.y + box.h; y++)
    for (int x = box.x; x < box.x + box.w; x++) {
      const u32 i = (u32)y * canvas_width + x;
      if (x + 8 <= box.x + box.w && calm(i)) {
        need_clear = true;
        x += 7;
      } else if (!wanted[i] || levels[i] <= limit) {
        need_clear = true;
      } else if (index_stamp[wanted[i]] == stamp && !needed[index_of[wanted[i]]]) {
        needed[index_of[wanted[i]]] = true;
        if (index_of[wanted[i]] > highest) highest = index_of[wanted[i]];
      }
    }
  t->clear_index = -1;
  if (need_clear || highest < 1) {
    for (int i = 0; i < 1 << t->bits && t->clear_index < 0; i++)
      if (!needed[i]) t->clear_index = i;
    if (t->clear_index > highest) highest = t->clear_index;
  }
  t->code_bits = bits_for(highest + 1);
}

/* The entry of a colour, or -1 when it has none that may be used. */
static inline int entry_of(const Table *t, u16 number) {
  if (index_stamp[number] != stamp) return -1;
  const int index = index_of[number];
  return index == t->clear_index || index >= 1 << t->code_bits ? -1 : index;
}

/* The nearest entry, for colours that found no room (lossy only). */
static u8 nearest_entry(const Table *t, u16 number) {
  i32 best = INT32_MAX;
  u8 winner = 0;
  for (int i = 0; i < t->size && i < 1 << t->code_bits; i++) {
    if (i == t->clear_index) continue;
    i32 d = distance(colour_of[number], colour_of[t->number[i]]);
    if (d < best) {
      best = d;
      winner = i;
    }
  }
  index_stamp[number] = stamp;
  return index_of[number] = winner;
}

/* Exact indices and the pixels that may repeat; false when the table cannot express the frame exactly. */
static bool map_pixels(const Table *t, Box box, int limit, bool nearest) {
  u32 k = 0;
  for (int y = box.y; y < box.y + box.h; y++)
    for (int x = box.x; x < box.x + box.w; x++, k++) {
      const u32 i = (u32)y * canvas_width + x;
      const bool stays = levels[i] <= limit && t->clear_index >= 0;
      const u8 bit = 1 << (k & 7);
      may_repeat[k >> 3] = (may_repeat[k >> 3] & ~bit) | (stays ? bit : 0);
      if (!wanted[i]) {
        if (t->clear_index < 0 || shown[i]) return false;
        symbols[k] = t->clear_index;
      } else if (entry_of(t, wanted[i]) >= 0) {
        symbols[k] = index_of[wanted[i]];
      } else if (stays) {
        symbols[k] = t->clear_index;
      } else if (nearest) {
        symbols[k] = nearest_entry(t, wanted[i]);
      } else {
        return false;
      }
    }
  return true;
}

static Box find_changed_box(int limit, int disposal, const u16 *next) {
  /* Some viewers show the background where the first frame does not reach, unless it is transparent itself. */
  if (!frames_written && wanted_transparent)
    for (u32 i = 0; i < pixels(); i++)
      if (!wanted[i]) return (Box){0, 0, canvas_width, canvas_height};
  int left = canvas_width, right = -1, top = canvas_height, bottom = -1;
  for (int y = 0; y < canvas_height; y++) {
    if (!row_levels[y] && disposal != 2) continue;
    const size_t line = (size_t)y * canvas_width;
    int first = 0, last = canvas_width - 1;
    /* Disposal 2 must reach every pixel that is painted now and clear in the next frame. */
    while (first <= last && levels[line + first] <= limit && !(disposal == 2 && wanted[line + first] && !next[line + first])) first++;
    if (first > last) continue;
    while (levels[line + last] <= limit && !(disposal == 2 && wanted[line + last] && !next[line + last])) last--;
    if (first < left) left = first;
    if (last > right) right = last;
    if (top > y) top = y;
    bottom = y;
  }
  if (right < 0) return (Box){0, 0, 1, 1};
  return (Box){left, top, right - left + 1, bottom - top + 1};
}

static Box changed_box(int limit, int disposal, const u16 *next) {
  if (box_known.limit != limit || box_known.disposal != disposal) {
    box_known.box = find_changed_box(limit, disposal, next);
    box_known.limit = limit;
    box_known.disposal = disposal;
  }
  return box_known.box;
}

/* Prepares symbols[] and may_repeat[] for a plan. */
static bool prepare(Plan *plan, bool local, bool all, int disposal, const u16 *next) {
  const int limit = level_limit(plan->tolerance * plan->keep_share);
  plan->box = changed_box(limit, disposal, next);
  if (local) {
    if (!table_collect(&plan->table, plan->box, limit, all)) return false;
  } else {
    table_common(&plan->table, plan->box, limit);
    if (clear_wanted && plan->table.clear_index < 0) return false;
  }
  plan->inexact = false;
  return map_pixels(&plan->table, plan->box, limit, false);
}
bool prepare_local(Plan *plan, int disposal, const u16 *next) {
  if (prepare(plan, true, false, disposal, next) || prepare(plan, true, true, disposal, next)) return true;
  if (!lossy) return false;
  const int limit = level_limit(plan->tolerance * plan->keep_share);
  table_common(&plan->table, plan->box, limit); /* more than 256 colours: the common ones, or the first 255 */
  return plan->inexact = map_pixels(&plan->table, plan->box, limit, true);
}
bool own_table(const Plan *plan, Table *table) {
  return table_collect(table, plan->box, level_limit(plan->tolerance * plan->keep_share), false);
}
bool prepare_common(Plan *plan, int disposal, const u16 *next) { return common_size && prepare(plan, false, false, disposal, next); }
