/* Frames that go out: what has changed, which colours and which table, exact or within a target. */
#include "engine.h"

u16 *shown, *wanted;
u8 *wanted_painted;
int wanted_delay;
bool wanted_transparent;
Target target;
bool lossy, muted, hurried;
u64 written_bytes;
double worst_ssim, worst_luma_mse, worst_rgb_mse;

extern u8 *wanted_extensions; /* engine.c: of the frame that waits */
extern u32 wanted_extension_bytes;
extern u16 common[256];       /* engine.c: the global table of the result */
extern int common_size;
extern bool any_clear;

static u8 *exact, *may_repeat, *chosen, *row_symbols;
static u16 distances[256 * 256];
/* How far what is shown is from what is wanted, for each pixel of the canvas: 0 equal, NEVER when it must be painted, else a
 * step of `level_distances` at or above the squared distance. Rows that are not marked in row_levels are 0. */
static u8 *levels, *row_levels;
#define NEVER 255
static i32 level_distances[NEVER];
static u8 level_of[9216];
u8 *row_differs;
static Measure *measure;
static u32 *row_a, *row_b;
static double tolerance_now, keep_share_now;
static u32 frames_written;

void emit(const void *bytes, u32 count) {
  written_bytes += count;
  if (!muted) host_write(bytes, count);
}

static u32 pixels(void) { return (u32)canvas_width * canvas_height; }

static int style_now, near_style_now, kind_now, near_kind_now; /* of the last large frame */
static bool exact_was_best; /* in the last frame, with a tolerance */

static void levels_begin(void) {
  for (int i = 1; i < NEVER; i++) level_distances[i] = exp2((i - 1) / 16.);
  int level = 1;
  for (i32 d = 0; d < (i32)sizeof level_of; d++) {
    while (level < NEVER && level_distances[level] < d) level++;
    level_of[d] = level;
  }
}
/* Pixels up to this level may stay. */
static int level_limit(double distance) {
  int level = 0;
  if (distance > 0)
    while (level + 1 < NEVER && level_distances[level + 1] <= distance) level++;
  return level;
}
static void levels_find(void) {
  for (int y = 0; y < canvas_height; y++) {
    const size_t line = (size_t)y * canvas_width;
    if (row_levels[y]) memset(levels + line, 0, canvas_width);
    row_levels[y] = 0;
    if (!row_differs[y]) continue;
    row_differs[y] = memcmp(wanted + line, shown + line, canvas_width * sizeof *wanted) != 0;
    if (!row_differs[y]) continue;
    row_levels[y] = 1;
    for (size_t i = line; i < line + canvas_width; i++) {
      const u16 a = wanted[i], b = shown[i];
      if (a == b) continue;
      levels[i] = NEVER;
      if (!lossy || !a || !b) continue;
      const i32 d = distance(colour_of[a], colour_of[b]);
      if (d < (i32)sizeof level_of) levels[i] = level_of[d];
    }
  }
}

void frames_begin(bool is_exact) {
  lossy = !is_exact;
  written_bytes = 0;
  frames_written = 0;
  worst_ssim = 1;
  worst_luma_mse = worst_rgb_mse = 0;
  tolerance_now = 0;
  keep_share_now = .5;
  if (!exact) {
    exact = allocate(pixels());
    may_repeat = allocate(pixels());
    chosen = allocate(pixels());
    row_symbols = allocate(canvas_width);
    levels = allocate(pixels());
    row_levels = allocate(canvas_height);
    row_differs = allocate(canvas_height);
    levels_begin();
    row_a = allocate(canvas_width * sizeof(u32));
    row_b = allocate(canvas_width * sizeof(u32));
  }
  style_now = near_style_now = kind_now = near_kind_now = 0;
  exact_was_best = false;
  memset(shown, 0, (size_t)pixels() * sizeof *shown);
  memset(row_differs, 1, canvas_height);
}

/* ---- the table of a frame ---- */

