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

/* The better of the two ways: whole, or cut where `cuts` from `first` up to `last` say. */
static Bands best_bands(int plane, int low, int first, int last, int made, uint32_t every) {
  Bands best = {DCTSIZE2 - 1, band(plane, 1, DCTSIZE2 - 1, 0, low, made, every)};
  for (int i = first; i <= last; i++) {
    const double bits = band(plane, 1, cuts[i], 0, low, made, every) + band(plane, cuts[i] + 1, DCTSIZE2 - 1, 0, low, made, every);
    if (bits < best.bits) best = (Bands){cuts[i], bits};
  }
  return best;
}

static int index_of(int cut) {
  for (int i = 0; i < CUTS; i++) if (cuts[i] == cut) return i;
  return -1;
}

static int add_plane(Scan *script, int plane, int made) {
  const Plane *p = &picture.plane[plane];
  const uint32_t rows = SAMPLED_BLOCKS / p->blocks_wide + 1;
  const uint32_t every = p->blocks_high > rows ? p->blocks_high / rows : 1;
  int best_low = 0;
  Bands best = best_bands(plane, 0, 0, CUTS - 1, made, every), bands = best;
  double refinements = 0, least = best.bits;
  for (int low = 1; low <= LOW_MAX; low++) {
    refinements += band(plane, 1, DCTSIZE2 - 1, low, low - 1, made, every);
    const int at = index_of(bands.cut);
    bands = best_bands(plane, low, at > 0 ? at - 1 : 0, at < 0 ? 0 : at + 1 < CUTS ? at + 1 : CUTS - 1, made, every);
    if (bands.bits + refinements >= least) {
      if (low > 1 || best_low) break;
      if (bands.bits + refinements > least * 1.02) break;
      continue;
    }
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
