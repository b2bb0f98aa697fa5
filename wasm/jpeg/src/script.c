#include "script.h"

#include "packed.h"
#include "tuning.h"

/* Bytes of a scan header with one component (T.81, B.2.3), and of a Huffman table header (B.2.4.2). */
#define SCAN_HEADER_BYTES 10
#define TABLE_HEADER_BYTES 21

#define CUTS ((int)sizeof BAND_CUTS)

/* ---- sample of rows ---- */

/* Sample of a plane's blocks. A value is zigzag position << 16 | magnitude, in zigzag order. */
typedef struct {
  uint32_t blocks;
  uint32_t *start; /* first index in `values` for each block, and the end */
  uint32_t *values;
  double scale; /* scale factor: blocks of the plane per sampled block */
} Sample;

/* Statistics of a scan: counts of Huffman symbols, and number of additional bits. */
typedef struct {
  uint32_t count[256];
  double extra;
  uint32_t run, waiting; /* blocks of the current end-of-band run, and their correction bits */
} Tally;

static inline int size_of(uint32_t magnitude) { return magnitude ? 32 - __builtin_clz(magnitude) : 0; }

static void end_run(Tally *t) {
  if (!t->run) return;
  const int size = size_of(t->run) - 1;
  t->count[size << 4]++;
  t->extra += size + t->waiting;
  t->run = t->waiting = 0;
}

/* Returns the bits of an ideal coder, scaled to the whole plane, including the scan header and Huffman table. */
static double bits_of(const Tally *t, double scale) {
  double total = 0, bits = t->extra;
  int symbols = 0;
  for (int i = 0; i < 256; i++) total += t->count[i];
  const float all = log2f(total);
  for (int i = 0; i < 256; i++) {
    if (!t->count[i]) continue;
    symbols++;
    bits += t->count[i] * fmaxf(all - log2f(t->count[i]), 1);
  }
  return bits * scale + 8.0 * (SCAN_HEADER_BYTES + TABLE_HEADER_BYTES + symbols);
}

/* Returns the sampling interval in rows. */
static uint32_t rows_apart(const Plane *plane) {
  const uint32_t rows = SCRIPT_BLOCKS / plane->blocks_wide + 1;
  return plane->blocks_high > rows ? plane->blocks_high / rows : 1;
}

int row_is_scripted(const Plane *plane, uint32_t row) {
  const uint32_t every = rows_apart(plane);
  return row % every == every / 2;
}

/* Samples rows spread over the plane. Returns the bits of the plane's DC scan (T.81, G.1.2.1). */
static double take_sample(Sample *sample, const Plane *plane, int made) {
  const Store *store = store_of(plane, made);
  const uint32_t every = rows_apart(plane);
  uint32_t bytes = 0, taken = 0, count = 0;
  for (uint32_t row = every / 2; row < plane->blocks_high; row += every, taken++) bytes += store->length[row];
  sample->start = allocate(((size_t)taken * plane->blocks_wide + 1) * sizeof *sample->start);
  /* one value takes at least one byte of packed rows */
  sample->values = allocate((bytes + 1) * sizeof *sample->values);
  sample->scale = (double)plane->blocks_high / (taken ? taken : 1);
  sample->blocks = 0;
  Tally dc = {0};
  int previous = 0;
  for (uint32_t row = every / 2; row < plane->blocks_high; row += every) {
    const uint8_t *in = store->packed[row];
    int level = 0;
    for (uint32_t x = 0; x < plane->blocks_wide; x++) {
      sample->start[sample->blocks++] = count;
      if (!in) continue; /* row that no scan of the source contained */
      int difference, place = 0;
      in = read_dc(in, &difference);
      level += difference;
      const int size = size_of(abs(level - previous));
      previous = level;
      dc.count[size]++;
      dc.extra += size;
      for (uint32_t token; (token = *in++);) {
        int gap, value;
        in = read_ac(in, token, &gap, &value);
        place += gap + 1;
        sample->values[count++] = place << 16 | abs(value);
      }
    }
  }
  sample->start[sample->blocks] = count;
  return bits_of(&dc, sample->scale);
}

static void free_sample(Sample *sample) {
  free(sample->start);
  free(sample->values);
}

/* Estimates the bits of a first AC scan of a band (T.81, G.1.2.2; coder.c writes it). */
static double first_bits(const Sample *sample, uint32_t from, uint32_t to, int low) {
  Tally t = {0};
  for (uint32_t x = 0; x < sample->blocks; x++) {
    const uint32_t *value = sample->values + sample->start[x], *end = sample->values + sample->start[x + 1];
    uint32_t last = from - 1;
    while (value < end && *value >> 16 < from) value++;
    for (; value < end; value++) {
      const uint32_t place = *value >> 16, size = (*value & 0xFFFF) >> low;
      if (place > to) break;
      if (!size) continue;
      if (t.run) end_run(&t);
      const uint32_t zeros = place - last - 1;
      const int bits = size_of(size);
      last = place;
      t.count[0xF0] += zeros >> 4;
      t.count[(zeros & 15) << 4 | bits]++;
      t.extra += bits;
    }
    if (last < to && ++t.run == RUN_MAX) end_run(&t);
  }
  end_run(&t);
  return bits_of(&t, sample->scale);
}

