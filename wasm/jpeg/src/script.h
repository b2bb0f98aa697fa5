/* Scan script of a progressive file: how each plane is divided into spectral bands and bit planes. mozjpeg finds it by
 * coding all variants; here it is estimated from a sample of rows, so that the cost does not depend on the picture
 * size. */
#ifndef WHITTLE_JPEG_SCRIPT_H
#define WHITTLE_JPEG_SCRIPT_H

#include "picture.h"

/* One scan of one component (ITU-T T.81, G.1.1): zigzag range `from` to `to`, successive approximation `high` and
 * `low`. */
typedef struct {
  int plane, from, to, high, low;
} Scan;
#define SCANS_WRITTEN_MAX 64

typedef struct {
  Scan scan[SCANS_WRITTEN_MAX];
  int count;    /* number of scans; 0: no script chosen yet */
  double bytes; /* estimated bytes of all scans */
} Script;

/* Largest end-of-band run: 15 bits (T.81, G.1.2.2). */
#define RUN_MAX 0x7FFF
/* Limit of correction bits buffered before an end-of-band symbol; the same as in libjpeg. */
#define WAITING_MAX 937

/* Returns the script of the rows as read (0) or made (1); it is chosen at the first call. `scripts`: array of two. */
const Script *script_of(Script *scripts, const Picture *picture, int made);
/* Discards the script, because the rows as read (0) or made (1) have changed. */
void forget_script(Script *scripts, int made);
/* True if the choice of a script uses this row. */
int row_is_scripted(const Plane *plane, uint32_t row);

#endif
