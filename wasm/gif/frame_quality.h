/* Quality of the target frame as a plan will show it. */
#ifndef GIF_FRAME_QUALITY_H
#define GIF_FRAME_QUALITY_H

#include "../measure/measure.h"
#include "plan.h"
#include "ssimulacra2_tiles.h"

typedef struct {
  u32 *target_row, *result_row; /* RGBA */
  double cast;                  /* of the frame that was measured last */
  bool scored;                  /* frames are measured by SSIMULACRA 2, too */
  u32 score_serial;             /* of the plan that `score` belongs to */
  PerceptualScore score;
  /* of the worst frame that was written */
  double worst_ssim, worst_luma_mse, worst_rgb_mse;
  PerceptualScore worst_score; /* 100 if frames are not scored */
} FrameQuality;

/* `has_clear`: some pixel of the animation may be clear. */
void quality_begin(Gif *gif, bool has_clear);
/* Measures the whole frame; SSIM of what has changed from every n-th row of windows. */
Quality measure_frame(Gif *gif, const Plan *plan, u32 every);
/* True if the figures measured last hold the floors, but for the score. */
bool holds_floors(const Gif *gif, Quality q);
/* Points of the score that the frame has more than it has to. If it is not scored: plenty. */
double points_left(Gif *gif, const Plan *plan);
/* How many times more than now the frame may lose. Below 1: it must lose less. Errors grow about as tolerances do. */
double loss_left(const Gif *gif, Quality q);
/* In trials fewer rows are measured, and in a hurry frames are not scored. */
Quality measure_trial(Gif *gif, const Plan *plan);
double trial_points(Gif *gif, const Plan *plan);
bool trial_holds(Gif *gif, const Plan *plan);
/* True if the frame changes the picture, but the result would show no change: viewers would count one frame less. */
bool loses_its_change(Gif *gif, const Plan *plan);
/* Notes the figures of a frame that is written. */
void quality_keep(Gif *gif, const Plan *plan, Quality q);

#endif
