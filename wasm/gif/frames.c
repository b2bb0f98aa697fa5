/* Frames that go out, exact or within a target: the search for what makes each smallest, and the writing. */
#include "plan.h"

u16 *shown, *wanted;
u8 *wanted_painted;
int wanted_delay;
bool wanted_changes;
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

static u16 distances[256 * 256];
static u32 *row_a, *row_b;
static double tolerance_now, keep_share_now;
u32 frames_written;

static bool scored; /* frames are measured by the score, too */
static u32 seen_of; /* the serial of the plan that `seen` is of */
static Seen seen;
Seen worst_seen;

void emit(const void *bytes, u32 count) {
  written_bytes += count;
  if (!muted) host_write(bytes, count);
}

static u32 pixels(void) { return (u32)canvas_width * canvas_height; }

static int style_now, near_style_now, kind_now, near_kind_now; /* of the last large frame */
static int style_wins, style_rest; /* large frames in a row that the same style won; and frames that just take it */
static bool exact_was_best; /* in the last frame, with a tolerance */

void frames_begin(bool is_exact) {
  lossy = !is_exact;
  written_bytes = 0;
  frames_written = 0;
  worst_ssim = 1;
  worst_luma_mse = worst_rgb_mse = 0;
  tolerance_now = 0;
  keep_share_now = .5;
  if (!row_a) {
    row_a = allocate_zeroed(canvas_width * sizeof(u32));
    row_b = allocate_zeroed(canvas_width * sizeof(u32));
  }
  wanted_dirty = (Box){0, 0, 0, 0};
  if (lossy) similarity_begin(any_clear);
  scored = lossy && seen_begin(any_clear);
  seen_of = 0;
  worst_seen = (Seen){100, 100};
  tables_begin();
  codings_begin();
  style_now = near_style_now = kind_now = near_kind_now = 0;
  style_wins = style_rest = 0;
  exact_was_best = false;
  memset(shown, 0, (size_t)pixels() * sizeof *shown);
}

/* ---- quality of a frame as it will be shown ---- */

Box wanted_dirty;

/* Part of a row as it will be shown. */
static void result_row(const Plan *plan, int y, int left, int count, u32 *out) {
  const Box b = plan->box;
  const u16 *line = shown + (size_t)y * canvas_width + left;
  for (int x = 0; x < count; x++) out[x] = colour_of[line[x]];
  if (y < b.y || y >= b.y + b.h) return;
  const int from = b.x > left ? b.x : left, to = b.x + b.w < left + count ? b.x + b.w : left + count;
  const u8 *symbol = symbols + (size_t)(y - b.y) * b.w - b.x;
  for (int x = from; x < to; x++)
    if (symbol[x] != plan->table.clear_index) out[x - left] = colour_of[plan->table.number[symbol[x]]];
}

/* A frame that changes the picture must change the result as well, or viewers would count one frame less. */
static bool loses_its_change(const Plan *plan) {
  const Box b = plan->box;
  if (!wanted_changes || !frames_written) return false;
  for (int y = b.y; y < b.y + b.h; y++) {
    const u16 *line = shown + (size_t)y * canvas_width + b.x;
    result_row(plan, y, b.x, b.w, row_b);
    for (int x = 0; x < b.w; x++)
      if (row_b[x] != colour_of[line[x]]) return false;
  }
  return true;
}

static double cast_found; /* of the frame that was measured last */

/* Of the whole frame; SSIM of what has changed from every n-th row of windows. */
static Quality measure_frame(const Plan *plan, u32 every) {
  const Box part = similarity_open(box_around(wanted_dirty, plan->box), every);
  cast_open(part.w);
  for (int y = part.y; y < part.y + part.h; y++) {
    const u16 *line = wanted + (size_t)y * canvas_width + part.x;
    for (int x = 0; x < part.w; x++) row_a[x] = colour_of[line[x]];
    result_row(plan, y, part.x, part.w, row_b);
    similarity_row(row_a, row_b);
    cast_row(row_a, row_b);
  }
  cast_found = cast_close();
  return similarity_close();
}

static Quality measure_trial(const Plan *plan) { return measure_frame(plan, plan->box.h > 64 ? 4 : 1); }

