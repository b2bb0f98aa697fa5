#include "frame_search.h"

#include <math.h>

#include "../common/host.h"
#include "gif.h"

/* Returned as the number of remaining steps if no colour table can express the frame. */
#define NO_TABLE (-99)
/* Negative value for a missed floor when the remaining steps round to zero. */
#define MISSED (-1e-9)

void search_begin(Gif *gif) {
  FrameSearch *s = &gif->search;
  s->tolerance = 0;
  s->keep_share = KEEP_SHARE_FIRST;
  s->style = s->lossy_style = 0;
  s->kind = s->lossy_kind = KIND_ALL;
  s->style_wins = s->style_rest = 0;
  s->exact_was_best = false;
}

static u32 plan_pixels(const Plan *plan) { return (u32)plan->box.w * plan->box.h; }

/* True if this frame is searched in full. If time is short, most frames reuse the results of earlier frames. */
static bool explores(const Gif *gif) {
  const Encoder *e = &gif->encoder;
  return !e->hurried || e->frames_written < EXPLORE_FRAMES || e->frames_written % EXPLORE_EVERY == 0;
}

/* ---- final symbols of a plan ---- */

/* Computes distances between the colours of all symbols in use. Lossy coding only replaces a colour by one of these. */
static void find_distances(Gif *gif, const ColourTable *t, u32 count) {
  const u32 *rgba = gif->colours.rgba;
  const u8 *symbols = gif->prepared.symbols;
  bool has[256] = {false};
  for (u32 k = 0; k < count; k++) has[symbols[k]] = true;
  u8 used[256];
  int n = 0;
  for (int i = 0; i < 256; i++)
    if (has[i]) used[n++] = i;
  for (int i = 0; i < n && used[i] < t->size; i++)
    for (int j = 0; j < n; j++) { /* symbols without a table entry match no other symbol */
      const bool is_entry = used[j] < t->size;
      const i32 d = is_entry ? colour_distance(rgba[t->number[used[i]]], rgba[t->number[used[j]]]) : 65535;
      gif->search.distances[used[i] << 8 | used[j]] = d > 65535 ? 65535 : d;
    }
}

/* Chooses the final symbols of a prepared plan. `rival`: byte counts of the plan to beat; NULL: none. */
static void settle(Gif *gif, Plan *plan, const LossyMarks *rival) {
  const ColourTable *t = &plan->table;
  symbols_settle(gif, plan);
  plan->serial = ++gif->search.settled;
  if (plan->tolerance <= 0) return;
  find_distances(gif, t, plan_pixels(plan));
  const LossyPixels pixels = {
      .symbols = gif->prepared.symbols,
      .may_repeat = plan->kind == KIND_FREE ? gif->prepared.may_repeat : NULL,
      .count = plan_pixels(plan),
      .clear_index = t->clear_index,
      .code_size = table_code_size(t),
      .tolerance = (i32)plan->tolerance,
      .smooth_tolerance = (i32)fmin(plan->tolerance, gif->encoder.floors.smooth),
      .box = plan->box,
      .canvas_width = gif->canvas.width,
      .distances = gif->search.distances,
      .flatness = &gif->flatness,
  };
  plan->bytes = lossy_settle(&gif->lossy_lzw, &pixels, lzw_styles[plan->style], &plan->filled, rival);
  if (plan->bytes < UINT32_MAX) plan->bytes += table_bytes(t);
}

/* Prepares and settles a plan with a tolerance. `local`: prefer a local colour table. Returns false if no table can
 * express the frame. */
static bool settle_within(Gif *gif, Plan *plan, double tolerance, double keep_share, bool local) {
  plan->tolerance = tolerance;
  plan->keep_share = keep_share;
  plan->kind = KIND_FREE;
  plan->style = gif->search.lossy_style;
  if (!(!local && prepare_common(gif, plan)) && !prepare_local(gif, plan)) return false;
  settle(gif, plan, NULL);
  return true;
}

/* ---- search for the largest tolerance ---- */

/* Codes the frame with `tolerance` and measures it. Returns by how many steps the tolerance may still grow; negative: a
 * floor is missed. */
static double try_tolerance(Gif *gif, Plan *plan, double tolerance, double keep_share) {
  if (!settle_within(gif, plan, tolerance, keep_share, true)) return NO_TABLE;
  const Quality q = measure_trial(gif, plan);
  const double room = log(loss_left(gif, q)) / log(TOLERANCE_STEP);
  if (!holds_floors(gif, q)) return fmin(room, MISSED);
  const double steps = trial_points(gif, plan) / POINTS_PER_STEP;
  return steps >= 0 ? fmax(room < steps ? room : steps, 0) : fmin(steps, MISSED);
}

