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

static u8 *exact, *may_repeat, *chosen;
static u8 *symbols; /* exact[] with some pixels that may repeat made transparent */
static i32 distances[256 * 256];
static Measure *measure;
static u32 *row_a, *row_b;
static double tolerance_now, keep_share_now;
static u32 frames_written, run; /* run: counts encodes of the file */

void emit(const void *bytes, u32 count) {
  written_bytes += count;
  if (!muted) host_write(bytes, count);
}

static u32 pixels(void) { return (u32)canvas_width * canvas_height; }

void frames_begin(bool is_exact) {
  lossy = !is_exact;
  written_bytes = 0;
  frames_written = 0;
  run++;
  worst_ssim = 1;
  worst_luma_mse = worst_rgb_mse = 0;
  tolerance_now = 0;
  keep_share_now = .5;
  if (!exact) {
    exact = allocate(pixels());
    may_repeat = allocate(pixels());
    chosen = allocate(pixels());
    symbols = allocate(pixels());
    row_a = allocate(canvas_width * sizeof(u32));
    row_b = allocate(canvas_width * sizeof(u32));
  }
  memset(shown, 0, (size_t)pixels() * sizeof *shown);
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

static bool near(u16 a, u16 b, double limit) {
  return a == b || (limit > 0 && a && b && distance(colour_of[a], colour_of[b]) <= limit);
}

/* What the pixel may stay: it shows the wanted colour already, or one near enough. */
static inline bool stays(u32 i, double limit) { return near(wanted[i], shown[i], limit); }

/* Colours of the pixels in the box: those that change, or all. False when there are more than 256. */
static bool table_collect(Table *t, Box box, double limit, bool all) {
  t->size = 0;
  t->local = true;
  stamp++;
  bool need_clear = clear_wanted;
  for (int y = box.y; y < box.y + box.h; y++)
    for (int x = box.x; x < box.x + box.w; x++) {
      const u32 i = (u32)y * canvas_width + x;
      if (!wanted[i] || (!all && stays(i, limit))) need_clear = true;
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
static void table_common(Table *t, Box box, double limit) {
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
      if (!wanted[i] || stays(i, limit)) {
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
static bool map_pixels(const Table *t, Box box, double limit, bool nearest) {
  u32 k = 0;
  for (int y = box.y; y < box.y + box.h; y++)
    for (int x = box.x; x < box.x + box.w; x++, k++) {
      const u32 i = (u32)y * canvas_width + x;
      const bool stay = stays(i, limit);
      may_repeat[k] = stay && t->clear_index >= 0;
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
  int repeats;                  /* which pixels that may repeat do so, see apply_repeats */
  double tolerance, keep_share; /* squared distance of a colour; and the share of it for pixels that stay */
  LzwStyle style;
  u32 bytes;
} Plan;

/* The first few are tried in a hurry. */
#define HURRIED_STYLES 3
static const LzwStyle styles[] = {{600, .82, 0}, {300, .95, 0}, {2000, .9, 0}, {1200, .7, 0}, {0, 1e9, 0}, {150, .99, 0}, {1000, .97, 0}};

static Box find_changed_box(double limit, int disposal, const u16 *next);
static Box changed_box(double limit, int disposal, const u16 *next) {
  static Box last;
  static u32 last_frame, last_run;
  static double last_limit;
  static int last_disposal;
  if (last_run == run && last_frame == frames_written && last_limit == limit && last_disposal == disposal) return last;
  last_frame = frames_written;
  last_run = run;
  last_limit = limit;
  last_disposal = disposal;
  return last = find_changed_box(limit, disposal, next);
}

static Box find_changed_box(double limit, int disposal, const u16 *next) {
  /* Some viewers show the background where the first frame does not reach, unless it is transparent itself. */
  if (!frames_written && wanted_transparent)
    for (u32 i = 0; i < pixels(); i++)
      if (!wanted[i]) return (Box){0, 0, canvas_width, canvas_height};
  int left = canvas_width, right = -1, top = canvas_height, bottom = -1;
  for (int y = 0; y < canvas_height; y++) {
    const size_t line = (size_t)y * canvas_width;
    int first = -1, last = -1;
    for (int x = 0; x < canvas_width; x++) {
      const u32 i = line + x;
      /* Disposal 2 must reach every pixel that is painted now and clear in the next frame. */
      if (stays(i, limit) && !(disposal == 2 && wanted[i] && !next[i])) continue;
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
  REPEAT_FREE,   /* the encoder decides pixel by pixel */
  REPEAT_ALL,
  REPEAT_NONE,   /* but those whose colour has no entry */
  REPEAT_INSIDE, /* all but the neighbours of pixels that change */
  REPEAT_SOURCE, /* as the source had it */
  REPEAT_RUNS,   /* until a colour that was just coded goes on */
  REPEAT_KINDS
};

static void apply_repeats(const Plan *plan) {
  const u32 w = plan->box.w, n = w * plan->box.h;
  const int clear = plan->table.clear_index;
  memcpy(symbols, exact, n);
  if (clear < 0) return;
  switch (plan->repeats) {
    case REPEAT_ALL:
      for (u32 k = 0; k < n; k++)
        if (may_repeat[k]) symbols[k] = clear;
      break;
    case REPEAT_INSIDE:
      for (u32 k = 0; k < n; k++) {
        if (!may_repeat[k]) continue;
        const bool beside = (k && !may_repeat[k - 1]) || (k + 1 < n && !may_repeat[k + 1]) || (k >= w && !may_repeat[k - w]);
        if (!beside) symbols[k] = clear;
      }
      break;
    case REPEAT_SOURCE:
      for (u32 k = 0; k < n; k++) {
        const u32 i = (u32)(plan->box.y + k / w) * canvas_width + plan->box.x + k % w;
        if (may_repeat[k] && !(wanted_painted[i >> 3] >> (i & 7) & 1)) symbols[k] = clear;
      }
      break;
    case REPEAT_RUNS:
      for (u32 k = 0; k < n; k++)
        if (may_repeat[k] && !(k && symbols[k - 1] == exact[k])) symbols[k] = clear;
      break;
  }
}

static u32 encode(Plan *plan, bool mute) {
  const Table *t = &plan->table;
  const bool tolerant = plan->tolerance > 0;
  if (tolerant)
    for (int i = 0; i < t->size; i++)
      for (int j = 0; j < t->size; j++) distances[i << 8 | j] = distance(colour_of[t->number[i]], colour_of[t->number[j]]);
  const int code_size = t->code_bits < 2 ? 2 : t->code_bits; /* GIF89a appendix F: at least two */
  if (tolerant) /* symbols without an entry are never near */
    for (int i = 0; i < t->size; i++)
      for (int j = t->size; j < 256; j++) distances[i << 8 | j] = INT32_MAX;
  apply_repeats(plan);
  const Pixels p = {symbols, plan->repeats == REPEAT_FREE ? may_repeat : NULL, chosen, (u32)plan->box.w * plan->box.h, t->clear_index, code_size, (i32)plan->tolerance, distances, t->size};
  return lzw_encode(&p, plan->style, mute) + 1 + (t->local ? 3u << t->bits : 0);
}

/* Prepares exact[] and may_repeat[] for a plan. */
static bool prepare(Plan *plan, bool local, bool all, int disposal, const u16 *next) {
  const double limit = plan->tolerance * plan->keep_share;
  plan->box = changed_box(limit, disposal, next);
  if (local) {
    if (!table_collect(&plan->table, plan->box, limit, all)) return false;
  } else {
    table_common(&plan->table, plan->box, limit);
  }
  plan->inexact = false;
  return map_pixels(&plan->table, plan->box, limit, false);
}

/* Table and map for a tolerance: the smaller of the common table and one of its own. */
static bool choose_table(Plan *plan, int disposal, const u16 *next) {
  Plan local = *plan, shared = *plan;
  bool can_local = prepare(&local, true, false, disposal, next);
  if (!can_local) can_local = prepare(&local, true, true, disposal, next);
  if (!can_local && lossy) { /* more than 256 colours: the common ones, or the first 255 */
    table_common(&local.table, local.box, local.tolerance * local.keep_share);
    can_local = local.inexact = map_pixels(&local.table, local.box, local.tolerance * local.keep_share, true);
  }
  bool can_share = false;
  if (common_size && local.table.local) {
    can_share = prepare(&shared, false, false, disposal, next);
    if (can_share && can_local) {
      /* A table of its own costs 3 << bits bytes and may have shorter codes. */
      const u32 shared_bytes = shared.table.code_bits > local.table.code_bits ? encode(&shared, true) : 0;
      can_local = prepare(&local, true, false, disposal, next) || prepare(&local, true, true, disposal, next);
      if (shared_bytes == 0 || encode(&local, true) >= shared_bytes) can_local = !(can_share = prepare(&shared, false, false, disposal, next));
      else can_share = false;
    } else if (can_local) { /* the attempt has overwritten the map */
      can_local = prepare(&local, true, false, disposal, next) || prepare(&local, true, true, disposal, next);
    }
  }
  if (!can_local && !can_share) return false;
  *plan = can_share ? shared : local;
  return true;
}

/* ---- quality of a frame as it will be shown ---- */

static u16 result_at(const Plan *plan, int x, int y) {
  const Box b = plan->box;
  const u32 i = (u32)y * canvas_width + x;
  if (x < b.x || y < b.y || x >= b.x + b.w || y >= b.y + b.h) return shown[i];
  const u8 symbol = chosen[(u32)(y - b.y) * b.w + (x - b.x)];
  return symbol == plan->table.clear_index ? shown[i] : plan->table.number[symbol];
}

static Quality measure_rows(const Plan *plan, int top, int bottom, u32 every) {
  if (!measure && !(measure = measure_open(canvas_width, any_clear))) host_fail(FAIL_MEMORY, "no memory to measure with");
  measure_reset(measure);
  measure_every(measure, every);
  for (int y = top; y < bottom; y++) {
    for (int x = 0; x < canvas_width; x++) {
      row_a[x] = colour_of[wanted[(u32)y * canvas_width + x]];
      row_b[x] = colour_of[result_at(plan, x, y)];
    }
    measure_row(measure, row_a, row_b);
  }
  measure_break(measure);
  return measure_result(measure);
}
static Quality measure_frame(const Plan *plan) { return measure_rows(plan, 0, canvas_height, 1); }

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

/* Encodes with a tolerance and measures; false when the target is missed. */
static bool try_tolerance(Plan *plan, double tolerance, double keep_share, int disposal, const u16 *next) {
  plan->tolerance = tolerance;
  plan->keep_share = keep_share;
  plan->style = styles[0];
  plan->repeats = REPEAT_FREE;
  if (!choose_table(plan, disposal, next)) return false;
  plan->bytes = encode(plan, true);
  return tolerance == 0 && !plan->inexact ? true : holds(measure_trial(plan));
}

#define STEP 1.35
#define LARGEST 6000.0

/* The largest tolerance that holds, near the last frame's: neighbours are alike. */
static bool search_tolerance(Plan *best, double keep_share, int disposal, const u16 *next) {
  double t = tolerance_now < 6 ? 24 : tolerance_now;
  Plan plan;
  bool found = false;
  const int climb = !hurried || frames_written < 2 ? 12 : frames_written % 4 == 0; /* steps up */
  if (try_tolerance(&plan, t, keep_share, disposal, next)) {
    *best = plan;
    found = true;
    for (int i = 0; i < climb && t * STEP <= LARGEST; i++) {
      if (!try_tolerance(&plan, t *= STEP, keep_share, disposal, next)) break;
      *best = plan;
    }
  } else {
    for (int i = 0; i < 20 && (t /= STEP * STEP) >= 2; i++)
      if (try_tolerance(&plan, t, keep_share, disposal, next)) {
        *best = plan;
        found = true;
        if (!hurried && try_tolerance(&plan, t * STEP, keep_share, disposal, next)) *best = plan;
        break;
      }
  }
  return found;
}

static Plan search_frame(int disposal, const u16 *next) {
  Plan best, plan;
  clear_wanted = disposal == 2;
  if (!try_tolerance(&best, 0, 0, disposal, next)) {
    if (!lossy) host_fail(FAIL_UNSUPPORTED, "a frame that shows more than 256 new colours");
    best.bytes = UINT32_MAX;
  }
  if (lossy) {
    static const double shares[] = {.12, .5, 1.5};
    const bool explore = hurried ? frames_written == 1 || frames_written % 40 == 20 : frames_written < 3 || frames_written % 10 == 0;
    double share = keep_share_now;
    for (int i = 0; i < (explore && frames_written ? 3 : 1); i++) {
      const double s = explore && frames_written ? shares[i] : keep_share_now;
      if (!search_tolerance(&plan, s, disposal, next) || plan.bytes >= best.bytes) continue;
      best = plan;
      share = s;
    }
    if (best.bytes == UINT32_MAX) host_fail(FAIL_UNSUPPORTED, "a frame that shows more than 256 new colours");
    keep_share_now = share;
    if (best.tolerance > 0) tolerance_now = best.tolerance;
  }
  /* exact[] and may_repeat[] are those of the last trial: make them the winner's again, then settle on a style. */
  if (!choose_table(&best, disposal, next)) host_fail(FAIL_MISUSE, "a plan that was possible is not");
  LzwStyle style = best.style;
  u32 least = UINT32_MAX;
  int repeats = best.repeats;
  for (best.repeats = 0; best.repeats < REPEAT_KINDS; best.repeats++) {
    if (hurried && best.repeats != REPEAT_FREE && best.repeats != REPEAT_ALL && best.repeats != REPEAT_SOURCE) continue;
    const u32 bytes = encode(&best, true);
    if (bytes >= least || (best.tolerance > 0 && !holds(measure_trial(&best)))) continue;
    least = bytes;
    repeats = best.repeats;
    if (best.table.clear_index < 0) break;
  }
  best.repeats = repeats;
  least = UINT32_MAX;
  const u32 tried = hurried ? HURRIED_STYLES : sizeof styles / sizeof *styles;
  for (u32 i = 0; i < tried; i++)
    for (int look_back = 0; look_back <= (hurried ? 0 : 3); look_back += 3) {
      best.style = styles[i];
      best.style.look_back = look_back;
      const u32 bytes = encode(&best, true);
      if (bytes >= least) continue;
      if (best.tolerance > 0 && !holds(measure_trial(&best))) continue;
      least = bytes;
      style = best.style;
    }
  best.style = style;
  return best;
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
  const Table *t = &plan.table;
  encode(&plan, true); /* chosen[] of the winner */
  Quality quality = {1, 0, 0, 0, 0};
  if (lossy) quality = measure_frame(&plan);
  while (hurried && plan.tolerance > 0 && !holds(quality)) { /* the trial has not seen all */
    const double less = plan.tolerance / (STEP * STEP);
    Plan gentler = plan;
    gentler.bytes = UINT32_MAX;
    if (less >= 2) try_tolerance(&gentler, less, plan.keep_share, disposal, next);
    if (gentler.bytes == UINT32_MAX && !try_tolerance(&gentler, 0, 0, disposal, next)) break;
    plan = gentler;
    tolerance_now = less;
    encode(&plan, true);
    quality = measure_frame(&plan);
  }
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
  const u8 code_size = t->code_bits < 2 ? 2 : t->code_bits;
  emit(&code_size, 1);
  encode(&plan, false);
  frames_written++;
  /* What the result shows when the next frame comes (GIF89a 23.c.iv). */
  if (disposal == 3) return;
  u32 k = 0;
  for (int y = b.y; y < b.y + b.h; y++)
    for (int x = b.x; x < b.x + b.w; x++, k++) {
      const u32 i = (u32)y * canvas_width + x;
      if (disposal == 2) shown[i] = CLEAR;
      else if (chosen[k] != t->clear_index) shown[i] = t->number[chosen[k]];
    }
}
