#include "cut.h"

#include "jpeg.h"
#include "packed.h"

/* Largest magnitudes that the standard Huffman tables code: ten bits, and eleven for differences of DC (T.81, F.1.2). */
#define AC_MOST 1023
#define DC_LEAST (-1024)
#define DC_MOST 1023

/* True if the standard tables code all levels of a packed row. A coder that meets another level ends the job. */
static int is_codable(const uint8_t *in, uint32_t blocks) {
  int dc = 0, difference, gap, value;
  for (; blocks; blocks--) {
    in = read_dc(in, &difference);
    dc += difference;
    if (dc < DC_LEAST || dc > DC_MOST) return 0;
    for (uint32_t token; (token = *in++);) {
      in = read_ac(in, token, &gap, &value);
      if (value < -AC_MOST || value > AC_MOST) return 0;
    }
  }
  return 1;
}

static int are_codable(const Store *store) {
  for (uint32_t row = 0; row < store->rows; row++)
    if (!store->packed[row] || !is_codable(store->packed[row], store->blocks)) return 0;
  return 1;
}

/* Returns the block rows of a plane in one band; 0: a band would end inside an MCU row. The coder reads whole MCU rows,
 * so the last one would end below the kept rows. */
static uint32_t band_rows(const Picture *picture, const Plane *plane) {
  const int mcu_rows = CUT_BAND / DCTSIZE / picture->v_max;
  return mcu_rows * picture->v_max * DCTSIZE == CUT_BAND ? mcu_rows * plane->v : 0;
}

static int is_kept(uint32_t band, uint32_t every) { return band % every == every / 2; }

/* Returns pointers to the packed rows of the kept bands. */
static uint8_t **kept_rows(const Store *store, uint32_t bands, uint32_t rows, uint32_t every) {
  uint8_t **const kept = allocate(bands * rows * sizeof *kept), **to = kept;
  for (uint32_t band = 0; band < bands; band++)
    for (uint32_t row = 0; is_kept(band, every) && row < rows; row++) *to++ = store->packed[band * rows + row];
  return kept;
}

/* True if the kept bands have about as many packed bytes in a row as the whole picture. */
static int are_typical(const Picture *picture, uint32_t bands, uint32_t kept, uint32_t every) {
  double all = 0, chosen = 0;
  for (int i = 0; i < picture->planes; i++) {
    const Plane *plane = &picture->plane[i];
    const uint32_t rows = band_rows(picture, plane);
    for (uint32_t row = 0; row < plane->blocks_high; row++) {
      const uint32_t band = row / rows, bytes = plane->read->length[row];
      all += bytes;
      if (band < bands && is_kept(band, every)) chosen += bytes;
    }
  }
  const double usual = all * kept * CUT_BAND / picture->height;
  return chosen > usual / CUT_MOST_RATIO && chosen < usual * CUT_MOST_RATIO;
}

uint32_t write_cut(Jpeg *jpeg, uint32_t every) {
  Picture *picture = &jpeg->picture;
  const uint32_t height = picture->height, bands = height / CUT_BAND;
  uint32_t kept = 0;
  uint8_t **packed[PLANES];
  for (uint32_t band = 0; band < bands; band++) kept += is_kept(band, every);
  if (kept < CUT_LEAST_BANDS) return 0;
  for (int i = 0; i < picture->planes; i++) {
    const Plane *plane = &picture->plane[i];
    if (!plane->read || !band_rows(picture, plane) || !are_codable(plane->read)) return 0;
  }
  if (!are_typical(picture, bands, kept, every)) return 0;
  for (int i = 0; i < picture->planes; i++) {
    const Plane *plane = &picture->plane[i];
    packed[i] = plane->read->packed;
    plane->read->packed = kept_rows(plane->read, bands, band_rows(picture, plane), every);
    plane->read->window_valid = 0;
  }
  picture->height = kept * CUT_BAND;
  jpeg->output.only_counting = 0;
  write_sequential(jpeg, 0, 1, FALSE);
  picture->height = height;
  for (int i = 0; i < picture->planes; i++) {
    Store *store = picture->plane[i].read;
    free(store->packed);
    store->packed = packed[i];
    store->window_valid = 0;
  }
  return kept * CUT_BAND;
}
