/* What is visible beyond SSIM and PSNR, of one comparison at a time: SSIMULACRA 2.1, colour casts, steps and specks. */
#ifndef PNG_PERCEPTUAL_H
#define PNG_PERCEPTUAL_H
#include "../measure/measure.h"
#include "../measure/score.h"
#include "../measure/shades.h"
#include "picture.h"

/* What is measured, as bits. */
enum { PERCEPTUAL_SHADES = 1, PERCEPTUAL_SCORE = 2 };

#define BACKGROUNDS 3

typedef struct {
  Score *scores[BACKGROUNDS]; /* NULL: not measured on this one */
  Shades *shades;             /* NULL: not measured */
  bool unscored;              /* the picture is too wide for a score */
} Perceptual;

typedef struct {
  ShadesFound shades;
  /* SSIMULACRA 2.1 of all and of the worst tile of 64 x 64; 100 when not asked for, 0 when too wide. */
  double score, worst_tile;
} PerceptualFigures;

/* Begins a comparison of `height` rows of the picture's width; `alpha`: some pixel may be translucent. */
void perceptual_begin(Perceptual *p, const Picture *picture, u32 height, bool alpha, int measured);
void perceptual_row(Perceptual *p, const u32 *a, const u32 *b);
/* The next row is no neighbour of the last one. */
void perceptual_break(Perceptual *p);
/* After all rows. */
PerceptualFigures perceptual_figures(Perceptual *p);
void perceptual_end(Perceptual *p);

/* Begins SSIM and PSNR of RGBA rows as wide as the picture. To be freed. */
Measure *measure_rgba_rows(const Picture *picture, bool alpha);
#endif
