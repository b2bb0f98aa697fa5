/* Passes: what happens to the rows of the source. */
#ifndef PNG_PASSES_H
#define PNG_PASSES_H
#include "perceptual.h"

typedef struct Png Png;

enum {
  PASS_DIGEST = 1,    /* a sum over all samples and their places, to compare pictures whatever their form */
  PASS_ROWS = 2,      /* rows to the host, in one of the forms below */
  PASS_ANALYSE = 3,   /* facts for layout_plan */
  PASS_ENCODE = 4,    /* rows packed as planned, filtered and deflated */
  PASS_HISTOGRAM = 5, /* colours and a sample of the picture, for the quantiser */
  PASS_REMAP = 6,     /* palette indices, filtered and deflated; quality measured */
  PASS_INDICES = 7,   /* palette indices to the host; quality measured */
  PASS_SURVEY = 8,    /* PASS_ANALYSE and PASS_HISTOGRAM at once */
  PASS_NEAR = 9,      /* near-lossless rows in the planned form, deflated; quality measured */
};
enum { FORM_NATIVE = 0, FORM_RGBA8 = 1, FORM_RGB8 = 2, FORM_GRAY8 = 3, FORM_RGBA16 = 4 };

typedef struct {
  int mode, row_form;
  u8 *out_row, *index_row; /* room for a row of 16-bit RGBA, and for one of indices */
  bool in_frame, fed_bytes;
  u32 frame_number;
  u64 digest;
  Measure *measure;          /* NULL: no pass has measured */
  PerceptualFigures figures; /* of the last pass that measured */
} Pass;

/* Begins a pass. `form`: of PASS_ROWS. `muted`: bytes of the result are counted only. `alpha`: a pixel may be
 * translucent. */
void pass_begin(Png *png, int mode, int form, bool muted, bool alpha);
void pass_begin_frame(Png *png, u32 width, u32 height);
void pass_feed(Png *png, const u8 *bytes, u32 count);
void pass_take_row(Png *png, const u8 *row);
void pass_end_frame(Png *png);
/* Receive rows of the source (RowTaker); `context` is the Png. */
void pass_rows_begin(void *context);
void pass_row(void *context, const u8 *row, u32 y);
#endif
