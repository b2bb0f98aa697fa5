/* Perceptual quality beyond SSIM and PSNR, for one comparison at a time: SSIMULACRA 2.1, colour casts, steps and
 * specks. */
#ifndef PNG_PERCEPTUAL_H
#define PNG_PERCEPTUAL_H
#include "../measure/measure.h"
#include "../measure/score.h"
#include "../measure/shades.h"
#include "picture.h"

/* Bits that select what is measured. */
enum { PERCEPTUAL_SHADES = 1, PERCEPTUAL_SCORE = 2 };

#define BACKGROUNDS 3

typedef struct {
  Score *scores[BACKGROUNDS]; /* one score per background; NULL: not measured */
  Shades *shades;             /* NULL: shades are not measured */
  bool unscored;              /* the picture is too wide for SSIMULACRA 2 */
} Perceptual;

typedef struct {
  ShadesFound shades;
  /* SSIMULACRA 2.1 of the picture and of the worst tile of 64 x 64 pixels; 100: not requested; 0: picture too wide. */
  double score, worst_tile;
} PerceptualFigures;

/* Starts a comparison of `height` rows with the picture's width. `alpha`: some pixel may be translucent. */
void perceptual_begin(Perceptual *p, const Picture *picture, u32 height, bool alpha, int measured);
void perceptual_row(Perceptual *p, const u32 *a, const u32 *b);
/* Declares that the next row is not adjacent to the last one. */
void perceptual_break(Perceptual *p);
/* Returns the results. Called after all rows. */
PerceptualFigures perceptual_figures(Perceptual *p);
void perceptual_end(Perceptual *p);

/* Starts SSIM and PSNR of RGBA rows as wide as the picture. The caller frees the result. */
Measure *measure_rgba_rows(const Picture *picture, bool alpha);
#endif
