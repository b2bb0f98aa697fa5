#include "decimate.h"

#include "dct.h"
#include "jpeg.h"
#include "tuning.h"

/* Finds how many chroma samples become one in each direction. Returns 0 if the picture cannot be decimated. */
static int factors(const Picture *picture, int *across, int *down) {
  if (picture->planes != 3 || picture->colour != JCS_YCbCr) return 0;
  for (int i = 1; i < 3; i++)
    if (picture->plane[i].h != 1 || picture->plane[i].v != 1) return 0;
  const int h = picture->plane[0].h, v = picture->plane[0].v;
  if (h < 1 || h > 2 || v < 1 || v > 2 || (h == 2 && v == 2)) return 0;
  *across = 2 / h;
  *down = 2 / v;
  return 1;
}

/* State of reducing a plane to half its size. */
typedef struct {
  Plane *plane;
  int across, down;
  uint32_t wide, high;  /* size of the halved plane in blocks */
  uint32_t stride;      /* samples in a row of `fine` */
  JBLOCKROW blocks;     /* buffer for a block row of the source plane */
  JBLOCKROW made;       /* buffer for a block row of the halved plane */
  float *fine, *coarse; /* `fine`: samples of the source rows; `coarse`: their means */
} Halving;

/* Decodes the block rows that become row `row` of the result into `fine`. Rows beyond the picture are repeated. */
static void fill_samples(Halving *h, uint32_t row) {
  const Plane *plane = h->plane;
  for (int band = 0; band < h->down; band++) {
    float *at = h->fine + (size_t)band * 8 * h->stride;
    const uint32_t from = row * h->down + band;
    if (from >= plane->blocks_high) { /* only the second band can lie outside the picture */
      for (int line = 0; line < 8; line++)
        memcpy(at + (size_t)line * h->stride, at - h->stride, h->stride * sizeof(float));
      continue;
    }
    store_get(plane->read, from, h->blocks);
    for (uint32_t x = 0; x < h->wide * h->across; x++) {
      const JCOEF *block = h->blocks[x < plane->blocks_wide ? x : plane->blocks_wide - 1];
      inverse_dct_float(block, plane->read_step, at + x * 8, h->stride);
    }
  }
}

/* Fills `coarse` with the means of cells of `fine`. Returns the squared error. */
static double average(const Halving *h) {
  const int across = h->across, down = h->down;
  const uint32_t width = h->wide * 8, stride = h->stride;
  const float share = 1.0f / (across * down);
  double error = 0;
  for (int y = 0; y < 8; y++)
    for (uint32_t x = 0; x < width; x++) {
      float sum = 0, squares = 0;
      for (int j = 0; j < down; j++)
        for (int i = 0; i < across; i++) {
          const float value = h->fine[(size_t)(y * down + j) * stride + x * across + i];
          sum += value;
          squares += value * value;
        }
      h->coarse[(size_t)y * width + x] = sum * share;
      error += squares - sum * sum * share;
    }
  return error;
}

/* Stores row `row` of the result and frees the source rows. */
static void store_row(Halving *h, Store *store, uint32_t row) {
  Store *read = h->plane->read;
  for (uint32_t x = 0; x < h->wide; x++) forward_dct(h->coarse + x * 8, h->wide * 8, h->made[x]);
  store_put(store, row, h->made);
  for (int band = 0; band < h->down; band++)
    if (row * h->down + band < read->rows) store_drop(read, row * h->down + band);
}

/* Replaces the plane by the halved one. */
static void replace_plane(const Picture *picture, Halving *h, Store *store) {
  Plane *plane = h->plane;
  store_free(plane->read);
  plane->read = store;
  plane->width = (picture->width + 1) / 2;
  plane->height = (picture->height + 1) / 2;
  plane->blocks_wide = h->wide;
  plane->blocks_high = h->high;
  for (int k = 0; k < DCTSIZE2; k++) plane->read_step[k] = 1;
}

/* Halves a plane (`every` 0), or measures the error on every `every`-th row. Adds to the squared error and to the
 * number of samples. */
static void halve_plane(Jpeg *jpeg, Halving *h, int every, double *error, double *counted) {
  const Plane *plane = h->plane;
  h->stride = h->wide * 8 * h->across;
  h->blocks = allocate(plane->read->stride * sizeof(JBLOCK));
  h->made = allocate_zeroed(h->wide * sizeof(JBLOCK));
  h->fine = allocate((size_t)h->stride * 8 * h->down * sizeof(float));
  h->coarse = allocate((size_t)h->wide * 64 * sizeof(float));
  const StoreSize size = {h->wide, h->wide, h->high, 1};
  Store *store = every ? NULL : store_new(&jpeg->packing, size, plane - jpeg->picture.plane);
  for (uint32_t row = 0; row < h->high; row++) {
    if (every && row % every != (uint32_t)every / 2 && h->high > DECIMATE_WHOLE_ROWS) continue;
    if (!plane->read->packed[row * h->down]) continue;
    fill_samples(h, row);
    *error += average(h);
    *counted += (double)h->stride * 8 * h->down;
    if (store) store_row(h, store, row);
  }
  free(h->blocks);
  free(h->made);
  free(h->fine);
  free(h->coarse);
  if (store) replace_plane(&jpeg->picture, h, store);
}

double decimate(Jpeg *jpeg, int every) {
  Picture *picture = &jpeg->picture;
  int across, down;
  if (!factors(picture, &across, &down)) return -1;
  double error = 0, counted = 0;
  for (int i = 1; i < 3; i++) {
    Halving h = {.plane = &picture->plane[i], .across = across, .down = down};
    h.wide = (picture->width + 15) / 16;
    h.high = (picture->height + 15) / 16;
    halve_plane(jpeg, &h, every, &error, &counted);
  }
  if (!every) {
    forget_script(jpeg->scripts, 0);
    smooth_forget(&jpeg->smooth);
    picture->plane[0].h = picture->plane[0].v = picture->h_max = picture->v_max = 2;
  }
  return counted ? error / counted : 0;
}
