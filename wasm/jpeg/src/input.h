/* JPEG decoder input: a suspending source that yields coefficients or pixel rows. */
#ifndef WHITTLE_JPEG_INPUT_H
#define WHITTLE_JPEG_INPUT_H

#include "arrays.h"
#include "tuning.h"

typedef struct Jpeg Jpeg;

/* Marker segment of the file, including its marker. */
typedef struct {
  double offset, length;
} Segment;

typedef struct {
  struct jpeg_decompress_struct decoder;
  struct jpeg_source_mgr source;
  struct jpeg_progress_mgr progress;
  struct jpeg_error_mgr errors;
  PackedArrays arrays;
  uint8_t *pending; /* bytes pushed and not consumed yet */
  uint32_t pending_bytes;
  double pushed;             /* bytes of the file pushed so far */
  uint32_t skip_left;        /* bytes of a skipped segment still to come */
  int at_end;                /* true: no more bytes of the file will be pushed */
  int scale_eighths;         /* size of pixel rows in eighths; 0: deliver coefficients */
  J_COLOR_SPACE rows_colour; /* colour space of pixel rows; 0: default for the file */
  enum { HEADER, COEFFICIENTS, START_ROWS, ROWS, DONE } stage;
  Segment late[LATE_MAX]; /* segments after the first scan's header, which the host can read from the file */
  uint32_t late_count;
} Input;

/* Starts reading coefficients. */
void input_begin(Jpeg *jpeg);
/* Starts reading the same file again from its first byte. The previous reading must be complete. */
void input_again(Jpeg *jpeg);
/* Starts reading pixel rows. `eighths`: scale in each direction; `colour`: colour space, 0: default for the file. */
void input_rows_begin(Jpeg *jpeg, int eighths, J_COLOR_SPACE colour);
/* Takes the next bytes of the file. Returns 0 if it needs more. Returns 1 if the coefficients are complete or pixel
 * rows can be read; input_rows reports when rows need more input. */
int input_push(Jpeg *jpeg, const uint8_t *bytes, uint32_t length, int end);
/* Returns the offset after the end marker, once everything was read. Bytes after it do not belong to the picture. */
double input_end_offset(const Input *in);
/* Reads up to `count` pixel rows into `out`. Returns their number; 0: needs more input, or no rows are left. */
uint32_t input_rows(Input *in, uint8_t *out, uint32_t count);

#endif
