/* SSIMULACRA 2.1 of two whole canvases from sums per tile. Only the tiles that a frame changes are measured again. */
#ifndef GIF_SSIMULACRA2_TILES_H
#define GIF_SSIMULACRA2_TILES_H

#include "../common/types.h"
#include "../measure/score.h"
#include "box.h"

#define SCORE_BACKGROUNDS 3

/* SSIMULACRA 2.1 score of the canvas and of its worst tile; 100: equal. */
typedef struct {
  double score, worst_tile;
} PerceptualScore;

typedef struct {
  int width, height; /* canvas size in pixels */
  u32 across, down;  /* size of the canvas in tiles */
  int backgrounds;
  /* `kept`: tiles of the canvas; `measured`: the same with the last measured part */
  ScoreTile *kept[SCORE_BACKGROUNDS], *measured[SCORE_BACKGROUNDS];
  Score *scores[SCORE_BACKGROUNDS];
} ScoreTiles;

/* Starts with two equal canvases. Returns false if canvases of this size are not scored. */
bool score_tiles_begin(ScoreTiles *t, int width, int height, bool with_alpha);
/* Starts measuring a changed part. Returns the pixel area whose rows the caller must pass: the changed tiles and their
 * neighbours. */
Box score_tiles_open(ScoreTiles *t, Box changed);
void score_tiles_row(ScoreTiles *t, const u32 *a, const u32 *b);
/* Returns the score of the whole canvas with the measured part replaced, on the background colour with the lowest
 * score. */
PerceptualScore score_tiles_close(ScoreTiles *t);
/* Stores the part that was measured last as the current state. */
void score_tiles_keep(ScoreTiles *t);

#endif
