/* The search for the smallest way to code a frame: exact, or with the largest tolerance that holds the floors. */
#ifndef GIF_FRAME_SEARCH_H
#define GIF_FRAME_SEARCH_H

#include "lossy_lzw.h"
#include "plan.h"

typedef struct {
  u16 distances[256 * 256];          /* squared, between entries of the colour table that is in use */
  double tolerance, keep_share;      /* of the last frame */
  int style, lossy_style;            /* LZW styles of the last large frame: exact, and with a tolerance */
  TransparencyKind kind, lossy_kind; /* the same for transparency */
  int style_wins, style_rest;        /* large frames in a row with the same style; frames to come that just take it */
  bool exact_was_best;               /* in the last frame, though there was a tolerance */
  u32 settled;                       /* plans so far */
  LossyMarks found_marks;            /* of the plan that the last search for a tolerance found */
} FrameSearch;

void search_begin(Gif *gif);
/* Returns the plan of the target frame, settled. Fails if no table can express the frame. */
Plan search_frame(Gif *gif);
/* Replaces a plan that turned out to miss a floor by one with less tolerance. Returns false if none serves. */
bool search_gentler(Gif *gif, Plan *plan);
/* Returns the LZW style for settled symbols. */
LzwStyle search_style(Gif *gif, const Plan *plan);

#endif
