/* A way to code a frame: colour_tables.c prepares it, codings.c counts its bytes, frame_search.c compares,
 * frame_write.c writes. */
#ifndef GIF_PLAN_H
#define GIF_PLAN_H

#include "../common/types.h"
#include "box.h"
#include "colour_table.h"

/* All state of the engine (gif.h). */
typedef struct Gif Gif;

/* Which of the pixels that may stay as they are shown become transparent. */
typedef enum {
  KIND_ALL,
  KIND_SOURCE, /* those that the source did not paint */
  KIND_RUNS,   /* those whose colour differs from the symbol before: runs of a colour go on */
  KIND_MIXED,  /* stretches of two colours or more; those of one colour go on with what stands beside them */
  KIND_NONE,   /* those whose colour has no entry */
  KINDS,
  KIND_FREE = KINDS /* lossy_lzw.c decides pixel by pixel */
} TransparencyKind;

typedef struct {
  ColourTable table;
  Box box;
  bool inexact; /* colours had to be left out */
  TransparencyKind kind;
  double tolerance;  /* squared distance that a colour may be off; 0: exact */
  double keep_share; /* share of `tolerance` up to which pixels may stay as they are shown */
  u32 bytes;
  int style;   /* of the LZW table, if there is a tolerance */
  bool filled; /* the LZW table was full: its style matters */
  u32 serial;  /* the plan that was settled last has the highest */
} Plan;

#endif
