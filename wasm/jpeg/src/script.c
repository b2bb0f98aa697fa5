/*
 * The script of a progressive file: how luma and chroma are cut into bands and bits. What mozjpeg's search finds by
 * coding everything is estimated here from a sample of the rows, so it costs little at any size.
 */
#include "scans.h"

/* Blocks that are looked at for each question. */
#define SAMPLED_BLOCKS 1500
/* Bits that may be left for later scans. */
#define LOW_MAX 3

static const uint8_t cuts[] = {2, 5, 8, 12, 18}; /* mozjpeg's */
#define CUTS ((int)sizeof cuts)

typedef struct {
  int cut; /* end of the lower band; 63: one band */
  double bits;
} Bands;

static double band(int plane, int from, int to, int high, int low, int made, uint32_t every) {
  const Scan scan = {plane, from, to, high, low};
  return scan_bits(&scan, made, every);
}

static double two_bands(int plane, int cut, int low, int made, uint32_t every) {
  return band(plane, 1, cut, 0, low, made, every) + band(plane, cut + 1, DCTSIZE2 - 1, 0, low, made, every);
}

/* Whole, or cut in two: from the second of the cuts on as long as the next one is better. */
static Bands best_bands(int plane, int made, uint32_t every) {
  Bands best = {DCTSIZE2 - 1, band(plane, 1, DCTSIZE2 - 1, 0, 0, made, every)};
  double bits[CUTS];
  bits[1] = two_bands(plane, cuts[1], 0, made, every);
  int at = 1;
  bits[0] = two_bands(plane, cuts[0], 0, made, every);
  if (bits[0] < bits[1]) at = 0;
  else
    for (int i = 2; i < CUTS; i++, at++) {
      bits[i] = two_bands(plane, cuts[i], 0, made, every);
      if (bits[i] >= bits[at]) break;
    }
  return bits[at] < best.bits ? (Bands){cuts[at], bits[at]} : best;
}

static int add_plane(Scan *script, int plane, int made) {
  const Plane *p = &picture.plane[plane];
  const uint32_t rows = SAMPLED_BLOCKS / p->blocks_wide + 1;
  const uint32_t every = p->blocks_high > rows ? p->blocks_high / rows : 1;
  int best_low = 0;
  Bands best = best_bands(plane, made, every);
  double refinements = 0;
  double least = best.bits;
  for (int low = 1; low <= LOW_MAX; low++) {
    refinements += band(plane, 1, DCTSIZE2 - 1, low, low - 1, made, every);
    Bands bands = {DCTSIZE2 - 1, band(plane, 1, DCTSIZE2 - 1, 0, low, made, every)};
    const int cut = best.cut < DCTSIZE2 - 1 ? best.cut : cuts[0];
    const double cut_bits = two_bands(plane, cut, low, made, every);
    if (cut_bits < bands.bits) bands = (Bands){cut, cut_bits};
    if (bands.bits + refinements >= least) break;
    least = bands.bits + refinements;
    best = bands;
    best_low = low;
  }
  int count = 0;
  if (best.cut < DCTSIZE2 - 1) script[count++] = (Scan){plane, 1, best.cut, 0, best_low};
  script[count++] = (Scan){plane, best.cut < DCTSIZE2 - 1 ? best.cut + 1 : 1, DCTSIZE2 - 1, 0, best_low};
  for (int low = best_low; low > 0; low--) script[count++] = (Scan){plane, 1, DCTSIZE2 - 1, low, low - 1};
  return count;
}

/* DC of all planes first, then each plane's bands, and the last bits at the end: a picture that is cut short is a coarse one. */
int choose_script(Scan *script, int made) {
  Scan bands[SCANS_WRITTEN_MAX];
  int count = 0, found = 0;
  for (int i = 0; i < picture.planes; i++) script[count++] = (Scan){i, 0, 0, 0, 0};
  for (int i = 0; i < picture.planes; i++) found += add_plane(bands + found, i, made);
  for (int high = 0; high <= LOW_MAX; high++) {
    const int wanted = high ? LOW_MAX + 1 - high : 0; /* first scans, then refinements from the coarsest */
    for (int i = 0; i < found; i++) if (bands[i].high == wanted) script[count++] = bands[i];
  }
  return count;
}
