/* A plan: one way to code a frame. colour_tables.c prepares it, codings.c counts its bytes, frame_search.c compares
 * plans, frame_write.c writes the chosen one. */
#ifndef GIF_PLAN_H
#define GIF_PLAN_H

#include "../common/types.h"
#include "box.h"
#include "colour_table.h"

/* Forward declaration: complete state of the GIF engine (gif.h). */
typedef struct Gif Gif;

/* Which of the pixels that may stay unpainted become transparent. */
typedef enum {
  KIND_ALL,
  KIND_SOURCE, /* pixels that the source frame did not paint */
  KIND_RUNS,   /* pixels whose colour differs from the symbol before, so that runs of one colour continue */
  KIND_MIXED,  /* stretches of two colours or more; stretches of one colour continue the colour beside them */
  KIND_NONE,   /* only pixels whose colour is not in the table */
  KINDS,
  KIND_FREE = KINDS /* lossy_lzw.c decides for each pixel */
} TransparencyKind;

typedef struct {
  ColourTable table;
  Box box;
  bool inexact; /* some colours of the frame are missing in the table */
  TransparencyKind kind;
  double tolerance;  /* largest squared colour distance; 0: exact */
  double keep_share; /* fraction of `tolerance` within which a pixel may stay unpainted */
  u32 bytes;
  int style;   /* LZW table clearing style, used if `tolerance` is above 0 */
  bool filled; /* the LZW table became full, so that the clearing style matters */
  u32 serial;  /* number of this plan; the plan that got final symbols last has the highest */
} Plan;

#endif
