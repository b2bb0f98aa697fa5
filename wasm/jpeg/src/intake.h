/* What becomes of block rows as they come in. */
#ifndef WHITTLE_JPEG_INTAKE_H
#define WHITTLE_JPEG_INTAKE_H

#include "picture.h"

typedef struct Jpeg Jpeg;

enum {
  INTAKE_STORE = 0,  /* packed */
  INTAKE_SAMPLE = 1, /* packed, if they belong to the sample */
  INTAKE_STREAM = 2, /* requantised at once */
  INTAKE_HASH = 3,   /* hashed and forgotten */
  INTAKE_SCRIPT = 4, /* recode_sample */
  INTAKE_RECODE = 5  /* recode_take */
};

typedef struct {
  int mode, every; /* every: of the sample */
  int next_row[PLANES];
  uint64_t hash[PLANES];
} Intake;

void intake_begin(Intake *intake, int mode, int every);
/* Makes the mode's taker that of a store. */
void intake_attach(Jpeg *jpeg, Store *store);
/* Whether rows are requantised at once. */
int intake_streams(const Intake *intake);
/* Progressive pictures arrive scan by scan, and rows change until the last one; so they are stored. */
void intake_must_store(Intake *intake);
/* After all rows. */
void intake_end(Jpeg *jpeg);
/* Hash of the coefficients as read and their steps: half 0 or 1 of plane `index`. */
uint32_t intake_digest(const Jpeg *jpeg, int index, int half);

#endif