/* The whole frame as eyes see it. */
static Seen look_at(const Plan *plan) {
  if (seen_of == plan->serial) return seen;
  const Box part = seen_open(box_around(wanted_dirty, plan->box));
  for (int y = part.y; y < part.y + part.h; y++) {
    const u16 *line = wanted + (size_t)y * canvas_width + part.x;
    for (int x = 0; x < part.w; x++) row_a[x] = colour_of[line[x]];
    result_row(plan, y, part.x, part.w, row_b);
    seen_row(row_a, row_b);
  }
  seen_of = plan->serial;
  return seen = seen_close();
}

/* Points of the score that a frame has more than it has to; of frames that are not scored, any number. */
static double points_left(const Plan *plan) {
  if (!scored) return 100;
  const Seen found = look_at(plan);
  return fmin(found.score - target.score, found.worst_tile - target.worst_tile);
}

static double decibels(double mse) { return mse > 0 ? 10 * log10(65025 / mse) : 1000; }
static bool holds(Quality q) {
  return q.ssim >= target.ssim && decibels(q.luma_mse) >= target.psnr && decibels(q.rgb_mse) >= target.rgb_psnr &&
         cast_found <= target.cast && decibels(q.block_luma_mse) >= target.block_psnr && decibels(q.block_rgb_mse) >= target.block_rgb_psnr;
}

/* In a hurry frames are scored when they are written, and not before. */
static double trial_points(const Plan *plan) { return hurried ? 100 : points_left(plan); }
static bool trial_holds(const Plan *plan) { return holds(measure_trial(plan)) && trial_points(plan) >= 0; }

/* ---- search ---- */

static u32 settled; /* plans so far */

/* Between the colours that symbols[] has: no other is ever coded in place of one. */
static void find_distances(const Table *t, u32 count) {
  bool has[256] = {false};
  for (u32 k = 0; k < count; k++) has[symbols[k]] = true;
  u8 used[256];
  int n = 0;
  for (int i = 0; i < 256; i++)
    if (has[i]) used[n++] = i;
  for (int i = 0; i < n && used[i] < t->size; i++)
    for (int j = 0; j < n; j++) { /* symbols without an entry are never near */
      const i32 d = used[j] < t->size ? distance(colour_of[t->number[used[i]]], colour_of[t->number[used[j]]]) : 65535;
      distances[used[i] << 8 | used[j]] = d > 65535 ? 65535 : d;
    }
}

/* Settles symbols[] of a plan that is prepared. `rival`: how far along it must not fall behind, or NULL. */
static void settle(Plan *plan, const NearMarks *rival) {
  const Table *t = &plan->table;
  symbols_settle(plan);
  plan->serial = ++settled;
  if (plan->tolerance <= 0) return;
  find_distances(t, (u32)plan->box.w * plan->box.h);
  const Pixels p = {symbols, plan->kind == KIND_FREE ? may_repeat : NULL, (u32)plan->box.w * plan->box.h, t->clear_index, code_size_of(t), (i32)plan->tolerance,
                    (i32)fmin(plan->tolerance, target.smooth), plan->box, distances};
  plan->bytes = near_settle(&p, styles[plan->style], &plan->filled, rival);
  if (plan->bytes < UINT32_MAX) plan->bytes += head_bytes(t);
}

/* Settles with a tolerance; false when no table serves. `local`: a table of its own is to be preferred. */
static bool settle_within(Plan *plan, double tolerance, double keep_share, bool local, int disposal, const u16 *next) {
  plan->tolerance = tolerance;
  plan->keep_share = keep_share;
  plan->kind = KIND_FREE;
  plan->style = near_style_now;
  if (!(!local && prepare_common(plan, disposal, next)) && !prepare_local(plan, disposal, next)) return false;
  settle(plan, NULL);
  return true;
}

#define STEP 1.35
#define POINTS_PER_STEP 4. /* of the score, about */

static double least(double a, double b) { return a < b ? a : b; }