typedef struct {
  u16 number[256];
  int size;        /* colours in use */
  int bits;        /* the table has 1 << bits entries */
  int code_bits;   /* entries below 1 << code_bits may be used: shorter codes */
  int clear_index; /* transparent, -1 where no entry is left */
  bool local;
} Table;

static u8 index_of[65536];
static u32 index_stamp[65536], stamp;

/* The frame will be cleared: all viewers clear to transparency only where the frame has a transparent entry. */
static bool clear_wanted;

static bool table_add(Table *t, u16 number) {
  if (index_stamp[number] == stamp) return true;
  if (t->size == 256) return false;
  index_stamp[number] = stamp;
  index_of[number] = t->size;
  t->number[t->size++] = number;
  return true;
}

static int bits_for(int entries) {
  int bits = 1;
  while (1 << bits < entries) bits++;
  return bits;
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
      if (!wanted[i] || (!all && levels[i] <= limit)) need_clear = true;
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
      if (!wanted[i] || levels[i] <= limit) {
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
      may_repeat[k] = levels[i] <= limit && t->clear_index >= 0;
      if (!wanted[i]) {
        if (t->clear_index < 0 || shown[i]) return false;
        exact[k] = t->clear_index;
      } else if (entry_of(t, wanted[i]) >= 0) {
        exact[k] = index_of[wanted[i]];
      } else if (may_repeat[k]) {
        exact[k] = t->clear_index;
      } else if (nearest) {
        exact[k] = nearest_entry(t, wanted[i]);
      } else {
        return false;
      }
    }
  return true;
}

/* ---- one encoding of a frame ---- */

typedef struct {
  Table table;
  Box box;
  bool inexact;                 /* colours had to be left out */
  int kind;                     /* which pixels that may stay become transparent */
  double tolerance, keep_share; /* squared distance of a colour; and the share of it for pixels that stay */
  u32 bytes;
  int style;                    /* of the LZW table, with a tolerance */
  bool filled;                  /* the LZW table was full: its style matters */
  u32 serial;                   /* the plan that was settled last has the highest */
} Plan;

static const LzwStyle styles[] = {{600, .82}, {300, .95}, {2000, .9}, {0, 1e9}, {1200, .7}, {1000, .97}, {150, .99}};
#define STYLES (int)(sizeof styles / sizeof *styles)
#define LARGE_FRAME 65536 /* pixels; above, fewer styles are tried where neighbours agree */

static Box changed_box(int limit, int disposal, const u16 *next) {
  /* Some viewers show the background where the first frame does not reach, unless it is transparent itself. */
  if (!frames_written && wanted_transparent)
    for (u32 i = 0; i < pixels(); i++)
      if (!wanted[i]) return (Box){0, 0, canvas_width, canvas_height};
  int left = canvas_width, right = -1, top = canvas_height, bottom = -1;
  for (int y = 0; y < canvas_height; y++) {
    if (!row_levels[y] && disposal != 2) continue;
    const size_t line = (size_t)y * canvas_width;
    int first = -1, last = -1;
    for (int x = 0; x < canvas_width; x++) {
      const u32 i = line + x;
      /* Disposal 2 must reach every pixel that is painted now and clear in the next frame. */
      if (levels[i] <= limit && !(disposal == 2 && wanted[i] && !next[i])) continue;
      if (first < 0) first = x;
      last = x;
    }
    if (first < 0) continue;
    if (first < left) left = first;
    if (last > right) right = last;
    if (top > y) top = y;
    bottom = y;
  }
  if (right < 0) return (Box){0, 0, 1, 1};
  return (Box){left, top, right - left + 1, bottom - top + 1};
}

/* Pixels that may stay as they are shown: which of them become transparent. */
enum {
  KIND_ALL,
  KIND_SOURCE, /* as the source had it */
  KIND_RUNS,   /* until a colour that was just coded goes on */
  KIND_NONE,   /* but those whose colour has no entry */
  KINDS,
  KIND_FREE = KINDS /* near.c decides pixel by pixel */
};

