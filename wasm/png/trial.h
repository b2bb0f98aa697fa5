/* Trials on the sample: estimates size and quality of a palette or of near-lossless rows. */
#ifndef PNG_TRIAL_H
#define PNG_TRIAL_H
#include "numbered.h"
#include "perceptual.h"

typedef struct Png Png;

typedef struct {
  Numbered numbered;
  u8 *indices; /* palette indices of the whole sample; NULL: not mapped */
  u32 *near;   /* the sample as near-lossless rows; NULL: not computed */
  Quality quality;
  PerceptualFigures shades, score; /* results of the last trial_shades and trial_score */
} Trials;

/* Maps the sample to the palette. Must be called before the trials that measure quality. */
void trial_map(Png *png);
/* Computes near-lossless rows of the sample in the planned layout, for the same trials. Returns their deflated
 * bytes. */
double trial_near(Png *png);
/* Measures SSIM and PSNR of the mapped sample. */
void trial_measure(Png *png);
/* Measures colour casts and steps of the mapped sample. Limits above 0: colours of windows that exceed a limit get more
 * weight for the next palette. */
void trial_shades(Png *png, float most_cast, float most_steps);
/* Measures SSIMULACRA 2 of a representative part of the mapped sample, and of its worst tile. */
void trial_score(Png *png);
/* Returns the deflated bytes of the sample: as palette indices, or plain if not `mapped`. `gray`: plain rows are grey
 * with alpha. The estimate uses one in `every` groups of rows. */
double trial_bytes(Png *png, bool mapped, bool gray, u32 every);
#endif
