/*
 * SSIM and squared error between two planes that arrive row by row.
 * Wang, Bovik, Sheikh, Simoncelli, "Image quality assessment: from error visibility to structural similarity" (2004):
 * 11×11 gaussian window, σ = 1.5, K1 = 0.01, K2 = 0.03, only windows that lie wholly inside. The window is separable:
 * eleven rows stand in a ring, the vertical sum is taken over it and filtered horizontally, for one row of windows in
 * `every`: its neighbours, which share most of their pixels, say the same. The squared error is of all pixels.
 * Four maps are enough: a, b, a² + b², ab, because only σa² + σb² is needed.
 */
#include "metrics.h"
#include <math.h>
#include <stdlib.h>

#define TAPS 11
#define MAPS 4

struct Metrics {
  uint32_t width;
  float *ring[TAPS][MAPS], *sum[MAPS], *line[MAPS];
  float kernel[6];
  int filled, at;
  uint32_t every, until; /* rows of windows to leave out before the next */
  double ssim_sum, ssim_count, square_error, pixels;
};

/* A megapixel has so many windows that every second or fourth row of them gives the same mean to four digits. */
uint32_t metrics_every(uint32_t width, uint32_t height) {
  const double pixels = (double)width * height;
  return pixels < 1e6 ? 1 : pixels < 8e6 ? 2 : 4;
}

Metrics *metrics_new(uint32_t width, uint32_t every) {
  Metrics *m = allocate_cleared(sizeof *m);
  m->width = width;
  m->every = every;
  const size_t bytes = (width + 16) * sizeof(float);
  for (int map = 0; map < MAPS; map++) {
    m->line[map] = allocate(bytes);
    m->sum[map] = allocate(bytes);
    for (int tap = 0; tap < TAPS; tap++) m->ring[tap][map] = allocate(bytes);
  }
  double sum = 0, weight[TAPS];
  for (int i = 0; i < TAPS; i++) sum += weight[i] = exp(-(i - 5) * (i - 5) / (2 * 1.5 * 1.5));
  for (int i = 0; i < 6; i++) m->kernel[i] = weight[i] / sum;
  return m;
}

void metrics_free(Metrics *m) {
  if (!m) return;
  for (int map = 0; map < MAPS; map++) {
    free(m->line[map]);
    free(m->sum[map]);
    for (int tap = 0; tap < TAPS; tap++) free(m->ring[tap][map]);
  }
  free(m);
}

static double square_error(const uint8_t *a, const uint8_t *b, uint32_t width) {
  double total = 0;
  for (uint32_t from = 0; from < width; from += 4096) { /* 4096 · 255² fits 32 bits */
    const uint32_t to = from + 4096 < width ? from + 4096 : width;
    uint32_t sum = 0;
    for (uint32_t i = from; i < to; i++) {
      const int d = a[i] - b[i];
      sum += d * d;
    }
    total += sum;
  }
  return total;
}

/* One row of SSIM values from the vertically filtered maps. */
static double ssim_row(const Metrics *m, uint32_t count) {
  const float c1 = 6.5025f, c2 = 58.5225f; /* (K1 · 255)², (K2 · 255)² */
  const float *__restrict a = m->line[0], *__restrict b = m->line[1], *__restrict squares = m->line[2], *__restrict product = m->line[3];
  float lane[4] = {0};
  double total = 0;
  uint32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (int l = 0; l < 4; l++) {
      const float ma = a[i + l], mb = b[i + l], mean_squares = ma * ma + mb * mb, mean_product = ma * mb;
      lane[l] += ((2 * mean_product + c1) * (2 * (product[i + l] - mean_product) + c2)) /
                 ((mean_squares + c1) * (squares[i + l] - mean_squares + c2));
    }
    if ((i & 1023) == 1020) for (int l = 0; l < 4; l++) { total += lane[l]; lane[l] = 0; }
  }
  for (; i < count; i++) {
    const float ma = a[i], mb = b[i], mean_squares = ma * ma + mb * mb, mean_product = ma * mb;
    total += ((2 * mean_product + c1) * (2 * (product[i] - mean_product) + c2)) / ((mean_squares + c1) * (squares[i] - mean_squares + c2));
  }
  return total + lane[0] + lane[1] + lane[2] + lane[3];
}

void metrics_row(Metrics *m, const uint8_t *a, const uint8_t *b) {
  m->square_error += square_error(a, b, m->width);
  m->pixels += m->width;
  if (m->width < TAPS || !m->every) return;
  const uint32_t width = m->width, count = width - (TAPS - 1);
  float *const *now = m->ring[m->at];
  float *__restrict ra = now[0], *__restrict rb = now[1], *__restrict rs = now[2], *__restrict rp = now[3];
  for (uint32_t i = 0; i < width; i++) {
    const float p = a[i], q = b[i];
    ra[i] = p;
    rb[i] = q;
    rs[i] = p * p + q * q;
    rp[i] = p * q;
  }
  m->at = (m->at + 1) % TAPS;
  if (m->filled < TAPS) m->filled++;
  if (m->filled < TAPS) return;
  if (m->until) {
    m->until--;
    return;
  }
  m->until = m->every - 1;
  const float k0 = m->kernel[0], k1 = m->kernel[1], k2 = m->kernel[2], k3 = m->kernel[3], k4 = m->kernel[4], k5 = m->kernel[5];
  for (int map = 0; map < MAPS; map++) {
    const float *r[TAPS];
    for (int tap = 0; tap < TAPS; tap++) r[tap] = m->ring[(m->at + tap) % TAPS][map];
    float *__restrict t = m->sum[map];
    for (uint32_t i = 0; i < width; i++)
      t[i] = k0 * (r[0][i] + r[10][i]) + k1 * (r[1][i] + r[9][i]) + k2 * (r[2][i] + r[8][i]) + k3 * (r[3][i] + r[7][i]) +
             k4 * (r[4][i] + r[6][i]) + k5 * r[5][i];
    float *__restrict o = m->line[map];
    for (uint32_t i = 0; i < count; i++)
      o[i] = k0 * (t[i] + t[i + 10]) + k1 * (t[i + 1] + t[i + 9]) + k2 * (t[i + 2] + t[i + 8]) + k3 * (t[i + 3] + t[i + 7]) +
             k4 * (t[i + 4] + t[i + 6]) + k5 * t[i + 5];
  }
  m->ssim_sum += ssim_row(m, count);
  m->ssim_count += count;
}

void metrics_gap(Metrics *m) { m->filled = m->until = 0; }

/* NaN when the plane is smaller than the window: nothing was measured. */
double metrics_ssim(const Metrics *m) { return m->ssim_count ? m->ssim_sum / m->ssim_count : NAN; }
double metrics_mse(const Metrics *m) { return m->pixels ? m->square_error / m->pixels : 0; }