/* Symbols of a row of the box. `before` is the symbol that stands in front of it. */
static void symbols_row(const Plan *plan, int kind, int row, int before, u8 *out) {
  const u32 w = plan->box.w;
  const u8 *from = exact + (size_t)row * w, *stay = may_repeat + (size_t)row * w;
  const int clear = plan->table.clear_index;
  if (clear < 0 || kind == KIND_NONE || kind == KIND_FREE) {
    memcpy(out, from, w);
  } else if (kind == KIND_ALL) {
    for (u32 x = 0; x < w; x++) out[x] = stay[x] ? clear : from[x];
  } else if (kind == KIND_SOURCE) {
    u32 i = (u32)(plan->box.y + row) * canvas_width + plan->box.x;
    for (u32 x = 0; x < w; x++, i++) out[x] = stay[x] && !(wanted_painted[i >> 3] >> (i & 7) & 1) ? clear : from[x];
  } else {
    for (u32 x = 0; x < w; x++) before = out[x] = stay[x] && before != from[x] ? clear : from[x];
  }
}
static void symbols_all(const Plan *plan) {
  const u32 w = plan->box.w;
  for (int row = 0; row < plan->box.h; row++)
    symbols_row(plan, plan->kind, row, row ? chosen[row * w - 1] : -1, chosen + (size_t)row * w);
}

static int code_size_of(const Table *t) { return t->code_bits < 2 ? 2 : t->code_bits; } /* GIF89a appendix F: at least two */
static u32 head_bytes(const Table *t) { return 1 + (t->local ? 3u << t->bits : 0); }

#define CODERS 7
static Lzw coders[CODERS];

/* A coder that is this much behind another one will not win any more. */
static bool hopeless(u64 bits, u64 least) { return bits > least + (least >> 3) + 4096; }

/* The kind that makes the frame smallest, all coded side by side. Sets kind, bytes and filled. */
static void count_kinds(Plan *plan, u32 kinds, int style) {
  const u32 w = plan->box.w;
  u8 *row = row_symbols;
  int before[KINDS];
  for (int k = 0; k < KINDS; k++) {
    before[k] = -1;
    if (kinds >> k & 1) lzw_begin(&coders[k], code_size_of(&plan->table), styles[style], false);
  }
  for (int y = 0; y < plan->box.h; y++) {
    u64 least = UINT64_MAX;
    for (int k = 0; k < KINDS; k++) {
      if (!(kinds >> k & 1)) continue;
      symbols_row(plan, k, y, before[k], row);
      before[k] = row[w - 1];
      lzw_row(&coders[k], row, w);
      if (coders[k].bits < least) least = coders[k].bits;
    }
    for (int k = 0; k < KINDS; k++)
      if (kinds >> k & 1 && hopeless(coders[k].bits, least)) kinds &= ~(1u << k);
  }
  plan->bytes = UINT32_MAX;
  for (int k = 0; k < KINDS; k++) {
    if (!(kinds >> k & 1)) continue;
    const bool filled = coders[k].filled;
    const u32 bytes = lzw_end(&coders[k]) + head_bytes(&plan->table);
    if (bytes >= plan->bytes) continue;
    plan->bytes = bytes;
    plan->kind = k;
    plan->filled = filled;
  }
}

