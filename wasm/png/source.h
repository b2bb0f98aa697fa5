/* The picture that comes in: scanlines from zlib, or plain rows, handed to a taker one by one. */
#ifndef PNG_SOURCE_H
#define PNG_SOURCE_H
#include "inflate.h"
#include "picture.h"

/* Receives rows. */
typedef struct {
  void (*rows_begin)(void *context);                    /* `rows` changed: a new frame or Adam7 pass */
  void (*row)(void *context, const u8 *bytes, u32 row); /* a row; `row` counts within `rows` */
  void *context;
} RowTaker;

typedef struct {
  Picture picture;
  Rows rows;
  RowTaker taker;
  Inflate inflate;
  u8 *current, *above; /* filter byte, then the row; 16 bytes of room on both sides */
  u32 row_filled;      /* bytes of the row that are there */
  u32 row_at;          /* finished rows of `rows` */
  int pass;            /* of Adam7 */
  bool complete;       /* all rows of the frame arrived */
  u32 frame_width, frame_height;
  u8 *gathered; /* the whole frame, for INTERLACE_GATHER */
  u32 gathered_stride;
  bool delivers_later; /* the host asks for gathered rows */
  u32 delivered;       /* gathered rows that were handed out */
} Source;

/* Begins a frame at most as large as the picture. */
void source_begin_frame(Source *s, u32 width, u32 height);
/* Takes bytes of the frame's zlib stream. */
void source_feed(Source *s, const u8 *bytes, u32 count);
/* Ends the job unless the zlib stream was complete. */
void source_end_stream(Source *s);
/* Takes a plain row without a filter. */
void source_take_row(Source *s, const u8 *row);
/* Hands out up to `count` gathered rows if the host asks for them itself (`delivers_later`); returns how many are
 * left. */
u32 source_deliver(Source *s, u32 count);
#endif