/* How many times more than now a frame may lose; below 1 what it must lose less. Errors grow about as tolerances do. */
static double room_left(Quality q) {
  const double share = least((1 - target.ssim) / fmax(1 - q.ssim, 1e-9), pow(10, (decibels(q.luma_mse) - target.psnr) / 10));
  const double blocks = least(pow(10, (decibels(q.block_luma_mse) - target.block_psnr) / 10), pow(10, (decibels(q.block_rgb_mse) - target.block_rgb_psnr) / 10));
  return least(least(share, pow(target.cast / fmax(cast_found, 1e-3), 2)), least(blocks, pow(10, (decibels(q.rgb_mse) - target.rgb_psnr) / 10)));
}

/* Settles and measures. Steps that there is room for: none or less where the target is missed; far below where no table serves. */
static double try_tolerance(Plan *plan, double tolerance, double keep_share, int disposal, const u16 *next) {
  if (!settle_within(plan, tolerance, keep_share, true, disposal, next)) return -99;
  const Quality q = measure_trial(plan);
  const double room = log(room_left(q)) / log(STEP);
  if (!holds(q)) return fmin(room, -1e-9);
  const double points = trial_points(plan);
  return points >= 0 ? fmax(least(room, points / POINTS_PER_STEP), 0) : fmin(points / POINTS_PER_STEP, -1e-9);
}

static NearMarks found_marks; /* of the plan that search_tolerance has found */

/* The largest tolerance that holds, near the last frame's: neighbours are alike. */
static bool search_tolerance(Plan *best, double keep_share, int disposal, const u16 *next) {
  const double first = least(tolerance_now < 6 ? 24 : tolerance_now, target.most);
  const int climb = !hurried || frames_written < 2 ? 12 : frames_written % 4 == 0 ? 1 : 0; /* steps up */
  bool found = false;
  int low = -40, high = climb + 1; /* what holds is at or above `low`, once found; what does not, at `high` */
  for (int step = 0, tries = 0; tries < 20; tries++) {
    const double t = first * pow(STEP, step);
    Plan plan;
    const double room = t > target.most ? -1e-9 : try_tolerance(&plan, t, keep_share, disposal, next);
    if (room >= 0) {
      *best = plan;
      found_marks = near_marks;
      found = true;
      low = step;
    } else {
      high = step;
    }
    if (high - low < 2 || (!frames_written && room >= 0 && room < .3) || (hurried && found && step < 0)) break;
    const int wanted = step + (room >= 0 ? (int)fmax(1, floor(room + .3)) : room < -98 ? -2 : -(int)fmax(hurried && tries ? 2 : 1, ceil(-room * .8)));
    step = wanted >= high ? high - 1 : wanted <= low ? low + 1 : wanted;
    if (first * pow(STEP, step) < 2) break;
  }
  return found;
}

/* The exact plan: kinds side by side. False when no table can hold all colours. */
static bool search_exact(Plan *plan, bool thorough, int disposal, const u16 *next) {
  plan->tolerance = plan->keep_share = 0;
  if (!choose_table(plan, style_now, disposal, next)) return false;
  if (plan->inexact) {
    plan->kind = KIND_ALL;
    settle(plan, NULL);
    plan->bytes = UINT32_MAX;
    plan->filled = true;
    return trial_holds(plan);
  }
  const u32 kinds = plan->table.clear_index < 0 ? 1 << KIND_NONE : thorough ? (1 << KINDS) - 1 : 1 << KIND_ALL | 1 << kind_now;
  count_kinds(plan, kinds, style_now);
  kind_now = plan->kind;
  return true;
}

/* Settles like the best plan but for its table, kind and style; the better one stays. `marks`: the best one's. */
static void try_variant(Plan *best, NearMarks *marks, bool local, int kind, int style, int disposal, const u16 *next) {
  Plan plan = *best;
  plan.kind = kind;
  plan.style = style;
  if (local ? !prepare_local(&plan, disposal, next) : !prepare_common(&plan, disposal, next)) return;
  NearMarks rival = *marks;
  const u32 heads[2] = {head_bytes(&best->table), head_bytes(&plan.table)};
  if (heads[0] > heads[1])
    for (int i = 0; i < NEAR_MARKS; i++) rival.bytes[i] += heads[0] - heads[1];
  settle(&plan, best->tolerance > 0 ? &rival : NULL);
  if (plan.bytes >= best->bytes || !trial_holds(&plan)) return;
  *best = plan;
  *marks = near_marks;
}