/* The style that makes chosen[] smallest. All go together until the table is full. */
static int best_style(const Plan *plan, u32 tried) {
  const u32 w = plan->box.w;
  int first = 0;
  while (!(tried >> first & 1)) first++;
  lzw_begin(&coders[first], code_size_of(&plan->table), styles[first], false);
  u32 alive = 1u << first;
  for (int y = 0; y < plan->box.h; y++) {
    u64 least = UINT64_MAX;
    for (int s = 0; s < STYLES; s++) {
      if (!(alive >> s & 1)) continue;
      lzw_row(&coders[s], chosen + (size_t)y * w, w);
      if (coders[s].bits < least) least = coders[s].bits;
    }
    if (alive == 1u << first && tried != alive && coders[first].filled) {
      /* A row may have gone past the point where they part: a code or two of a difference. */
      for (int s = 0; s < STYLES; s++)
        if (s != first && tried >> s & 1) {
          coders[s] = coders[first];
          coders[s].style = styles[s];
          alive |= 1u << s;
        }
      tried = alive;
    }
    for (int s = 0; s < STYLES; s++)
      if (alive >> s & 1 && hopeless(coders[s].bits, least)) alive &= ~(1u << s);
  }
  int best = first;
  u32 fewest = UINT32_MAX;
  for (int s = 0; s < STYLES; s++) {
    if (!(alive >> s & 1)) continue;
    const u32 bytes = lzw_end(&coders[s]);
    if (bytes >= fewest) continue;
    fewest = bytes;
    best = s;
  }
  return best;
}

/* Prepares exact[] and may_repeat[] for a plan. */
static bool prepare(Plan *plan, bool local, bool all, int disposal, const u16 *next) {
  const int limit = level_limit(plan->tolerance * plan->keep_share);
  plan->box = changed_box(limit, disposal, next);
  if (local) {
    if (!table_collect(&plan->table, plan->box, limit, all)) return false;
  } else {
    table_common(&plan->table, plan->box, limit);
  }
  plan->inexact = false;
  return map_pixels(&plan->table, plan->box, limit, false);
}
static bool prepare_local(Plan *plan, int disposal, const u16 *next) {
  if (prepare(plan, true, false, disposal, next) || prepare(plan, true, true, disposal, next)) return true;
  if (!lossy) return false;
  const int limit = level_limit(plan->tolerance * plan->keep_share);
  table_common(&plan->table, plan->box, limit); /* more than 256 colours: the common ones, or the first 255 */
  return plan->inexact = map_pixels(&plan->table, plan->box, limit, true);
}

/* Bytes that codes of a table of `bits` take more than codes of a smaller one, until both have grown to the same size. */
static u32 longer_codes(int bits, int smaller) {
  u32 sum = 0;
  for (u32 i = 0; i < 1u << bits; i++) {
    const u32 a = (1u << bits) + 2 + i, b = (1u << smaller) + 2 + i;
    sum += __builtin_clz(b) - __builtin_clz(a);
  }
  return sum / 8;
}

/* Table and map for a tolerance: the smaller of the common table and one of its own. */
static bool choose_table(Plan *plan, int disposal, const u16 *next) {
  Plan local = *plan;
  bool shared_possible = common_size && prepare(plan, false, false, disposal, next);
  if (shared_possible && plan->table.code_bits <= 2) return true;
  if (!prepare_local(&local, disposal, next)) return shared_possible && prepare(plan, false, false, disposal, next);
  if (!shared_possible) {
    *plan = local;
    return true;
  }
  /* A table of its own costs 3 << bits bytes and may have shorter codes, and more of them before the LZW table is full. */
  const Plan shared = *plan;
  const u32 own = 3u << local.table.bits;
  bool better = !local.inexact && local.table.local && local.table.code_bits < shared.table.code_bits;
  if (better && longer_codes(shared.table.code_bits, local.table.code_bits) < own) {
    better = false;
    if ((u32)local.box.w * local.box.h > LARGE_FRAME / 8) {
      count_kinds(&local, 1 << KIND_ALL, style_now);
      if (local.filled) {
        prepare(plan, false, false, disposal, next);
        count_kinds(plan, 1 << KIND_ALL, style_now);
        if (local.bytes >= plan->bytes) return true;
        better = true;
      }
    }
  } else if (better) {
    count_kinds(&local, 1 << KIND_ALL, style_now);
    prepare(plan, false, false, disposal, next);
    count_kinds(plan, 1 << KIND_ALL, style_now);
    if (local.bytes >= plan->bytes) return true;
  }
  *plan = better ? local : shared;
  return better ? prepare_local(plan, disposal, next) : prepare(plan, false, false, disposal, next);
}

