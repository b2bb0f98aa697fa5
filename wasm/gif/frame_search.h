/* Searches the smallest coding of a frame: exact, or with the largest colour tolerance that meets the quality
 * floors. */
#ifndef GIF_FRAME_SEARCH_H
#define GIF_FRAME_SEARCH_H

#include "lossy_lzw.h"
#include "plan.h"

typedef struct {
  u16 distances[256 * 256]; /* squared colour distances between all pairs of entries of the current colour table */
  /* tolerance of the last frame, and the share of it within which pixels stayed unpainted */
  double tolerance, keep_share;
  int style, lossy_style; /* LZW styles of the last large frame, for exact coding and for coding with a tolerance */
  TransparencyKind kind, lossy_kind; /* transparency kinds of the last large frame, for exact and lossy coding */
  /* `wins`: large frames in a row with the same style; `rest`: next large frames that reuse it untested */
  int style_wins, style_rest;
  bool exact_was_best;    /* the exact plan was the smallest for the last frame although a tolerance was allowed */
  u32 settled;            /* number of plans with final symbols so far */
  LossyMarks found_marks; /* LZW byte counts of the plan found by the last tolerance search */
} FrameSearch;

void search_begin(Gif *gif);
/* Returns the plan of the target frame with final symbols. Fails if no colour table can express the frame. */
Plan search_frame(Gif *gif);
/* Replaces a plan that misses a quality floor by one with a smaller tolerance. Returns false if there is none. */
bool search_gentler(Gif *gif, Plan *plan);
/* Returns the LZW style for the plan's final symbols. */
LzwStyle search_style(Gif *gif, const Plan *plan);

#endif
