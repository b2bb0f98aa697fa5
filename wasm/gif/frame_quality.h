/* Measures how the target frame will look if it is coded by a plan. */
#ifndef GIF_FRAME_QUALITY_H
#define GIF_FRAME_QUALITY_H

#include "../measure/measure.h"
#include "plan.h"
#include "ssimulacra2_tiles.h"

typedef struct {
  u32 *target_row, *result_row; /* one row of RGBA pixels of the target and of the result */
  double cast;                  /* colour cast of the frame that was measured last */
  bool scored;                  /* SSIMULACRA 2 is measured as well */
  u32 score_serial;             /* serial number of the plan for which `score` was computed */
  PerceptualScore score;
  /* Worst values of all frames written so far. */
  double worst_ssim, worst_luma_mse, worst_rgb_mse;
  PerceptualScore worst_score; /* worst SSIMULACRA 2 score; 100 if not measured */
} FrameQuality;

/* `has_clear`: some pixel of the animation may be transparent. */
void quality_begin(Gif *gif, bool has_clear);
/* Measures the whole frame. In the changed part, SSIM uses only every `every`-th row of windows. */
Quality measure_frame(Gif *gif, const Plan *plan, u32 every);
/* True if `q` and the last colour cast meet the encoder's floors. The SSIMULACRA 2 score is not checked. */
bool holds_floors(const Gif *gif, Quality q);
/* Returns the SSIMULACRA 2 points by which the frame exceeds its floor; POINTS_PLENTY if frames are not scored. */
double points_left(Gif *gif, const Plan *plan);
/* Returns the factor by which the frame's error may grow before a floor is missed; below 1: the error must shrink.
 * Errors grow about in proportion to the tolerance. */
double loss_left(const Gif *gif, Quality q);
/* Cheaper measurements for search trials: fewer rows of SSIM windows, and no SSIMULACRA 2 score when time is short. */
Quality measure_trial(Gif *gif, const Plan *plan);
double trial_points(Gif *gif, const Plan *plan);
bool trial_holds(Gif *gif, const Plan *plan);
/* True if the source frame changes the picture but the written frame would not. Viewers would then count one frame
 * less. */
bool loses_its_change(Gif *gif, const Plan *plan);
/* Records the quality values of a frame that is written. */
void quality_keep(Gif *gif, const Plan *plan, Quality q);

#endif
