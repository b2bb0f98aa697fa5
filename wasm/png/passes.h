/* Passes over the rows of the source picture. */
#ifndef PNG_PASSES_H
#define PNG_PASSES_H
#include "perceptual.h"

typedef struct Png Png;

enum {
  PASS_DIGEST = 1,    /* hash of all samples and their positions, to compare pictures in different layouts */
  PASS_ROWS = 2,      /* passes rows to the host, in one of the row forms below */
  PASS_ANALYSE = 3,   /* collects the facts for layout_plan */
  PASS_ENCODE = 4,    /* packs rows in the planned layout, filters and deflates them */
  PASS_HISTOGRAM = 5, /* collects colours and a sample of the picture for the quantiser */
  PASS_REMAP = 6,     /* maps pixels to palette indices, filters and deflates them, measures quality */
  PASS_INDICES = 7,   /* passes palette indices to the host, measures quality */
  PASS_SURVEY = 8,    /* PASS_ANALYSE and PASS_HISTOGRAM in one pass */
  PASS_NEAR = 9,      /* deflates near-lossless rows in the planned layout, measures quality */
};
enum { FORM_NATIVE = 0, FORM_RGBA8 = 1, FORM_RGB8 = 2, FORM_GRAY8 = 3, FORM_RGBA16 = 4 };

typedef struct {
  int mode, row_form;
  u8 *out_row, *index_row; /* row buffers for 16-bit RGBA and for indices */
  bool in_frame, fed_bytes;
  u32 frame_number;
  u64 digest;
  Measure *measure;          /* SSIM meter; NULL: no pass has measured quality yet */
  PerceptualFigures figures; /* perceptual results of the last measuring pass */
} Pass;

/* Starts a pass. `form`: row form of PASS_ROWS. `muted`: output bytes are only counted. `alpha`: some pixel may be
 * translucent. */
void pass_begin(Png *png, int mode, int form, bool muted, bool alpha);
void pass_begin_frame(Png *png, u32 width, u32 height);
void pass_feed(Png *png, const u8 *bytes, u32 count);
void pass_take_row(Png *png, const u8 *row);
void pass_end_frame(Png *png);
/* RowTaker callbacks for the rows of the source; `context` is the Png. */
void pass_rows_begin(void *context);
void pass_row(void *context, const u8 *row, u32 y);
#endif
