/* Lossless recompression without a canvas: only rows of indices are decoded, so that memory does not depend on the
 * canvas size. A first pass chooses the LZW style of each frame, and a second pass writes. Local colour tables lose
 * unused entries if that halves them. They are dropped if the global table has the same colours. Graphic control
 * extensions without effect are dropped. An unused global table keeps only the background colour. All other bytes are
 * copied. */
#ifndef GIF_RECODE_H
#define GIF_RECODE_H

#include "../common/types.h"
#include "lzw.h"
#include "output.h"

typedef enum {
  RECODE_OFF = 0, /* recoder is off: the decoder paints frames onto the canvas */
  RECODE_COUNT = 1,
  RECODE_WRITE = 2,
  RECODE_DIGEST = 3 /* computes a hash of everything except the LZW codes */
} RecodeMode;

/* Colour tables of a frame. */
typedef struct {
  const u8 *local, *global;
  int local_size, global_size; /* entries of each table; 0: the table is absent */
  int clear;                   /* transparent index; -1: none */
} RecodeTables;

/* Bitmap of the entries that a local colour table keeps. */
typedef struct {
  u64 kept[4];
} KeptEntries;

/* How the recoder writes one frame. */
typedef struct {
  /* `table_bits`: size of the written local table; 0: unchanged; RECODE_GLOBAL: dropped */
  u8 style, code_size, table_bits;
  u32 entries; /* for a shrunk table: index into the list of KeptEntries */
} RecodeChoice;

typedef struct {
  RecodeMode mode;
  Output *output;
  Lzw *encoders; /* array of LZW_STYLES encoders */
  LzwBits *writer;

  /* Recoder state of the whole file. */
  bool global_counts;    /* a frame or a plain text extension uses the global table */
  bool global_is_spared; /* false: the written global table has only the background colour */
  RecodeChoice *choices; /* one choice per frame, made by the first pass */
  u32 choices_room, choices_count;
  KeptEntries *shrunk;
  u32 shrunk_count, shrunk_room;
  u64 head_hash, row_sum;
  u8 raw[4096]; /* buffered bytes to be copied */
  u32 raw_bytes;

  /* Recoder state of the frame being read. */
  u32 frame; /* number of the frame, from 0 */
  RecodeTables tables;
  KeptEntries used;
  bool text_before;    /* a plain text extension precedes the frame */
  bool control_before; /* a graphic control extension precedes the frame */
  bool holds_control;
  u8 control[8]; /* graphic control extension, buffered until it is known to have an effect */
  u32 control_bytes;
  u32 rows, alive, source_bytes; /* `alive`: one bit for each LZW style that may still be the smallest */
  int source_code_size, highest;
  bool parted;       /* the LZW table became full: encoders with different styles now differ */
  u8 new_index[256]; /* index in the written table for each index of the source table */
  u32 shown_as[256]; /* what each index shows: 0 transparent, a colour, or an index outside the table */
} Recoder;

void recode_begin(Recoder *r, RecodeMode mode);
/* Passes one byte outside image data. Bytes that the recoder may change have functions of their own. */
void recode_byte(Recoder *r, u8 byte);
/* Called before the first byte of an extension or a frame. */
void recode_block(Recoder *r);
/* Handles the label byte of an extension (GIF89a 23 to 26). */
void recode_label(Recoder *r, u8 label, const u8 *global, int size);
/* Handles the flags byte and the background index of the logical screen descriptor (GIF89a 18). */
void recode_screen(Recoder *r, u8 byte, bool is_background);
/* Handles a byte of the global colour table (GIF89a 19). */
void recode_global_table(Recoder *r, u8 byte, u32 at, int size, int background);
/* Handles the transparent index of a graphic control extension, if in use (GIF89a 23). */
void recode_clear_index(Recoder *r, u8 index);
/* Handles the flags byte of an image descriptor (GIF89a 20). */
void recode_descriptor_flags(Recoder *r, u8 flags);
/* Handles a byte of a local colour table (GIF89a 21). */
void recode_local_table(Recoder *r, u8 byte, u32 at, u32 bytes);
/* Image data of a frame: recode_data gets the source bytes with sub-block lengths, recode_row the decoded rows of
 * indices. */
void recode_open(Recoder *r, int code_size, RecodeTables tables);
void recode_data(Recoder *r, const u8 *bytes, u32 count);
void recode_row(Recoder *r, const u8 *row, u32 width);
void recode_close(Recoder *r);
/* `closed`: the source file ends with a trailer byte. */
void recode_end(Recoder *r, bool closed);
/* Returns a hash of everything read so far except the LZW coding, to check that two files show the same. */
u64 recode_digest(const Recoder *r);

#endif