/* Returns how many steps the search may go above the first tolerance. */
static int steps_up(const Gif *gif) {
  const Encoder *e = &gif->encoder;
  if (!e->hurried || e->frames_written < EXPLORE_FRAMES) return TOLERANCE_STEPS_UP;
  return e->frames_written % EXPLORE_EVERY == 0 ? 1 : 0;
}

/* Returns by how many steps the tolerance search moves next. `room`: steps that the last trial had left; negative: it
 * missed a floor. */
static int next_move(double room, bool cautious) {
  if (room >= 0) return (int)fmax(1, floor(room + TOLERANCE_GOOD_ENOUGH));
  if (room < NO_TABLE + 1) return -2;
  return -(int)fmax(cautious ? 2 : 1, ceil(-room * .8));
}

/* Finds the largest tolerance that meets the floors. Starts from the last frame's, because neighbouring frames are
 * alike. Returns false if there is none. */
static bool search_tolerance(Gif *gif, Plan *best, double keep_share) {
  const Encoder *e = &gif->encoder;
  FrameSearch *s = &gif->search;
  const double most = e->floors.most, last = s->tolerance < TOLERANCE_LOW ? TOLERANCE_FIRST : s->tolerance;
  const double first = last < most ? last : most;
  bool found = false;
  /* Bisection bounds: step `low` meets the floors once `found` is true, step `high` does not. */
  int low = -TOLERANCE_STEPS_DOWN, high = steps_up(gif) + 1;
  for (int step = 0, tries = 0; tries < TOLERANCE_TRIALS; tries++) {
    const double t = first * pow(TOLERANCE_STEP, step);
    Plan plan;
    const double room = t > most ? MISSED : try_tolerance(gif, &plan, t, keep_share);
    if (room >= 0) {
      *best = plan;
      s->found_marks = gif->lossy_lzw.marks;
      found = true;
      low = step;
    } else {
      high = step;
    }
    const bool is_good = !e->frames_written && room >= 0 && room < TOLERANCE_GOOD_ENOUGH;
    if (high - low < 2 || is_good || (e->hurried && found && step < 0)) break;
    const int target = step + next_move(room, e->hurried && tries);
    step = target >= high ? high - 1 : target <= low ? low + 1 : target;
    if (first * pow(TOLERANCE_STEP, step) < TOLERANCE_LEAST) break;
  }
  return found;
}

/* ---- exact coding of a frame ---- */

/* Finds the exact plan by encoding all transparency kinds in one pass. Returns false if no table can hold all
 * colours. */
static bool search_exact(Gif *gif, Plan *plan, bool thorough) {
  FrameSearch *s = &gif->search;
  plan->tolerance = plan->keep_share = 0;
  if (!choose_table(gif, plan, s->style)) return false;
  if (plan->inexact) {
    plan->kind = KIND_ALL;
    settle(gif, plan, NULL);
    plan->bytes = UINT32_MAX;
    plan->filled = true;
    return trial_holds(gif, plan);
  }
  u32 kinds = thorough ? (1 << KINDS) - 1 : 1 << KIND_ALL | 1 << s->kind;
  if (plan->table.clear_index < 0) kinds = 1 << KIND_NONE;
  count_kinds(gif, plan, kinds, s->style);
  s->kind = plan->kind;
  return true;
}

/* ---- variants of a lossy plan ---- */

typedef struct {
  bool local;
  TransparencyKind kind;
  int style;
} Variant;

/* Codes the best plan with another table, transparency kind or LZW style, and keeps the smaller result. `marks`: byte
 * counts of the best plan. */
static void try_variant(Gif *gif, Plan *best, LossyMarks *marks, Variant variant) {
  Plan plan = *best;
  plan.kind = variant.kind;
  plan.style = variant.style;
  if (variant.local ? !prepare_local(gif, &plan) : !prepare_common(gif, &plan)) return;
  LossyMarks rival = *marks;
  const u32 heads[2] = {table_bytes(&best->table), table_bytes(&plan.table)};
  if (heads[0] > heads[1])
    for (int i = 0; i < LOSSY_MARKS; i++) rival.bytes[i] += heads[0] - heads[1];
  settle(gif, &plan, best->tolerance > 0 ? &rival : NULL);
  if (plan.bytes >= best->bytes || !trial_holds(gif, &plan)) return;
  *best = plan;
  *marks = gif->lossy_lzw.marks;
}

/* Tries the other colour table, then transparency by a fixed kind instead of per pixel, then other LZW clearing
 * styles. */
