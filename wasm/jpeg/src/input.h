/* JPEG bytes in: a source that suspends, and what comes out: coefficients, or pixel rows. */
#ifndef WHITTLE_JPEG_INPUT_H
#define WHITTLE_JPEG_INPUT_H

#include "arrays.h"
#include "tuning.h"

typedef struct Jpeg Jpeg;

/* A segment of the file, from its marker on. */
typedef struct {
  double offset, length;
} Segment;

typedef struct {
  struct jpeg_decompress_struct decoder;
  struct jpeg_source_mgr source;
  struct jpeg_progress_mgr progress;
  struct jpeg_error_mgr errors;
  PackedArrays arrays;
  uint8_t *pending; /* bytes pushed and not yet consumed */
  uint32_t pending_bytes;
  double pushed;             /* bytes of the file so far */
  uint32_t skip_left;        /* bytes of a segment that is skipped */
  int at_end;                /* no more bytes will be pushed */
  int scale_eighths;         /* size of pixel rows; 0: coefficients */
  J_COLOR_SPACE rows_colour; /* 0: the natural one */
  enum { HEADER, COEFFICIENTS, START_ROWS, ROWS, DONE } stage;
  Segment late[LATE_MAX]; /* after the first scan's header: the host reads them from the file if it wants them */
  uint32_t late_count;
} Input;

/* Begins to read coefficients. */
void input_begin(Jpeg *jpeg);
/* The same file from its start, after it was read to its end. */
void input_again(Jpeg *jpeg);
/* Pixels instead of coefficients: `eighths` of the size in each direction, `colour`: 0 for the natural one. */
void input_rows_begin(Jpeg *jpeg, int eighths, J_COLOR_SPACE colour);
/*
 * Takes the next bytes of the file. 0: wants more; 1: coefficients are complete, or pixel rows can be read
 * (of which there may be fewer than the picture has: input_rows says when it wants more).
 */
int input_push(Jpeg *jpeg, const uint8_t *bytes, uint32_t length, int end);
/* Where the file's end marker ended, once everything was read: what follows is not the picture's. */
double input_end_offset(const Input *in);
/* Up to `count` rows into `out`. Returns how many there were; 0 when more input is wanted, or after the last row. */
uint32_t input_rows(Input *in, uint8_t *out, uint32_t count);

#endif
