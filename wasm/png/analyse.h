/* What the picture really needs: grey, opaque, few colours, eight bits. */
#ifndef PNG_ANALYSE_H
#define PNG_ANALYSE_H
#include "picture.h"

#define MOST_COLOURS 256
#define COLOUR_SLOTS 1024

typedef struct {
  bool opaque, gray; /* at eight bits */
  bool bytes_equal;  /* samples of sixteen bits hold eight bits */
  bool opaque16, gray16;
  int gray_depths; /* bit 0, 1, 2: fits into one, two, four bits */
  int colours;     /* distinct RGBA8, 257 for "more than 256" */
  u32 colour[MOST_COLOURS];
  u64 count[MOST_COLOURS];     /* runs of the colour */
  bool key_possible, key_seen; /* the transparent pixels have one colour, and it is this */
  u32 key;
} Facts;

typedef struct {
  Facts facts;
  u32 slot_colour[COLOUR_SLOTS];
  u16 slot_index[COLOUR_SLOTS]; /* index + 1 */
  u32 recent_colour;
  int recent_index;   /* of that, -1: none */
  u32 *side_by_side;  /* 256 x 256 counts */
  u8 *opaque_colours; /* a bit for each RGB colour; only where a colour key may be worth it */
} Analysis;

void analyse_begin(Analysis *a);
/* Takes a row of `rows`; `rgba` has room for its pixels. Ends the job for an index that the palette does not have. */
void analyse_row(Analysis *a, const Picture *picture, const Rows *rows, const u8 *row, u32 *rgba);
/* Index of the colour in `facts.colour`, -1 when it is not there. */
int colour_index(Analysis *a, u32 colour);
/* True if no opaque pixel has the key's colour. */
bool key_is_free(const Analysis *a);
/* How often two colours stand side by side. */
static inline u32 neighbours(const Analysis *a, int one, int other) { return a->side_by_side[one << 8 | other]; }
#endif
