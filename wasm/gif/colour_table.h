/* A colour table of the result. */
#ifndef GIF_COLOUR_TABLE_H
#define GIF_COLOUR_TABLE_H

#include "../common/types.h"
#include "lzw.h"

typedef struct {
  u16 number[256];
  int size;        /* colours in use */
  int bits;        /* the table has 1 << bits entries */
  int code_bits;   /* pixels use entries below 1 << code_bits: shorter codes */
  int clear_index; /* the transparent entry, -1 if none is left */
  bool local;      /* of one frame; otherwise of the file */
} ColourTable;

/* Bits of a table with so many entries: at least one (GIF89a 18.c.v). */
static inline int table_bits_for(int entries) {
  int bits = 1;
  while (1 << bits < entries) bits++;
  return bits;
}

static inline int table_code_size(const ColourTable *table) { return lzw_code_size(table->code_bits); }
/* Bytes in front of a frame's codes: the table, if it is local, and the code size. */
static inline u32 table_bytes(const ColourTable *table) { return 1 + (table->local ? 3u << table->bits : 0); }

#endif
