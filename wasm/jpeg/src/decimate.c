/*
 * Chroma at full or half size → 4:2:0, inside the packed rows: block → samples → mean of 2×1, 1×2 or 2×2 → block, with a
 * quantisation step of 1. There is never a plane of samples.
 */
#include "smooth.h"

static int factors(int *across, int *down) {
  if (picture.planes != 3 || picture.colour != JCS_YCbCr) return 0;
  for (int i = 1; i < 3; i++) if (picture.plane[i].h != 1 || picture.plane[i].v != 1) return 0;
  const int h = picture.plane[0].h, v = picture.plane[0].v;
  if (h < 1 || h > 2 || v < 1 || v > 2 || (h == 2 && v == 2)) return 0;
  *across = 2 / h;
  *down = 2 / v;
  return 1;
}

/* Rows of blocks that become one row, as samples (beyond the picture: repeated). */
static void samples(const Plane *plane, uint32_t row, int across, int down, uint32_t out_blocks, JBLOCKROW blocks, float *out, uint32_t stride) {
  for (int band = 0; band < down; band++) {
    float *at = out + (size_t)band * 8 * stride;
    const uint32_t from = row * down + band;
    if (from >= plane->blocks_high) { /* only the second band can be outside */
      for (int line = 0; line < 8; line++) memcpy(at + (size_t)line * stride, at - stride, stride * sizeof(float));
      continue;
    }
    store_get(plane->read, from, blocks);
    for (uint32_t x = 0; x < out_blocks * across; x++)
      inverse_dct_float(blocks[x < plane->blocks_wide ? x : plane->blocks_wide - 1], plane->read_step, at + x * 8, stride);
  }
}

/* Means of the cells; returns the squared error that taking them makes. */
static double average(const float *in, uint32_t stride, int across, int down, uint32_t width, float *out) {
  const float share = 1.0f / (across * down);
  double error = 0;
  for (int y = 0; y < 8; y++)
    for (uint32_t x = 0; x < width; x++) {
      float sum = 0, squares = 0;
      for (int j = 0; j < down; j++)
        for (int i = 0; i < across; i++) {
          const float value = in[(size_t)(y * down + j) * stride + x * across + i];
          sum += value;
          squares += value * value;
        }
      out[(size_t)y * width + x] = sum * share;
      error += squares - sum * sum * share;
    }
  return error;
}

/*
 * Looks at every `every`-th row (0: does it). Returns the mean squared error over both chroma planes, -1 where the
 * picture cannot be decimated (no YCbCr, unusual sampling, 4:2:0 already).
 */
double EXPORT(decimate)(int every) {
  int across, down;
  if (!factors(&across, &down)) return -1;
  const int apply = every == 0;
  const uint32_t wide = (picture.width + 15) / 16, high = (picture.height + 15) / 16;
  double error = 0, counted = 0;
  for (int i = 1; i < 3; i++) {
    Plane *plane = &picture.plane[i];
    const uint32_t stride = wide * 8 * across;
    JBLOCKROW blocks = allocate(plane->read->stride * sizeof(JBLOCK)), made = allocate_cleared(wide * sizeof(JBLOCK));
    float *fine = allocate((size_t)stride * 8 * down * sizeof(float)), *coarse = allocate((size_t)wide * 64 * sizeof(float));
    Store *store = apply ? store_new(wide, wide, high, 1, i) : NULL;
    for (uint32_t row = 0; row < high; row++) {
      if (!apply && row % every != (uint32_t)every / 2 && high > 16) continue;
      if (!plane->read->packed[row * down]) continue;
      samples(plane, row, across, down, wide, blocks, fine, stride);
      error += average(fine, stride, across, down, wide * 8, coarse);
      counted += (double)stride * 8 * down;
      if (!apply) continue;
      for (uint32_t x = 0; x < wide; x++) forward_dct(coarse + x * 8, wide * 8, made[x]);
      store_put(store, row, made);
      for (int band = 0; band < down; band++) if (row * down + band < plane->read->rows) store_drop(plane->read, row * down + band);
    }
    free(blocks);
    free(made);
    free(fine);
    free(coarse);
    if (!apply) continue;
    store_free(plane->read);
    plane->read = store;
    plane->width = (picture.width + 1) / 2;
    plane->height = (picture.height + 1) / 2;
    plane->blocks_wide = wide;
    plane->blocks_high = high;
    for (int k = 0; k < DCTSIZE2; k++) plane->read_step[k] = 1;
  }
  if (apply) {
    forget_script(0);
    smooth_forget();
  }
  if (apply) picture.plane[0].h = picture.plane[0].v = picture.h_max = picture.v_max = 2;
  return counted ? error / counted : 0;
}
