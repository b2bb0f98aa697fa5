/* Finds what a picture needs: grey or colour, opaque or alpha, number of colours, 8 or 16 bits per sample. */
#ifndef PNG_ANALYSE_H
#define PNG_ANALYSE_H
#include "picture.h"

#define MOST_COLOURS 256
#define COLOUR_SLOTS 1024

typedef struct {
  bool opaque, gray; /* all pixels, reduced to eight bits per sample, are opaque / grey */
  bool bytes_equal;  /* every 16-bit sample has two equal bytes, so that eight bits suffice */
  bool opaque16, gray16;
  int gray_depths; /* bit 0, 1, 2: all grey levels fit into one, two, four bits */
  int colours;     /* distinct RGBA8 colours; 257: more than 256 */
  u32 colour[MOST_COLOURS];
  u64 count[MOST_COLOURS]; /* number of runs of each colour in the picture */
  /* `possible`: all transparent pixels have one colour; `seen`: there is one, stored in `key` */
  bool key_possible, key_seen;
  u32 key;
} Facts;

typedef struct {
  Facts facts;
  u32 slot_colour[COLOUR_SLOTS];
  u16 slot_index[COLOUR_SLOTS]; /* hash table entry: index of the colour + 1; 0: empty slot */
  u32 recent_colour;
  int recent_index;   /* index of `recent_colour`; -1: none */
  u32 *side_by_side;  /* 256 x 256 counts of neighbouring colour pairs */
  u8 *opaque_colours; /* bitmap of all 2^24 RGB colours; allocated only if a colour key (tRNS) may pay */
} Analysis;

void analyse_begin(Analysis *a);
/* Analyses a row of `rows`; `rgba` is a buffer for its pixels. Fails if a palette index is out of range. */
void analyse_row(Analysis *a, const Picture *picture, const Rows *rows, const u8 *row, u32 *rgba);
/* Index of the colour in `facts.colour`; -1: not found. */
int colour_index(Analysis *a, u32 colour);
/* True if no opaque pixel has the colour of the tRNS colour key. */
bool key_is_free(const Analysis *a);
/* Returns how often two colours are horizontal neighbours. */
static inline u32 neighbours(const Analysis *a, int one, int other) { return a->side_by_side[one << 8 | other]; }
#endif
