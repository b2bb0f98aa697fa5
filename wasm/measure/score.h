/* SSIMULACRA 2.1 (github.com/cloudinary/ssimulacra2), streamed row by row without approximation, in about 620 bytes per
 * pixel of width. Scale: 90 no visible difference, 70 visible but not annoying, 50 slightly annoying, 30 obvious. */
#ifndef SCORE_H
#define SCORE_H
#include <stdbool.h>
#include <stdint.h>

typedef struct Score Score;

#define SCORE_SMALLEST 8 /* smallest side in pixels; the published programs reject smaller pictures */

/* Returns the number of SSIMULACRA 2 scales of a picture, 1 to 6. Pictures with a side below 113 pixels have fewer than
 * six. */
int score_scales(uint32_t width, uint32_t height);
/* Creates a meter for exactly `height` rows of `width` pixels of a picture with `scales` scales (score_scales). NULL:
 * out of memory. The published programs read the weights of all channels from one continuous list, so that with fewer
 * than six scales a channel gets weights of another channel. This meter does the same, so that its scores match those
 * of other tools. */
Score *score_open(uint32_t width, uint32_t height, int scales);
/* Adds one row of picture A and of picture B: r | g << 8 | b << 16 | a << 24. Translucent pixels are composited over
 * grey level `behind` (0-255) without gamma correction, as in browsers. */
void score_row(Score *s, const uint32_t *a, const uint32_t *b, uint32_t behind);
/* Returns the SSIMULACRA 2 score after all rows. 100: equal pictures. */
double score_result(const Score *s);

#define SCORE_TILE 64 /* side of a tile in pixels */
/* Enables scores of single tiles of 64 x 64 pixels. Called before the first row. Returns false if memory is short. */
bool score_tiles(Score *s);
/* Returns the lowest tile score after all rows. Only tiles with at least half their width and height count. Without
 * such tiles, or without score_tiles: the score of the whole picture. Tiles use the weights of six scales. */
double score_worst_tile(const Score *s);

/* Contribution of a tile to the picture's score: six sums for each channel and scale. */
#define SCORE_SCALES 6
typedef struct {
  float sum[3][SCORE_SCALES][6];
} ScoreTile;
/* After score_tiles: copies the sums of `columns` x `rows` tiles, from tile (column, row) on, to `to` as soon as they
 * are complete. `stride`: tiles per row of `to`. */
void score_keep_tiles(Score *s, ScoreTile *to, uint32_t stride, uint32_t column, uint32_t row, uint32_t columns,
                      uint32_t rows);
/* Returns the score of a picture of `width` x `height` pixels from the sums of all its tiles, and the score of its
 * worst tile. */
double score_of_tiles(const ScoreTile *tiles, uint32_t width, uint32_t height, double *worst_tile);
/* Copies a meter including the rows added so far, for pictures that differ only in the remaining rows. NULL: out of
 * memory. */
Score *score_copy(const Score *s);
void score_close(Score *s);
#endif
