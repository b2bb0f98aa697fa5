/* Source picture: zlib-compressed scanlines or plain rows, passed to a RowTaker one by one. */
#ifndef PNG_SOURCE_H
#define PNG_SOURCE_H
#include "inflate.h"
#include "picture.h"

/* Callbacks that receive the rows of the source. */
typedef struct {
  void (*rows_begin)(void *context);                    /* `rows` has changed: a new frame or Adam7 pass begins */
  void (*row)(void *context, const u8 *bytes, u32 row); /* receives one row; `row` is its index in `rows` */
  void *context;
} RowTaker;

typedef struct {
  Picture picture;
  Rows rows;
  RowTaker taker;
  Inflate inflate;
  u8 *current, *above; /* filter byte, then the row; 16 spare bytes on both sides */
  u32 row_filled;      /* bytes of the current row received so far */
  u32 row_at;          /* completed rows of the current frame or pass */
  int pass;            /* Adam7 pass number */
  bool complete;       /* all rows of the frame have arrived */
  u32 frame_width, frame_height;
  u8 *gathered; /* buffer for the whole frame, if INTERLACE_GATHER */
  u32 gathered_stride;
  bool delivers_later; /* the host requests buffered rows itself (source_deliver) */
  u32 delivered;       /* buffered rows delivered so far */
} Source;

/* Starts a frame that is at most as large as the picture. */
void source_begin_frame(Source *s, u32 width, u32 height);
/* Decompresses bytes of the frame's zlib stream. */
void source_feed(Source *s, const u8 *bytes, u32 count);
/* Fails unless the zlib stream is complete. */
void source_end_stream(Source *s);
/* Takes one row of unfiltered samples. */
void source_take_row(Source *s, const u8 *row);
/* Delivers up to `count` buffered rows if `delivers_later` is set. Returns the number of rows left. */
u32 source_deliver(Source *s, u32 count);
#endif
