/* Handles block rows as they arrive, by mode: pack, sample, requantise, hash or recode them. */
#ifndef WHITTLE_JPEG_INTAKE_H
#define WHITTLE_JPEG_INTAKE_H

#include "picture.h"

typedef struct Jpeg Jpeg;

enum {
  INTAKE_STORE = 0,  /* packs all rows */
  INTAKE_SAMPLE = 1, /* packs the rows of the sample only */
  INTAKE_STREAM = 2, /* requantises each row immediately */
  INTAKE_HASH = 3,   /* hashes each row and drops it */
  INTAKE_SCRIPT = 4, /* passes rows to recode_sample */
  INTAKE_RECODE = 5  /* passes rows to recode_take */
};

typedef struct {
  int mode, every; /* `every`: sampling interval of rows for INTAKE_SAMPLE */
  int next_row[PLANES];
  uint64_t hash[PLANES];
} Intake;

void intake_begin(Intake *intake, int mode, int every);
/* Sets the row callback of a store for the current mode. */
void intake_attach(Jpeg *jpeg, Store *store);
/* True if rows are requantised immediately. */
int intake_streams(const Intake *intake);
/* Switches to INTAKE_STORE. Progressive pictures need it, because rows change until the last scan. */
void intake_must_store(Intake *intake);
/* Called after all rows have arrived. */
void intake_end(Jpeg *jpeg);
/* Returns 32 bits (half 0 or 1) of a 64-bit hash of plane `index`: its coefficients as read, and their quantisation
 * steps. */
uint32_t intake_digest(const Jpeg *jpeg, int index, int half);

#endif
