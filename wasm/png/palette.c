#include "palette.h"

#include "tuning.h"

/* Luma and chroma scales of ITU-R BT.601. */
void to_coordinates(float r, float g, float b, float a, float *out) {
  const float k = a * (1 / 255.f);
  const float y = (.299f * r + .587f * g + .114f * b) * k;
  out[0] = y - a * .5f;
  out[1] = (b * k - y) * (.564f * CHROMA);
  out[2] = (r * k - y) * (.713f * CHROMA);
  out[3] = a * .5f;
}

static u32 from_coordinates(const float *x) {
  float a = x[3] * 2;
  if (a < 1) return 0;
  if (a > 254) a = 255;
  const float y = x[0] + x[3], cb = x[1] / CHROMA, cr = x[2] / CHROMA, scale = 255 / a;
  const float rgb[3] = {(y + 1.402f * cr) * scale, (y - .344f * cb - .714f * cr) * scale, (y + 1.772f * cb) * scale};
  u32 colour = (u32)(a + .5f) << 24;
  for (int c = 0; c < 3; c++) {
    int v = rgb[c] <= 0 ? 0 : rgb[c] >= 255 ? 255 : (int)(rgb[c] + .5f);
    colour |= (u32)v << (8 * c);
  }
  return colour;
}

int palette_colours(const Palette *p, u32 *colours) {
  int count = 0;
  for (int i = 0; i < p->used; i++) {
    const float x[COORDINATES] = {p->at[0][i], p->at[1][i], p->at[2][i], p->at[3][i]};
    const u32 colour = from_coordinates(x);
    bool known = false;
    for (int j = 0; j < count && !known; j++) known = colours[j] == colour;
    if (!known) colours[count++] = colour;
  }
  return count;
}

void palette_set(Palette *p, const u32 *colours, int count) {
  p->used = count;
  for (int i = 0; i < count; i++) {
    float x[COORDINATES];
    coordinates_of(colours[i], x);
    for (int c = 0; c < COORDINATES; c++) p->at[c][i] = x[c];
  }
  palette_sort(p);
}

void palette_sort(Palette *p) {
  int order[PALETTE_MOST];
  for (int i = 0; i < p->used; i++) {
    int at = i;
    for (; at > 0 && p->at[0][order[at - 1]] > p->at[0][i]; at--) order[at] = order[at - 1];
    order[at] = i;
  }
  p->groups = (p->used + 3) >> 2;
  for (int k = 0; k < p->groups * 4; k++) {
    for (int c = 0; c < COORDINATES; c++) p->sorted[c][k] = k < p->used ? p->at[c][order[k]] : 1e9f;
    p->sorted_index[k] = k < p->used ? order[k] : 255;
  }
  for (int step = 0, group = 0; step < PALETTE_STEPS; step++) {
    while (group + 1 < p->groups && p->sorted[0][group * 4 + 3] < step - 128) group++;
    p->first_group[step] = group;
  }
}

int nearest_colour(const Palette *p, const float *x, float *distance) {
  v4f best = {1e30f, 1e30f, 1e30f, 1e30f};
  v4i index = {0, 0, 0, 0};
  float least = 1e30f;
  const float step = x[0] + 128;
  const int start = p->first_group[step <= 0 ? 0 : step >= 255 ? 255 : (int)step], groups = p->groups;
  const float *sorted = p->sorted[0];
  for (int side = 0; side < 2; side++)
    for (int g = side ? start - 1 : start; g >= 0 && g < groups; g += side ? -1 : 1) {
      const float gap = side ? x[0] - sorted[g * 4 + 3] : sorted[g * 4] - x[0];
      if (gap > 0 && gap * gap >= least) break;
      const float *entry = sorted + g * 4;
      v4f d0 = *(v4f *)entry - x[0], d1 = *(v4f *)(entry + PALETTE_MOST) - x[1];
      v4f d2 = *(v4f *)(entry + 2 * PALETTE_MOST) - x[2], d3 = *(v4f *)(entry + 3 * PALETTE_MOST) - x[3];
      v4f d = d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3;
      v4i closer = d < best;
      best = (v4f)((closer & (v4i)d) | (~closer & (v4i)best));
      index = (closer & *(v4i *)&p->sorted_index[g * 4]) | (~closer & index);
      const float a = best[0] < best[1] ? best[0] : best[1], b = best[2] < best[3] ? best[2] : best[3];
      least = a < b ? a : b;
    }
  int winner = 0;
  for (int i = 1; i < 4; i++)
    if (best[i] < best[winner] || (best[i] == best[winner] && index[i] < index[winner])) winner = i;
  *distance = best[winner];
  return index[winner];
}