/* The other table; then what is transparent may do better settled as a whole than pixel by pixel; then other ways to clear the
 * LZW table. */
static void search_variants(Plan *best, NearMarks *marks, bool explore, int disposal, const u16 *next) {
  static const int kinds[] = {KIND_ALL, KIND_SOURCE};
  const bool thorough = explore || (u32)best->box.w * best->box.h < LARGE_FRAME / 2;
  if (!best->inexact) {
    const bool other = !best->table.local;
    if (thorough && (other || common_size)) try_variant(best, marks, other, best->kind, best->style, disposal, next);
  }
  const bool own = best->table.local || best->inexact, transparency = best->table.clear_index >= 0;
  for (int k = 0; k < 2 && transparency; k++)
    if (thorough || near_kind_now == kinds[k]) try_variant(best, marks, own, kinds[k], best->style, disposal, next);
  if (transparency) near_kind_now = best->kind;
  if (!explore || !best->filled) return;
  for (int style = 0; style < (hurried ? 3 : STYLES); style++)
    if (style != best->style) try_variant(best, marks, own, best->kind, style, disposal, next);
  near_style_now = best->style;
}

/* The plan of a frame, with symbols[] settled. */
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
    NearMarks marks;
    within.bytes = UINT32_MAX;
    for (int i = 0; i < (sharing ? 3 : 1); i++) {
      const double s = sharing ? shares[i] : keep_share_now;
      if (!search_tolerance(&plan, s, disposal, next) || plan.bytes >= within.bytes) continue;
      within = plan;
      marks = found_marks;
      share = s;
    }
    if (within.bytes == UINT32_MAX) {
      if (!possible) possible = search_exact(&best, true, disposal, next);
    } else {
      search_variants(&within, &marks, explore, disposal, next);
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
  /* symbols[] and may_repeat[] are those of the last trial: make them the winner's again. */
  if (!(best.table.local || best.inexact ? prepare_local(&best, disposal, next) : prepare_common(&best, disposal, next)))
    host_fail(FAIL_MISUSE, "a plan that was possible is not");
  settle(&best, NULL);
  return best;
}

/* The way to clear the LZW table for symbols[]. */
static LzwStyle choose_style(const Plan *plan) {
  const bool large = (u32)plan->box.w * plan->box.h > LARGE_FRAME;
  if (large && style_rest) { /* the same style has won again and again */
    style_rest--;
    return styles[style_now];
  }
  const int best = best_style(plan, (1 << STYLES) - 1);
  if (large) {
    style_wins = best == style_now ? style_wins + 1 : 0;
    style_rest = hurried || style_wins > 8 ? 7 : style_wins > 3 ? 3 : 0;
    style_now = best;
  }
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
  if (lossy) quality = measure_frame(&plan, 1);
  while (plan.tolerance > 0 && !(holds(quality) && points_left(&plan) >= 0 && !loses_its_change(&plan))) { /* the trial has not seen all */
    const double less = plan.tolerance / (STEP * STEP);
    Plan gentler = plan;
    if (less >= 2) {
      if (!settle_within(&gentler, less, plan.keep_share, plan.table.local, disposal, next)) break;
    } else {
      if (!search_exact(&gentler, true, disposal, next)) break;
      settle(&gentler, NULL);
    }
    plan = gentler;
    tolerance_now = less;
    quality = measure_frame(&plan, 1);
  }
  if (lossy) similarity_keep();
  if (scored) {
    const Seen found = look_at(&plan);
    worst_seen.score = fmin(worst_seen.score, found.score);
    worst_seen.worst_tile = fmin(worst_seen.worst_tile, found.worst_tile);
    seen_keep();
  }
  wanted_dirty = disposal > 1 ? plan.box : (Box){0, 0, 0, 0}; /* what goes again with it */
  const Table *t = &plan.table;
  bool transparent = disposal == 2; /* some viewers clear to the background colour unless the frame has transparency */
  for (u32 k = 0; k < (u32)plan.box.w * plan.box.h && !transparent; k++) transparent = symbols[k] == t->clear_index;
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
    symbols_write(&plan, choose_style(&plan));
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
      else if (symbols[k] != t->clear_index) shown[i] = t->number[symbols[k]];
    }
}
