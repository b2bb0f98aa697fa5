/* SSIMULACRA 2.1 of two whole canvases from sums of their tiles. A frame changes a part, and only its tiles are
 * measured again. */
#ifndef GIF_SSIMULACRA2_TILES_H
#define GIF_SSIMULACRA2_TILES_H

#include "../common/types.h"
#include "../measure/score.h"
#include "box.h"

#define SCORE_BACKGROUNDS 3

/* 100: equal. */
typedef struct {
  double score, worst_tile;
} PerceptualScore;

typedef struct {
  int width, height; /* pixels of the canvases */
  u32 across, down;  /* tiles */
  int backgrounds;
  ScoreTile *kept[SCORE_BACKGROUNDS], *measured[SCORE_BACKGROUNDS]; /* of the canvases; with the part measured last */
  Score *scores[SCORE_BACKGROUNDS];
} ScoreTiles;

/* Both canvases are equal everywhere. Returns false if canvases of this size are not scored. */
bool score_tiles_begin(ScoreTiles *t, int width, int height, bool with_alpha);
/* Begins to measure a part that has changed. Returns the pixels whose rows are to follow: its tiles, and those
 * around. */
Box score_tiles_open(ScoreTiles *t, Box changed);
void score_tiles_row(ScoreTiles *t, const u32 *a, const u32 *b);
/* Returns the score of the whole canvas with the part as measured, on the worst background. */
PerceptualScore score_tiles_close(ScoreTiles *t);
/* Keeps the part as it was measured last. */
void score_tiles_keep(ScoreTiles *t);

#endif