/* ---- quality of a frame as it will be shown ---- */

/* A row as it will be shown. */
static void result_row(const Plan *plan, int y, u32 *out) {
  const Box b = plan->box;
  const u16 *line = shown + (size_t)y * canvas_width;
  for (int x = 0; x < canvas_width; x++) out[x] = colour_of[line[x]];
  if (y < b.y || y >= b.y + b.h) return;
  const u8 *symbol = chosen + (size_t)(y - b.y) * b.w;
  for (int x = 0; x < b.w; x++)
    if (symbol[x] != plan->table.clear_index) out[b.x + x] = colour_of[plan->table.number[symbol[x]]];
}

static Quality measure_rows(const Plan *plan, int top, int bottom, u32 every) {
  if (!measure && !(measure = measure_open(canvas_width, any_clear))) host_fail(FAIL_MEMORY, "no memory to measure with");
  measure_reset(measure);
  measure_every(measure, every);
  for (int y = top; y < bottom; y++) {
    const u16 *line = wanted + (size_t)y * canvas_width;
    for (int x = 0; x < canvas_width; x++) row_a[x] = colour_of[line[x]];
    result_row(plan, y, row_b);
    measure_row(measure, row_a, row_b);
  }
  measure_break(measure);
  return measure_result(measure);
}

/* Rows that do not differ, and are not near such, are known to be perfect. Blocks of 32 rows stay whole. */
static Quality measure_frame(const Plan *plan) {
  int top = plan->box.y, bottom = plan->box.y + plan->box.h;
  for (int y = 0; y < top; y++)
    if (row_levels[y]) top = y;
  for (int y = canvas_height; y > bottom; y--)
    if (row_levels[y - 1]) bottom = y;
  top = top < 10 ? 0 : (top - 10) & ~31;
  bottom = (bottom + 10 + 31) & ~31;
  if (bottom > canvas_height) bottom = canvas_height;
  if (bottom - top < 32) top = 0, bottom = canvas_height;
  Quality q = measure_rows(plan, top, bottom, 1);
  if (bottom - top == canvas_height) return q;
  const double rows = (double)(bottom - top) / canvas_height;
  q.ssim = 1 - (1 - q.ssim) * (bottom - top - 10) / (canvas_height - 10);
  q.luma_mse *= rows;
  q.rgb_mse *= rows;
  return q;
}

/* In a hurry only the rows that change are looked at, and a quarter of their windows: what did not change was good before. */
static Quality measure_trial(const Plan *plan) {
  if (!hurried) return measure_frame(plan);
  const int top = plan->box.y - 5, bottom = plan->box.y + plan->box.h + 5;
  return measure_rows(plan, top < 0 ? 0 : top, bottom > canvas_height ? canvas_height : bottom, plan->box.h > 64 ? 4 : 1);
}

static double decibels(double mse) { return mse > 0 ? 10 * log10(65025 / mse) : 1000; }
static bool holds(Quality q) {
  return q.ssim >= target.ssim && decibels(q.luma_mse) >= target.psnr && decibels(q.rgb_mse) >= target.rgb_psnr &&
         decibels(q.block_luma_mse) >= target.block_psnr && decibels(q.block_rgb_mse) >= target.block_rgb_psnr;
}

/* ---- search ---- */

static u32 settled; /* plans so far */

