/* SSIMULACRA 2.1 (github.com/cloudinary/ssimulacra2), streamed row by row: exact, in about 570 bytes per pixel of
 * width. Scale: 90 no visible difference, 70 visible but not annoying, 50 slightly annoying, 30 obvious. */
#ifndef SCORE_H
#define SCORE_H
#include <stdbool.h>
#include <stdint.h>

typedef struct Score Score;

#define SCORE_SMALLEST 8 /* pixels each way: the published programs refuse smaller pictures */

/* Number of scales of a picture, 1 to 6. Pictures below 113 pixels a side have fewer than six. */
int score_scales(uint32_t width, uint32_t height);
/* A meter for exactly `height` rows of `width` pixels, which belong to a picture of `scales` scales (score_scales).
 * NULL: there is no memory. The published programs read the weights of all channels from one list without gaps. With
 * fewer than six scales, a channel then gets weights of another one. The score follows them, so that a search and
 * everybody who checks its result get the same figure. */
Score *score_open(uint32_t width, uint32_t height, int scales);
/* One row of both pictures: r | g << 8 | b << 16 | a << 24, laid over a grey of 0..255 as browsers
 * do, without regard to gamma. */
void score_row(Score *s, const uint32_t *a, const uint32_t *b, uint32_t behind);
/* Returns the score, after all rows. 100: equal. */
double score_result(const Score *s);

#define SCORE_TILE 64 /* pixels each way */
/* Before the first row: scores each tile of 64 x 64 as well. Returns false if there is no memory. */
bool score_tiles(Score *s);
/* Returns, after all rows, the lowest score of the tiles that have at least half of their pixels each way. If there
 * are none, or score_tiles was not called: that of the whole picture. Tiles have the weights of six scales. */
double score_worst_tile(const Score *s);

/* What a tile adds to the score of a picture: sums of six figures of each channel at each scale. */
#define SCORE_SCALES 6
typedef struct {
  float sum[3][SCORE_SCALES][6];
} ScoreTile;
/* After score_tiles: copies the sums of `columns` x `rows` tiles, from tile (column, row) on, to `to` as soon as they
 * are known. `stride`: tiles from a row of them to the next. */
void score_keep_tiles(Score *s, ScoreTile *to, uint32_t stride, uint32_t column, uint32_t row, uint32_t columns,
                      uint32_t rows);
/* The score of a picture of so many pixels and of its worst tile, made of the sums of all its tiles. */
double score_of_tiles(const ScoreTile *tiles, uint32_t width, uint32_t height, double *worst_tile);
/* Copies a meter with the rows it has, for pictures that differ only in the rows to come. NULL: there is no memory. */
Score *score_copy(const Score *s);
void score_close(Score *s);
#endif