static void search_variants(Gif *gif, Plan *best, LossyMarks *marks) {
  static const TransparencyKind kinds[] = {KIND_ALL, KIND_SOURCE};
  FrameSearch *s = &gif->search;
  const bool explore = explores(gif), thorough = explore || plan_pixels(best) < LARGE_FRAME / 2;
  if (!best->inexact && thorough) {
    const bool other = !best->table.local;
    if (other || gif->encoder.common_size) try_variant(gif, best, marks, (Variant){other, best->kind, best->style});
  }
  const bool own = best->table.local || best->inexact, transparency = best->table.clear_index >= 0;
  for (int k = 0; k < 2 && transparency; k++)
    if (thorough || s->lossy_kind == kinds[k]) try_variant(gif, best, marks, (Variant){own, kinds[k], best->style});
  if (transparency) s->lossy_kind = best->kind;
  if (!explore || !best->filled) return;
  for (int style = 0; style < (gif->encoder.hurried ? LZW_STYLES_HURRIED : LZW_STYLES); style++)
    if (style != best->style) try_variant(gif, best, marks, (Variant){own, best->kind, style});
  s->lossy_style = best->style;
}

/* ---- search for one frame ---- */

/* True if several keep shares (tuning.h: error up to which pixels stay unpainted) are compared for this frame. */
static bool compares_shares(const Gif *gif) {
  const u32 n = gif->encoder.frames_written;
  if (!n) return false;
  if (gif->encoder.hurried) return n == 1 || n % KEEP_SHARE_EVERY_HURRIED == KEEP_SHARE_PHASE_HURRIED;
  return n < KEEP_SHARE_FRAMES || n % KEEP_SHARE_EVERY == 0;
}

/* Finds the smallest plan with a tolerance. Its `bytes` are UINT32_MAX if there is none. */
static Plan search_lossy(Gif *gif, LossyMarks *marks, double *share) {
  static const double shares[KEEP_SHARE_COUNT] = KEEP_SHARES;
  const bool compares = compares_shares(gif);
  Plan best, plan;
  best.bytes = UINT32_MAX;
  for (int i = 0; i < (compares ? KEEP_SHARE_COUNT : 1); i++) {
    const double tried = compares ? shares[i] : gif->search.keep_share;
    if (!search_tolerance(gif, &plan, tried) || plan.bytes >= best.bytes) continue;
    best = plan;
    *marks = gif->search.found_marks;
    *share = tried;
  }
  return best;
}

/* Restores the symbols of the chosen plan, because the buffers hold those of the last trial. */
static void settle_again(Gif *gif, Plan *plan) {
  const bool local = plan->table.local || plan->inexact;
  if (!(local ? prepare_local(gif, plan) : prepare_common(gif, plan)))
    host_fail(FAIL_MISUSE, "a plan that was possible is not");
  settle(gif, plan, NULL);
}

Plan search_frame(Gif *gif) {
  FrameSearch *s = &gif->search;
  const bool lossy = gif->encoder.lossy, explore = explores(gif);
  Plan best;
  best.bytes = UINT32_MAX;
  changes_find(gif);
  bool possible = false;
  if (!lossy || explore || s->exact_was_best) possible = search_exact(gif, &best, !lossy || explore);
  if (lossy) {
    LossyMarks marks;
    double share = s->keep_share;
    Plan within = search_lossy(gif, &marks, &share);
    if (within.bytes == UINT32_MAX) {
      if (!possible) possible = search_exact(gif, &best, true);
    } else {
      search_variants(gif, &within, &marks);
      if (within.bytes < best.bytes) {
        best = within;
        s->keep_share = share;
        s->tolerance = best.tolerance;
      }
    }
    s->exact_was_best = within.bytes == UINT32_MAX || best.tolerance <= 0;
    possible |= !s->exact_was_best;
  }
  if (!possible) host_fail(FAIL_UNSUPPORTED, "a frame that shows more than 256 new colours");
  if (best.tolerance <= 0 || best.serial != s->settled) settle_again(gif, &best);
  return best;
}

bool search_gentler(Gif *gif, Plan *plan) {
  const double less = plan->tolerance / (TOLERANCE_STEP * TOLERANCE_STEP);
  Plan gentler = *plan;
  if (less >= TOLERANCE_LEAST) {
    if (!settle_within(gif, &gentler, less, plan->keep_share, plan->table.local)) return false;
  } else {
    if (!search_exact(gif, &gentler, true)) return false;
    settle(gif, &gentler, NULL);
  }
  *plan = gentler;
  gif->search.tolerance = less;
  return true;
}

LzwStyle search_style(Gif *gif, const Plan *plan) {
  FrameSearch *s = &gif->search;
  const bool large = plan_pixels(plan) > LARGE_FRAME;
  if (large && s->style_rest) { /* the same style has been the best in many frames in a row */
    s->style_rest--;
    return lzw_styles[s->style];
  }
  const int best = best_style(gif, plan);
  if (large) {
    s->style_wins = best == s->style ? s->style_wins + 1 : 0;
    s->style_rest = gif->encoder.hurried || s->style_wins > STYLE_WINS_MANY ? STYLE_REST_LONG
                    : s->style_wins > STYLE_WINS_SOME                       ? STYLE_REST_SHORT
                                                                            : 0;
    s->style = best;
  }
  return lzw_styles[best];
}