/* Estimates the bits of a refinement scan of all AC coefficients (T.81, G.1.2.3). */
static double refinement_bits(const Sample *sample, int low) {
  Tally t = {0};
  for (uint32_t x = 0; x < sample->blocks; x++) {
    const uint32_t *value = sample->values + sample->start[x], *end = sample->values + sample->start[x + 1];
    const uint32_t *newest = value;
    for (const uint32_t *v = value; v < end; v++)
      if ((*v & 0xFFFF) >> low == 1) newest = v + 1;
    uint32_t zeros = 0, last = 0, own = 0;
    for (; value < end; value++) {
      const uint32_t place = *value >> 16, size = (*value & 0xFFFF) >> low;
      if (!size) continue;
      zeros += place - last - 1;
      last = place;
      for (; zeros > 15 && value < newest; zeros -= 16) {
        end_run(&t);
        t.count[0xF0]++;
        t.extra += own;
        own = 0;
      }
      if (size > 1) {
        own++;
        continue;
      }
      end_run(&t);
      t.count[zeros << 4 | 1]++;
      t.extra += 1 + own;
      zeros = own = 0;
    }
    if (last == DCTSIZE2 - 1 && !zeros && !own) continue;
    t.waiting += own;
    if (++t.run == RUN_MAX || t.waiting > WAITING_MAX - DCTSIZE2) end_run(&t);
  }
  end_run(&t);
  return bits_of(&t, sample->scale);
}

/* ---- search for the best bands ---- */

typedef struct {
  int cut; /* zigzag position of the end of the lower band; 63: a single band */
  double bits;
} Bands;

static double two_bands(const Sample *sample, int cut, int low) {
  return first_bits(sample, 1, cut, low) + first_bits(sample, cut + 1, DCTSIZE2 - 1, low);
}

/* Chooses one band or a cut into two. Tries the cuts in order and stops when the next one is worse. */
static Bands best_bands(const Sample *sample) {
  Bands best = {DCTSIZE2 - 1, first_bits(sample, 1, DCTSIZE2 - 1, 0)};
  double bits[CUTS];
  bits[1] = two_bands(sample, BAND_CUTS[1], 0);
  int at = 1;
  bits[0] = two_bands(sample, BAND_CUTS[0], 0);
  if (bits[0] < bits[1]) at = 0;
  else
    for (int i = 2; i < CUTS; i++, at++) {
      bits[i] = two_bands(sample, BAND_CUTS[i], 0);
      if (bits[i] >= bits[at]) break;
    }
  return bits[at] < best.bits ? (Bands){BAND_CUTS[at], bits[at]} : best;
}

/* Adds the plane's scans to the script and their estimated bits to `bits`. Returns the number of scans. */
static int add_plane(Scan *script, const Picture *picture, int plane, int made, double *bits) {
  Sample sample;
  *bits += take_sample(&sample, &picture->plane[plane], made);
  int best_low = 0;
  Bands best = best_bands(&sample);
  double refinements = 0;
  double least = best.bits;
  for (int low = 1; low <= LOW_MAX; low++) {
    refinements += refinement_bits(&sample, low - 1);
    Bands bands = {DCTSIZE2 - 1, first_bits(&sample, 1, DCTSIZE2 - 1, low)};
    const int cut = best.cut < DCTSIZE2 - 1 ? best.cut : BAND_CUTS[0];
    const double cut_bits = two_bands(&sample, cut, low);
    if (cut_bits < bands.bits) bands = (Bands){cut, cut_bits};
    if (bands.bits + refinements >= least) break;
    least = bands.bits + refinements;
    best = bands;
    best_low = low;
  }
  free_sample(&sample);
  *bits += least;
  int count = 0;
  if (best.cut < DCTSIZE2 - 1) script[count++] = (Scan){plane, 1, best.cut, 0, best_low};
  script[count++] = (Scan){plane, best.cut < DCTSIZE2 - 1 ? best.cut + 1 : 1, DCTSIZE2 - 1, 0, best_low};
  for (int low = best_low; low > 0; low--) script[count++] = (Scan){plane, 1, DCTSIZE2 - 1, low, low - 1};
  return count;
}

/* ---- scan scripts ---- */

void forget_script(Script *scripts, int made) { scripts[made].count = 0; }

/* Order of scans: DC of all planes, then the bands of each plane, then refinements. A truncated file thus shows a
 * coarse picture. */
const Script *script_of(Script *scripts, const Picture *picture, int made) {
  Script *script = &scripts[made];
  if (script->count) return script;
  Scan bands[SCANS_WRITTEN_MAX];
  double bits = 0;
  int count = 0, found = 0;
  for (int i = 0; i < picture->planes; i++) script->scan[count++] = (Scan){i, 0, 0, 0, 0};
  for (int i = 0; i < picture->planes; i++) found += add_plane(bands + found, picture, i, made, &bits);
  for (int step = 0; step <= LOW_MAX; step++) {
    /* first scans, then refinements from the highest bit to the lowest */
    const int high = step ? LOW_MAX + 1 - step : 0;
    for (int i = 0; i < found; i++)
      if (bands[i].high == high) script->scan[count++] = bands[i];
  }
  script->count = count;
  script->bytes = bits / 8;
  return script;
}
