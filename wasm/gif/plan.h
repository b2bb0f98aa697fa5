/* How a frame could be coded: tables.c prepares, codings.c counts, frames.c searches and writes. */
#ifndef GIF_PLAN_H
#define GIF_PLAN_H
#include "engine.h"

typedef struct {
  u16 number[256];
  int size;        /* colours in use */
  int bits;        /* the table has 1 << bits entries */
  int code_bits;   /* entries below 1 << code_bits may be used: shorter codes */
  int clear_index; /* transparent, -1 where no entry is left */
  bool local;
} Table;

typedef struct {
  Table table;
  Box box;
  bool inexact;                 /* colours had to be left out */
  int kind;                     /* which pixels that may stay become transparent */
  double tolerance, keep_share; /* squared distance of a colour; and the share of it for pixels that stay */
  u32 bytes;
  int style;                    /* of the LZW table, with a tolerance */
  bool filled;                  /* the LZW table was full: its style matters */
  u32 serial;                   /* the plan that was settled last has the highest */
} Plan;

/* Pixels that may stay as they are shown: which of them become transparent. */
enum {
  KIND_ALL,
  KIND_SOURCE, /* as the source had it */
  KIND_RUNS,   /* until a colour that was just coded goes on */
  KIND_MIXED,  /* but stretches of one colour, which go on with what stands beside them */
  KIND_NONE,   /* but those whose colour has no entry */
  KINDS,
  KIND_FREE = KINDS /* near.c decides pixel by pixel */
};

/* ---- tables.c ---- */
extern u8 *symbols;    /* of each pixel of the box: index of its colour, `clear_index` where only that will do; and what is coded, once settled */
extern u8 *may_repeat; /* a bit: it may stay as it is shown */
extern u8 *row_levels; /* rows of the canvas where what is shown is not what is wanted */
extern bool clear_wanted; /* the frame will be cleared: all viewers clear to transparency only where it has a transparent entry */
extern u32 frames_written; /* frames.c */
void tables_begin(void);
void levels_find(void);
int bits_for(int entries);
/* symbols[] and may_repeat[] for a plan with the common table, or one of its own; false when it cannot express the frame. */
bool prepare_common(Plan *plan, int disposal, const u16 *next);
bool prepare_local(Plan *plan, int disposal, const u16 *next);
bool own_table(const Plan *plan, Table *table); /* the table that prepare_local would make, if it can */

/* ---- flat.c ---- */
void flat_begin(void);
void flat_find(void);             /* of the frame that waits */

/* ---- cast.c: of rows of both pictures ---- */
void cast_open(int width);
void cast_row(const u32 *a, const u32 *b);
double cast_close(void); /* the worst area's distance in CIE Lab a and b */

/* ---- codings.c ---- */
#define STYLES 7
#define LARGE_FRAME 65536 /* pixels; above, fewer styles are tried where neighbours agree */
extern const LzwStyle styles[STYLES];
extern Lzw coders[STYLES]; /* at least as many as kinds */
bool hopeless(u64 bits, u64 least); /* a coder that is this much behind another one will not win any more */
void codings_begin(void);
void symbols_settle(const Plan *plan); /* by the plan's kind: symbols[] is prepared no longer */
int code_size_of(const Table *table);
u32 head_bytes(const Table *table); /* code size and table */
/* The kind that makes the frame smallest, all coded side by side. Sets kind, bytes and filled. */
void count_kinds(Plan *plan, u32 kinds, int style);
/* The style that makes symbols[] smallest. */
int best_style(const Plan *plan, u32 tried);
/* Table and map for a plan: the smaller of the common table and one of its own. */
bool choose_table(Plan *plan, int style, int disposal, const u16 *next);
void symbols_write(const Plan *plan, LzwStyle style);
#endif