/* Settles chosen[] of a plan that is prepared. */
static void settle(Plan *plan) {
  const Table *t = &plan->table;
  symbols_all(plan);
  plan->serial = ++settled;
  if (plan->tolerance <= 0) return;
  for (int i = 0; i < t->size; i++)
    for (int j = 0; j < 256; j++) { /* symbols without an entry are never near */
      const i32 d = j < t->size ? distance(colour_of[t->number[i]], colour_of[t->number[j]]) : 65535;
      distances[i << 8 | j] = d > 65535 ? 65535 : d;
    }
  const Pixels p = {chosen, plan->kind == KIND_FREE ? may_repeat : NULL, (u32)plan->box.w * plan->box.h, t->clear_index, code_size_of(t), (i32)plan->tolerance, distances};
  plan->bytes = near_settle(&p, styles[plan->style], &plan->filled);
  if (plan->bytes < UINT32_MAX) plan->bytes += head_bytes(t);
}

/* Settles with a tolerance; false when no table serves. `local`: a table of its own is to be preferred. */
static bool settle_within(Plan *plan, double tolerance, double keep_share, bool local, int disposal, const u16 *next) {
  plan->tolerance = tolerance;
  plan->keep_share = keep_share;
  plan->kind = KIND_FREE;
  plan->style = near_style_now;
  if (!(!local && common_size && prepare(plan, false, false, disposal, next)) && !prepare_local(plan, disposal, next)) return false;
  settle(plan);
  return true;
}
/* The same, and measured. */
static bool try_tolerance(Plan *plan, double tolerance, double keep_share, bool local, int disposal, const u16 *next) {
  return settle_within(plan, tolerance, keep_share, local, disposal, next) && holds(measure_trial(plan));
}

#define STEP 1.35
#define LARGEST 6000.0

/* The largest tolerance that holds, near the last frame's: neighbours are alike. */
static bool search_tolerance(Plan *best, double keep_share, int disposal, const u16 *next) {
  double t = tolerance_now < 6 ? 24 : tolerance_now;
  Plan plan;
  bool found = false;
  const int climb = !hurried || frames_written < 2 ? 12 : frames_written % 4 == 0; /* steps up */
  if (try_tolerance(&plan, t, keep_share, true, disposal, next)) {
    *best = plan;
    found = true;
    for (int i = 0; i < climb && t * STEP <= LARGEST; i++) {
      if (!try_tolerance(&plan, t *= STEP, keep_share, true, disposal, next)) break;
      *best = plan;
    }
  } else {
    for (int i = 0; i < 20 && (t /= STEP * STEP) >= 2; i++)
      if (try_tolerance(&plan, t, keep_share, true, disposal, next)) {
        *best = plan;
        found = true;
        if (!hurried && try_tolerance(&plan, t * STEP, keep_share, true, disposal, next)) *best = plan;
        break;
      }
  }
  return found;
}

/* The exact plan: kinds side by side. False when no table can hold all colours. */
static bool search_exact(Plan *plan, bool thorough, int disposal, const u16 *next) {
  plan->tolerance = plan->keep_share = 0;
  if (!choose_table(plan, disposal, next)) return false;
  if (plan->inexact) {
    plan->kind = KIND_ALL;
    settle(plan);
    plan->bytes = UINT32_MAX;
    plan->filled = true;
    return holds(measure_frame(plan));
  }
  const u32 kinds = plan->table.clear_index < 0 ? 1 << KIND_NONE : thorough ? (1 << KINDS) - 1 : 1 << KIND_ALL | 1 << kind_now;
  count_kinds(plan, kinds, style_now);
  kind_now = plan->kind;
  return true;
}

/* Settles like the best plan but for its table, kind and style; the better one stays. */
static void try_variant(Plan *best, bool local, int kind, int style, int disposal, const u16 *next) {
  Plan plan = *best;
  plan.kind = kind;
  plan.style = style;
  if (local ? !prepare_local(&plan, disposal, next) : !prepare(&plan, false, false, disposal, next)) return;
  settle(&plan);
  if (plan.bytes < best->bytes && holds(measure_trial(&plan))) *best = plan;
}

/* The other table; then what is transparent may do better settled as a whole than pixel by pixel; then other ways to clear the
 * LZW table. */
