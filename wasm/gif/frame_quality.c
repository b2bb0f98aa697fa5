#include "frame_quality.h"

#include <math.h>

#include "../common/allocate.h"
#include "gif.h"

#define POINTS_PLENTY 100 /* points that no frame can exceed: the whole SSIMULACRA 2 scale */
#define DECIBELS_EQUAL 1000

void quality_begin(Gif *gif, bool has_clear) {
  FrameQuality *f = &gif->quality;
  const Canvas *canvas = &gif->canvas;
  const bool lossy = gif->encoder.lossy;
  f->worst_ssim = 1;
  f->worst_luma_mse = f->worst_rgb_mse = 0;
  f->worst_score = (PerceptualScore){100, 100};
  f->score_serial = 0;
  if (!f->target_row) {
    f->target_row = allocate_zeroed(canvas->width * sizeof(u32));
    f->result_row = allocate_zeroed(canvas->width * sizeof(u32));
  }
  if (lossy) similarity_begin(&gif->similarity, canvas->width, canvas->height, has_clear);
  f->scored = lossy && score_tiles_begin(&gif->score_tiles, canvas->width, canvas->height, has_clear);
}

/* ---- pixel rows of the target and of the output ---- */

static void colours_of(const Gif *gif, const u16 *numbers, int count, u32 *out) {
  const u32 *rgba = gif->colours.rgba;
  for (int x = 0; x < count; x++) out[x] = rgba[numbers[x]];
}

/* Computes part of a row as the output will show it. */
static void find_result_row(const Gif *gif, const Plan *plan, int y, int left, int count) {
  const Box b = plan->box;
  const u32 *rgba = gif->colours.rgba;
  u32 *out = gif->quality.result_row;
  colours_of(gif, gif->encoder.shown + (size_t)y * gif->canvas.width + left, count, out);
  if (y < b.y || y >= b.y + b.h) return;
  const int from = b.x > left ? b.x : left, to = b.x + b.w < left + count ? b.x + b.w : left + count;
  const u8 *symbol = gif->prepared.symbols + (size_t)(y - b.y) * b.w - b.x;
  for (int x = from; x < to; x++)
    if (symbol[x] != plan->table.clear_index) out[x - left] = rgba[plan->table.number[symbol[x]]];
}

/* Loads the same part of a row of the target frame and of the output. */
static void find_rows(const Gif *gif, const Plan *plan, Box part, int y) {
  const u16 *target = gif->encoder.frame.numbers + (size_t)y * gif->canvas.width + part.x;
  colours_of(gif, target, part.w, gif->quality.target_row);
  find_result_row(gif, plan, y, part.x, part.w);
}

bool loses_its_change(Gif *gif, const Plan *plan) {
  const Box b = plan->box;
  if (!gif->encoder.frame.changes || !gif->encoder.frames_written) return false;
  for (int y = b.y; y < b.y + b.h; y++) {
    const u16 *shown = gif->encoder.shown + (size_t)y * gif->canvas.width + b.x;
    find_result_row(gif, plan, y, b.x, b.w);
    for (int x = 0; x < b.w; x++)
      if (gif->quality.result_row[x] != gif->colours.rgba[shown[x]]) return false;
  }
  return true;
}

/* ---- quality measurements of a frame ---- */

Quality measure_frame(Gif *gif, const Plan *plan, u32 every) {
  FrameQuality *f = &gif->quality;
  const Box part = similarity_open(&gif->similarity, box_around(gif->encoder.frame.dirty, plan->box), every);
  colour_cast_open(&gif->colour_cast, part.w, gif->canvas.width);
  for (int y = part.y; y < part.y + part.h; y++) {
    find_rows(gif, plan, part, y);
    similarity_row(&gif->similarity, f->target_row, f->result_row);
    colour_cast_row(&gif->colour_cast, f->target_row, f->result_row);
  }
  f->cast = colour_cast_close(&gif->colour_cast);
  return similarity_close(&gif->similarity);
}

Quality measure_trial(Gif *gif, const Plan *plan) {
  return measure_frame(gif, plan, plan->box.h > TRIAL_ROWS ? TRIAL_EVERY : 1);
}

/* Returns SSIMULACRA 2.1 of the whole frame; cached per plan. */
static PerceptualScore score_frame(Gif *gif, const Plan *plan) {
  FrameQuality *f = &gif->quality;
  if (f->score_serial == plan->serial) return f->score;
  const Box part = score_tiles_open(&gif->score_tiles, box_around(gif->encoder.frame.dirty, plan->box));
  for (int y = part.y; y < part.y + part.h; y++) {
    find_rows(gif, plan, part, y);
    score_tiles_row(&gif->score_tiles, f->target_row, f->result_row);
  }
  f->score_serial = plan->serial;
  return f->score = score_tiles_close(&gif->score_tiles);
}

double points_left(Gif *gif, const Plan *plan) {
  if (!gif->quality.scored) return POINTS_PLENTY;
  const QualityFloors *floors = &gif->encoder.floors;
  const PerceptualScore found = score_frame(gif, plan);
  return fmin(found.score - floors->score, found.worst_tile - floors->worst_tile);
}

static double decibels(double mse) { return mse > 0 ? 10 * log10(255. * 255. / mse) : DECIBELS_EQUAL; }

bool holds_floors(const Gif *gif, Quality q) {
  const QualityFloors *floors = &gif->encoder.floors;
  return q.ssim >= floors->ssim && decibels(q.luma_mse) >= floors->psnr && decibels(q.rgb_mse) >= floors->rgb_psnr &&
         gif->quality.cast <= floors->cast && decibels(q.block_luma_mse) >= floors->block_psnr &&
         decibels(q.block_rgb_mse) >= floors->block_rgb_psnr;
}

double trial_points(Gif *gif, const Plan *plan) {
  return gif->encoder.hurried ? POINTS_PLENTY : points_left(gif, plan);
}

bool trial_holds(Gif *gif, const Plan *plan) {
  return holds_floors(gif, measure_trial(gif, plan)) && trial_points(gif, plan) >= 0;
}

static double least(double a, double b) { return a < b ? a : b; }
static double times_left(double mse, double floor) { return pow(10, (decibels(mse) - floor) / 10); }

double loss_left(const Gif *gif, Quality q) {
  const QualityFloors *floors = &gif->encoder.floors;
  const double share = least((1 - floors->ssim) / fmax(1 - q.ssim, 1e-9), times_left(q.luma_mse, floors->psnr));
  const double cast = pow(floors->cast / fmax(gif->quality.cast, 1e-3), 2);
  const double luma_block = times_left(q.block_luma_mse, floors->block_psnr);
  const double blocks = least(luma_block, times_left(q.block_rgb_mse, floors->block_rgb_psnr));
  return least(least(share, cast), least(blocks, times_left(q.rgb_mse, floors->rgb_psnr)));
}

void quality_keep(Gif *gif, const Plan *plan, Quality q) {
  FrameQuality *f = &gif->quality;
  if (gif->encoder.lossy) similarity_keep(&gif->similarity);
  if (f->scored) {
    const PerceptualScore found = score_frame(gif, plan);
    f->worst_score.score = fmin(f->worst_score.score, found.score);
    f->worst_score.worst_tile = fmin(f->worst_score.worst_tile, found.worst_tile);
    score_tiles_keep(&gif->score_tiles);
  }
  if (q.ssim < f->worst_ssim) f->worst_ssim = q.ssim;
  if (q.luma_mse > f->worst_luma_mse) f->worst_luma_mse = q.luma_mse;
  if (q.rgb_mse > f->worst_rgb_mse) f->worst_rgb_mse = q.rgb_mse;
}
