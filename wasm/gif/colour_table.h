/* Colour table of a frame or of the written GIF file. */
#ifndef GIF_COLOUR_TABLE_H
#define GIF_COLOUR_TABLE_H

#include "../common/types.h"
#include "lzw.h"

typedef struct {
  u16 number[256];
  int size;        /* number of colours in use */
  int bits;        /* the table has 1 << bits entries */
  int code_bits;   /* pixels use only entries below 1 << code_bits, so that LZW codes start shorter */
  int clear_index; /* index of the transparent entry; -1: the table has no free entry for it */
  bool local;      /* true: table of one frame; false: global table of the file */
} ColourTable;

/* Returns the number of bits of a table with `entries` entries: at least one (GIF89a 18.c.v). */
static inline int table_bits_for(int entries) {
  int bits = 1;
  while (1 << bits < entries) bits++;
  return bits;
}

static inline int table_code_size(const ColourTable *table) { return lzw_code_size(table->code_bits); }
/* Bytes before a frame's LZW codes: the local colour table, if any, and one byte for the code size. */
static inline u32 table_bytes(const ColourTable *table) { return 1 + (table->local ? 3u << table->bits : 0); }

#endif