static void search_variants(Plan *best, bool explore, int disposal, const u16 *next) {
  static const int kinds[] = {KIND_ALL, KIND_SOURCE};
  const bool thorough = explore || (u32)best->box.w * best->box.h < LARGE_FRAME / 2;
  if (!best->inexact) {
    const bool other = !best->table.local;
    if (thorough && (other || common_size)) try_variant(best, other, best->kind, best->style, disposal, next);
  }
  const bool own = best->table.local || best->inexact, transparency = best->table.clear_index >= 0;
  for (int k = 0; k < 2 && transparency; k++)
    if (thorough || near_kind_now == kinds[k]) try_variant(best, own, kinds[k], best->style, disposal, next);
  if (transparency) near_kind_now = best->kind;
  if (!explore || !best->filled) return;
  for (int style = 0; style < (hurried ? 3 : STYLES); style++)
    if (style != best->style) try_variant(best, own, best->kind, style, disposal, next);
  near_style_now = best->style;
}

/* The plan of a frame, with chosen[] settled. */
static Plan search_frame(int disposal, const u16 *next) {
  Plan best, plan;
  clear_wanted = disposal == 2;
  levels_find();
  const bool explore = !hurried || frames_written < 2 || frames_written % 4 == 0;
  bool possible = false;
  best.bytes = UINT32_MAX;
  if (!lossy || explore || exact_was_best) possible = search_exact(&best, !lossy || explore, disposal, next);
  if (lossy) {
    static const double shares[] = {.12, .5, 1.5};
    const bool sharing = frames_written && (hurried ? frames_written == 1 || frames_written % 40 == 20 : frames_written < 3 || frames_written % 10 == 0);
    double share = keep_share_now;
    Plan within;
    within.bytes = UINT32_MAX;
    for (int i = 0; i < (sharing ? 3 : 1); i++) {
      const double s = sharing ? shares[i] : keep_share_now;
      if (!search_tolerance(&plan, s, disposal, next) || plan.bytes >= within.bytes) continue;
      within = plan;
      share = s;
    }
    if (within.bytes == UINT32_MAX) {
      if (!possible) possible = search_exact(&best, true, disposal, next);
    } else {
      search_variants(&within, explore, disposal, next);
      if (within.bytes < best.bytes) {
        best = within;
        keep_share_now = share;
        tolerance_now = best.tolerance;
      }
    }
    exact_was_best = within.bytes == UINT32_MAX || best.tolerance <= 0;
    possible |= !exact_was_best;
  }
  if (!possible) host_fail(FAIL_UNSUPPORTED, "a frame that shows more than 256 new colours");
  if (best.tolerance > 0 && best.serial == settled) return best;
  /* exact[] and may_repeat[] are those of the last trial: make them the winner's again. */
  if (!(best.table.local || best.inexact ? prepare_local(&best, disposal, next) : prepare(&best, false, false, disposal, next)))
    host_fail(FAIL_MISUSE, "a plan that was possible is not");
  settle(&best);
  return best;
}

/* The way to clear the LZW table for chosen[]. */
static LzwStyle choose_style(const Plan *plan) {
  const bool large = (u32)plan->box.w * plan->box.h > LARGE_FRAME;
  u32 tried = (1 << STYLES) - 1;
  if (large && hurried) tried = frames_written % 8 ? 1 << style_now : 0x1f;
  const int best = best_style(plan, tried);
  if (large) style_now = best;
  return styles[best];
}

/* ---- writing ---- */

static void emit_table(const u16 *numbers, int size, int bits) {
  u8 rgb[768] = {0};
  for (int i = 0; i < size; i++) {
    const u32 c = colour_of[numbers[i]];
    rgb[3 * i] = c, rgb[3 * i + 1] = c >> 8, rgb[3 * i + 2] = c >> 16;
  }
  emit(rgb, 3u << bits);
}

