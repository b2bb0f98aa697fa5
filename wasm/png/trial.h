/* Trials on the sample: what a palette or near-lossless rows would take, and how they would look. */
#ifndef PNG_TRIAL_H
#define PNG_TRIAL_H
#include "numbered.h"
#include "perceptual.h"

typedef struct Png Png;

typedef struct {
  Numbered numbered;
  u8 *indices; /* the whole sample, mapped to the palette; NULL: it is not */
  u32 *near;   /* or as near-lossless rows */
  Quality quality;
  PerceptualFigures shades, score; /* of the last trial_shades and trial_score */
} Trials;

/* Maps the sample to the palette, for the trials that measure. */
void trial_map(Png *png);
/* Makes near-lossless rows of the sample, in the planned layout, for the same trials. Returns their deflated bytes. */
double trial_near(Png *png);
/* SSIM and PSNR of the mapped sample. */
void trial_measure(Png *png);
/* Casts and steps of the mapped sample. With limits above 0, the next palette will come closer to colours of windows
 * where it is above them. */
void trial_shades(Png *png, float most_cast, float most_steps);
/* The score of the mapped sample and of its worst tile, from a part that says enough. */
void trial_score(Png *png);
/* Bytes of the sample, mapped to the palette and deflated; or plain, if not `mapped`. `gray`: with alpha, without
 * colour. Estimated from one group of rows in `every`. */
double trial_bytes(Png *png, bool mapped, bool gray, u32 every);
#endif
