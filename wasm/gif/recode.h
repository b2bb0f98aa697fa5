/* Frames as they are, with better codes: only rows of indices go through, so that the size of the canvas does not
 * matter. A first pass finds how the codes of each frame should be made, a second one writes. Local colour tables
 * lose the entries that no pixel uses if that halves them, and are left out if the global table has the same
 * colours. Graphic control extensions that say nothing are left out. A global table that nothing uses keeps only
 * the colour of the background. All other bytes but the codes are copied. */
#ifndef GIF_RECODE_H
#define GIF_RECODE_H

#include "../common/types.h"
#include "lzw.h"
#include "output.h"

typedef enum {
  RECODE_OFF = 0, /* frames go onto the canvas */
  RECODE_COUNT = 1,
  RECODE_WRITE = 2,
  RECODE_DIGEST = 3 /* a hash of everything but the codes */
} RecodeMode;

/* The colour tables of a frame. */
typedef struct {
  const u8 *local, *global;
  int local_size, global_size; /* entries; 0: there is none */
  int clear;                   /* the transparent index, or -1 */
} RecodeTables;

/* Entries of a local table that are kept, a bit each. */
typedef struct {
  u64 kept[4];
} KeptEntries;

/* How a frame is written. */
typedef struct {
  u8 style, code_size, table_bits; /* `table_bits`: of the local table; 0: as it is, RECODE_GLOBAL: it is left out */
  u32 entries;                     /* index of its KeptEntries */
} RecodeChoice;

typedef struct {
  RecodeMode mode;
  Output *output;
  Lzw *encoders; /* LZW_STYLES */
  LzwBits *writer;

  /* of the file */
  bool global_counts;    /* a frame or a text uses the global table */
  bool global_is_spared; /* otherwise it is written with the colour of the background alone */
  RecodeChoice *choices; /* of each frame, from the first pass */
  u32 choices_room, choices_count;
  KeptEntries *shrunk;
  u32 shrunk_count, shrunk_room;
  u64 head_hash, row_sum;
  u8 raw[4096]; /* bytes to be copied */
  u32 raw_bytes;

  /* of the frame that is being read */
  u32 frame; /* its number */
  RecodeTables tables;
  KeptEntries used;
  bool text_before;    /* a plain text extension stands in front of it */
  bool control_before; /* a graphic control extension does */
  bool holds_control;
  u8 control[8]; /* a graphic control extension, until it is known to say something */
  u32 control_bytes;
  u32 rows, alive, source_bytes; /* `alive`: a bit for each style that may still win */
  int source_code_size, highest;
  bool parted;       /* styles differ since the table was full */
  u8 new_index[256]; /* of an entry of the frame's table, in the one that is written */
  u32 shown_as[256]; /* what indices show: 0 nothing, a colour, or an entry that the table does not have */
} Recoder;

void recode_begin(Recoder *r, RecodeMode mode);
/* Outside of image data, byte by byte. Bytes that may change have a function of their own. */
void recode_byte(Recoder *r, u8 byte);
/* The next byte begins an extension or a frame. */
void recode_block(Recoder *r);
/* The label of an extension, GIF89a 23 to 26. */
void recode_label(Recoder *r, u8 label, const u8 *global, int size);
/* Flags and background index, GIF89a 18. */
void recode_screen(Recoder *r, u8 byte, bool is_background);
/* GIF89a 19. */
void recode_global_table(Recoder *r, u8 byte, u32 at, int size, int background);
/* The transparent index if it is in use, GIF89a 23. */
void recode_clear_index(Recoder *r, u8 index);
/* GIF89a 20. */
void recode_descriptor_flags(Recoder *r, u8 flags);
/* GIF89a 21. */
void recode_local_table(Recoder *r, u8 byte, u32 at, u32 bytes);
/* Image data: as it came (sub-block lengths included), and as rows of indices. */
void recode_open(Recoder *r, int code_size, RecodeTables tables);
void recode_data(Recoder *r, const u8 *bytes, u32 count);
void recode_row(Recoder *r, const u8 *row, u32 width);
void recode_close(Recoder *r);
/* `closed`: the file ended with a trailer. */
void recode_end(Recoder *r, bool closed);
/* Hash of everything so far but the way in which pixels are coded. */
u64 recode_digest(const Recoder *r);

#endif