/* GIF89a 17, 18, 19: header, logical screen, global table. */
void header_write(void) {
  u8 h[13] = {'G', 'I', 'F', '8', '9', 'a', canvas_width, canvas_width >> 8, canvas_height, canvas_height >> 8, 0x70, 0, aspect};
  const int bits = common_size ? bits_for(common_size) : 0;
  if (common_size) {
    h[10] = 0x80 | 0x70 | (bits - 1);
    for (int i = 0; background >= 0 && i < common_size; i++) {
      const u32 c = colour_of[common[i]];
      const u8 *b = global_table + 3 * background;
      if ((c & 0xffffff) == (u32)(b[0] | b[1] << 8 | b[2] << 16)) {
        h[11] = i;
        break;
      }
    }
  }
  emit(h, 13);
  if (common_size) emit_table(common, common_size, bits);
}

/* Writes the frame that waits. `next` is the canvas after it, or NULL at the end. */
void frame_write(int disposal, const u16 *next) {
  if (!frames_written) header_write();
  Plan plan = search_frame(disposal, next);
  if (wanted_extension_bytes) emit(wanted_extensions, wanted_extension_bytes);
  Quality quality = {1, 0, 0, 0, 0};
  if (lossy) quality = measure_frame(&plan);
  while (hurried && plan.tolerance > 0 && !holds(quality)) { /* the trial has not seen all */
    const double less = plan.tolerance / (STEP * STEP);
    Plan gentler = plan;
    if (less >= 2) {
      if (!settle_within(&gentler, less, plan.keep_share, plan.table.local, disposal, next)) break;
    } else {
      if (!search_exact(&gentler, true, disposal, next)) break;
      settle(&gentler);
    }
    plan = gentler;
    tolerance_now = less;
    quality = measure_frame(&plan);
  }
  const Table *t = &plan.table;
  bool transparent = disposal == 2; /* some viewers clear to the background colour unless the frame has transparency */
  for (u32 k = 0; k < (u32)plan.box.w * plan.box.h && !transparent; k++) transparent = chosen[k] == t->clear_index;
  transparent = transparent && t->clear_index >= 0;
  if (quality.ssim < worst_ssim) worst_ssim = quality.ssim;
  if (quality.luma_mse > worst_luma_mse) worst_luma_mse = quality.luma_mse;
  if (quality.rgb_mse > worst_rgb_mse) worst_rgb_mse = quality.rgb_mse;
  const u8 control[8] = {0x21, 0xf9, 4, disposal << 2 | transparent, wanted_delay, wanted_delay >> 8, transparent ? t->clear_index : 0, 0};
  emit(control, 8);
  const Box b = plan.box;
  const u8 descriptor[10] = {0x2c, b.x, b.x >> 8, b.y, b.y >> 8, b.w, b.w >> 8, b.h, b.h >> 8, t->local ? 0x80 | (t->bits - 1) : 0};
  emit(descriptor, 10);
  if (t->local) emit_table(t->number, t->size, t->bits);
  const u8 code_size = code_size_of(t);
  emit(&code_size, 1);
  if (plan.tolerance > 0) {
    near_write();
  } else {
    const LzwStyle style = choose_style(&plan);
    lzw_begin(&coders[0], code_size, style, true);
    for (int row = 0; row < b.h; row++) lzw_row(&coders[0], chosen + (size_t)row * b.w, b.w);
    lzw_end(&coders[0]);
  }
  frames_written++;
  /* What the result shows when the next frame comes (GIF89a 23.c.iv). */
  if (disposal == 3) return;
  u32 k = 0;
  if (disposal == 2) memset(row_differs + b.y, 1, b.h);
  for (int y = b.y; y < b.y + b.h; y++)
    for (int x = b.x; x < b.x + b.w; x++, k++) {
      const u32 i = (u32)y * canvas_width + x;
      if (disposal == 2) shown[i] = CLEAR;
      else if (chosen[k] != t->clear_index) shown[i] = t->number[chosen[k]];
    }
}
