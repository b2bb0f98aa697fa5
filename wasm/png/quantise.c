/* A palette for the picture: histogram, variance cuts (Wu 1991: the cut that removes most variance along the widest axis),
 * then k-means with reseeding over the histogram.
 *
 * Colours live in a space where the squared distance is what the eye and the metrics see: luma counts fully, chroma by
 * CHROMA, both as the mean over a black and a white background.  With premultiplied p over black and p + 255 - a over white,
 * the mean of the two squared luma errors is (dY - da / 2)^2 + (da / 2)^2; chroma does not see a grey background. */
#include "engine.h"

#include "../measure/texture.h"

#ifndef CHROMA
#define CHROMA 0.8f /* chroma axes are scaled by this */
#endif
/* Rare colours count more than by their pixels: a red button on a grey screen is why people look at it. */
#ifndef WEIGHT_POWER
#define WEIGHT_POWER 0.6f
#endif
#define HISTOGRAM_SLOTS (1u << 15)

typedef float v4f __attribute__((vector_size(16)));
typedef i32 v4i __attribute__((vector_size(16)));

typedef struct {
  u32 key, count;
  u64 sum[4];
} Bin;
typedef struct {
  float at[COORDINATES], weight, first_weight;
} Point;

float palette_xyz[COORDINATES][256] __attribute__((aligned(16)));
int palette_used;
double predicted_mse;

static Bin *bins;
static u32 bins_used;
static int bin_shift; /* low bits of each channel that bins ignore */
static Point *points;
static u32 point_count, *point_order;
static u32 *slot_key;   /* of what the bins were */
static u16 *slot_point; /* + 1 */
static u8 *weighed;     /* in this round */
static int cuts_made;   /* of the points into boxes; -1: none yet */

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

/* ---- histogram ---- */

static bool bins_add(u32 key, u32 count, const u64 *sum) { /* true for a new bin */
  u32 i = (key * 0x9E3779B1u ^ key >> 15) & (HISTOGRAM_SLOTS - 1);
  while (bins[i].count && bins[i].key != key) i = (i + 1) & (HISTOGRAM_SLOTS - 1);
  Bin *bin = bins + i;
  const bool is_new = !bin->count;
  if (is_new) {
    bin->key = key;
    bins_used++;
  }
  bin->count += count;
  for (int c = 0; c < 4; c++) bin->sum[c] += sum[c];
  return is_new;
}

static u32 bin_mask(void) { return 0x01010101u * (255 >> bin_shift); }

static void bins_coarsen(void) {
  Bin *old = bins;
  bin_shift++;
  bins = zeroed(HISTOGRAM_SLOTS * sizeof(Bin));
  bins_used = 0;
  for (u32 i = 0; i < HISTOGRAM_SLOTS; i++)
    if (old[i].count) bins_add(old[i].key >> 1 & bin_mask(), old[i].count, old[i].sum);
  free(old);
}

void sample_begin(void); /* sample.c */
void sample_row(const u32 *rgba, u32 width, u32 y);
void sample_new_colour(u32 x);

/* Pixels in smooth areas count up to so many times: there eyes see shades, and steps between them. */
#define MOST_COUNTED 8
/* Bends (texture.h) that halve that. */
#define BUSY 4
static Texture texture;
static u8 counted[256]; /* by bends */

void histogram_begin(void) {
  if (!texture.bends && !texture_open(&texture, source.width)) host_fail(FAIL_MEMORY, "no memory for texture");
  texture_break(&texture);
  for (int i = 0; i < 256; i++) counted[i] = MOST_COUNTED * BUSY / (BUSY + i) > 0 ? MOST_COUNTED * BUSY / (BUSY + i) : 1;
  free(bins), free(points), free(point_order), free(slot_key), free(slot_point), free(weighed);
  slot_key = NULL, slot_point = NULL, weighed = NULL;
  points = NULL;
  point_order = NULL;
  cuts_made = -1;
  bins = zeroed(HISTOGRAM_SLOTS * sizeof(Bin));
  bins_used = 0;
  bin_shift = 0;
  sample_begin();
}

void histogram_row(const u32 *px, u32 width, u32 y) {
  texture_row(&texture, px, width);
  for (u32 i = 0, end; i < width; i = end) {
    u32 c = px[i], run = 0;
    for (end = i; end < width && px[end] == c; end++) run += counted[texture.bends[end]];
    if (!(c >> 24)) c = 0; /* nobody sees the colour of transparent pixels */
    const u64 sum[4] = {(u64)(c & 255) * run, (u64)(c >> 8 & 255) * run, (u64)(c >> 16 & 255) * run, (u64)(c >> 24) * run};
    if (bins_add(c >> bin_shift & bin_mask(), run, sum)) sample_new_colour(i);
    if (bins_used > HISTOGRAM_SLOTS / 2) bins_coarsen();
  }
  sample_row(px, width, y);
}

static void histogram_to_points(void) {
  if (points) return;
  if (!bins) host_fail(FAIL_MISUSE, "no histogram");
  point_count = bins_used;
  points = allocate(point_count * sizeof(Point) + 16);
  point_order = allocate(point_count * sizeof(u32) + 16);
  slot_key = zeroed(HISTOGRAM_SLOTS * sizeof *slot_key);
  slot_point = zeroed(HISTOGRAM_SLOTS * sizeof *slot_point);
  weighed = zeroed(point_count + 1);
  u32 n = 0;
  for (u32 i = 0; i < HISTOGRAM_SLOTS; i++) {
    if (!bins[i].count) continue;
    slot_key[i] = bins[i].key;
    slot_point[i] = n + 1;
    const float w = bins[i].count;
    to_coordinates(bins[i].sum[0] / w, bins[i].sum[1] / w, bins[i].sum[2] / w, bins[i].sum[3] / w, points[n].at);
    points[n].weight = points[n].first_weight = powf(w, WEIGHT_POWER);
    n++;
  }
  free(bins);
  bins = NULL;
}

/* More, and the colours of small areas displace those of large ones. */
#define HEAVIER 1.6f

void weigh_up(u32 colour) {
  if (!slot_key) return;
  const u32 key = colour >> bin_shift & bin_mask();
  u32 i = (key * 0x9E3779B1u ^ key >> 15) & (HISTOGRAM_SLOTS - 1);
  while (slot_point[i] && slot_key[i] != key) i = (i + 1) & (HISTOGRAM_SLOTS - 1);
  if (!slot_point[i] || weighed[slot_point[i] - 1]) return;
  weighed[slot_point[i] - 1] = 1;
  points[slot_point[i] - 1].weight *= HEAVIER;
  cuts_made = -1;
}

/* Takes back what weigh_up did. */
EXPORT(weigh_as_at_first) void weigh_as_at_first(void) {
  for (u32 i = 0; i < point_count; i++) points[i].weight = points[i].first_weight;
  cuts_made = -1;
}

/* ---- variance cuts ---- */

typedef struct {
  u32 from, count;
  int axis;
  double variance, weight, mean[COORDINATES];
} Box;

static void box_statistics(Box *box) {
  double weight = 0, sum[COORDINATES] = {0}, squares[COORDINATES] = {0}, widest = -1;
  for (u32 i = box->from; i < box->from + box->count; i++) {
    const Point *p = points + point_order[i];
    weight += p->weight;
    for (int c = 0; c < COORDINATES; c++) {
      sum[c] += (double)p->weight * p->at[c];
      squares[c] += (double)p->weight * p->at[c] * p->at[c];
    }
  }
  box->weight = weight;
  box->variance = 0;
  for (int c = 0; c < COORDINATES; c++) {
    double v = squares[c] - sum[c] * sum[c] / weight;
    box->mean[c] = sum[c] / weight;
    box->variance += v;
    if (v > widest) {
      widest = v;
      box->axis = c;
    }
  }
  if (box->count < 2) box->variance = 0;
}

/* Cuts `box` in two along its axis; false when all its points agree there. */
static bool box_cut(Box *box, Box *other) {
  const int axis = box->axis;
  float low = 1e30f, high = -1e30f;
  for (u32 i = box->from; i < box->from + box->count; i++) {
    float v = points[point_order[i]].at[axis];
    if (v < low) low = v;
    if (v > high) high = v;
  }
  if (high <= low) return false;
  double weight[256] = {0}, sum[256] = {0};
  const float scale = 255.99f / (high - low);
  for (u32 i = box->from; i < box->from + box->count; i++) {
    const Point *p = points + point_order[i];
    int slot = (int)((p->at[axis] - low) * scale);
    weight[slot] += p->weight;
    sum[slot] += (double)p->weight * p->at[axis];
  }
  const double all = box->weight, total = box->mean[axis] * all;
  double w = 0, s = 0, best = -1;
  int cut = 0;
  for (int slot = 0; slot < 255; slot++) {
    w += weight[slot];
    s += sum[slot];
    if (w <= 0 || all - w <= 1e-9) continue;
    double gain = s * s / w + (total - s) * (total - s) / (all - w);
    if (best < 0 || gain > best) {
      best = gain;
      cut = slot;
    }
  }
  u32 i = box->from, j = box->from + box->count;
  while (i < j) {
    if ((int)((points[point_order[i]].at[axis] - low) * scale) <= cut) {
      i++;
    } else {
      u32 t = point_order[--j];
      point_order[j] = point_order[i];
      point_order[i] = t;
    }
  }
  if (i == box->from || i == box->from + box->count) return false;
  *other = (Box){.from = i, .count = box->from + box->count - i};
  box->count = i - box->from;
  box_statistics(box);
  box_statistics(other);
  return true;
}

/* What each cut made: the first box's new mean, and that of another box, which is the next. */
static struct {
  u8 box;
  float mean[2][COORDINATES];
} cuts[255];
static float mean_of_all[COORDINATES];

static void all_cuts(void) {
  static Box boxes[256];
  int used = 1;
  for (u32 i = 0; i < point_count; i++) point_order[i] = i;
  boxes[0] = (Box){.from = 0, .count = point_count};
  box_statistics(&boxes[0]);
  for (int c = 0; c < COORDINATES; c++) mean_of_all[c] = (float)boxes[0].mean[c];
  while (used < 256) {
    int widest = 0;
    for (int i = 1; i < used; i++)
      if (boxes[i].variance > boxes[widest].variance) widest = i;
    if (boxes[widest].variance <= 0) break;
    if (!box_cut(&boxes[widest], &boxes[used])) {
      boxes[widest].variance = 0;
      continue;
    }
    cuts[used - 1].box = widest;
    for (int c = 0; c < COORDINATES; c++) {
      cuts[used - 1].mean[0][c] = (float)boxes[widest].mean[c];
      cuts[used - 1].mean[1][c] = (float)boxes[used].mean[c];
    }
    used++;
  }
  cuts_made = used - 1;
}

/* The means of so many boxes, or as many as there are. */
static void cut_boxes(int wanted) {
  if (cuts_made < 0) all_cuts();
  palette_used = wanted <= cuts_made ? wanted : cuts_made + 1;
  for (int c = 0; c < COORDINATES; c++) {
    palette_xyz[c][0] = mean_of_all[c];
    for (int i = 1; i < palette_used; i++) {
      palette_xyz[c][cuts[i - 1].box] = cuts[i - 1].mean[0][c];
      palette_xyz[c][i] = cuts[i - 1].mean[1][c];
    }
  }
}

/* ---- nearest colour and k-means ---- */

/* The palette by its first coordinate, four entries to a group, so that a search can stop when all others are further away along
 * that alone. */
static float sorted[COORDINATES][256] __attribute__((aligned(16)));
static i32 sorted_index[256] __attribute__((aligned(16)));
static int groups;
static u8 first_group[256]; /* for each step of one from -128 on */

static void palette_sort(void) {
  int order[256];
  for (int i = 0; i < palette_used; i++) {
    int at = i;
    for (; at > 0 && palette_xyz[0][order[at - 1]] > palette_xyz[0][i]; at--) order[at] = order[at - 1];
    order[at] = i;
  }
  groups = (palette_used + 3) >> 2;
  for (int k = 0; k < groups * 4; k++) {
    for (int c = 0; c < COORDINATES; c++) sorted[c][k] = k < palette_used ? palette_xyz[c][order[k]] : 1e9f;
    sorted_index[k] = k < palette_used ? order[k] : 255;
  }
  for (int step = 0, group = 0; step < 256; step++) {
    while (group + 1 < groups && sorted[0][group * 4 + 3] < step - 128) group++;
    first_group[step] = group;
  }
}

int nearest_colour(const float *x, float *distance) {
  v4f best = {1e30f, 1e30f, 1e30f, 1e30f};
  v4i index = {0, 0, 0, 0};
  float least = 1e30f;
  const float step = x[0] + 128;
  const int start = first_group[step <= 0 ? 0 : step >= 255 ? 255 : (int)step];
  for (int side = 0; side < 2; side++)
    for (int g = side ? start - 1 : start; g >= 0 && g < groups; g += side ? -1 : 1) {
      const float gap = side ? x[0] - sorted[0][g * 4 + 3] : sorted[0][g * 4] - x[0];
      if (gap > 0 && gap * gap >= least) break;
      v4f d0 = *(v4f *)&sorted[0][g * 4] - x[0], d1 = *(v4f *)&sorted[1][g * 4] - x[1], d2 = *(v4f *)&sorted[2][g * 4] - x[2],
          d3 = *(v4f *)&sorted[3][g * 4] - x[3];
      v4f d = d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3;
      v4i closer = d < best;
      best = (v4f)((closer & (v4i)d) | (~closer & (v4i)best));
      index = (closer & *(v4i *)&sorted_index[g * 4]) | (~closer & index);
      const float a = best[0] < best[1] ? best[0] : best[1], b = best[2] < best[3] ? best[2] : best[3];
      least = a < b ? a : b;
    }
  int winner = 0;
  for (int i = 1; i < 4; i++)
    if (best[i] < best[winner] || (best[i] == best[winner] && index[i] < index[winner])) winner = i;
  *distance = best[winner];
  return index[winner];
}

static void k_means(int rounds) {
  double last = 1e300, weight_total = 0;
  for (u32 i = 0; i < point_count; i++) weight_total += points[i].weight;
  for (int round = 0;; round++) {
    palette_sort();
    static double weight[256], sum[256][COORDINATES];
    memset(weight, 0, sizeof weight);
    memset(sum, 0, sizeof sum);
    double error = 0;
    float worst = 0;
    u32 worst_point = 0;
    for (u32 i = 0; i < point_count; i++) {
      const Point *p = points + i;
      float d;
      int nearest = nearest_colour(p->at, &d);
      float cost = d * p->weight;
      error += cost;
      if (cost > worst) {
        worst = cost;
        worst_point = i;
      }
      weight[nearest] += p->weight;
      for (int c = 0; c < COORDINATES; c++) sum[nearest][c] += (double)p->weight * p->at[c];
    }
    predicted_mse = error / weight_total;
    if (round >= rounds || (round > 2 && error > last * .9985)) return;
    last = error;
    bool reseeded = false; /* an empty colour moves to the point that costs most */
    for (int i = 0; i < palette_used; i++) {
      if (weight[i] > 0) {
        for (int c = 0; c < COORDINATES; c++) palette_xyz[c][i] = (float)(sum[i][c] / weight[i]);
      } else if (!reseeded) {
        reseeded = true;
        for (int c = 0; c < COORDINATES; c++) palette_xyz[c][i] = points[worst_point].at[c];
      }
    }
  }
}

/* ---- room for mixing ---- */

#define SIDES 4 /* entries beside one, at most */

/* Means lie inside of what they stand for: no mixture of them is as dark, as bright or as red as the outermost colours. So entries
 * at the border of the palette move out towards where their colours end, as far as their neighbours stand to one side. `share`: how much of
 * that way; further, and mixtures are noisier. */
static void spread_out(float share) {
  static float out[256][COORDINATES], reach[256];
  for (int i = 0; i < palette_used; i++) {
    float nearest[SIDES], mean[COORDINATES] = {0}, distances = 0, length = 0;
    int beside[SIDES], count = 0;
    for (int j = 0; j < palette_used; j++) {
      float d = 0;
      for (int c = 0; c < COORDINATES; c++) d += (palette_xyz[c][j] - palette_xyz[c][i]) * (palette_xyz[c][j] - palette_xyz[c][i]);
      if (j == i || (count == SIDES && d >= nearest[SIDES - 1])) continue;
      int at = count < SIDES ? count++ : SIDES - 1;
      for (; at > 0 && nearest[at - 1] > d; at--) nearest[at] = nearest[at - 1], beside[at] = beside[at - 1];
      nearest[at] = d, beside[at] = j;
    }
    for (int k = 0; k < count; k++) {
      distances += sqrtf(nearest[k]);
      for (int c = 0; c < COORDINATES; c++) mean[c] += palette_xyz[c][beside[k]] - palette_xyz[c][i];
    }
    for (int c = 0; c < COORDINATES; c++) length += mean[c] * mean[c];
    length = sqrtf(length);
    for (int c = 0; c < COORDINATES; c++) out[i][c] = length > 0 && distances > 0 ? -mean[c] / length : 0;
    reach[i] = 0;
    for (int c = 0; c < COORDINATES; c++) out[i][c] *= distances > 0 ? sqrtf(length / distances) : 0; /* 1 where all are on one side */
  }
  for (u32 i = 0; i < point_count; i++) {
    float d, along = 0;
    const int nearest = nearest_colour(points[i].at, &d);
    for (int c = 0; c < COORDINATES; c++) along += (points[i].at[c] - palette_xyz[c][nearest]) * out[nearest][c];
    if (along > reach[nearest]) reach[nearest] = along;
  }
  for (int i = 0; i < palette_used; i++)
    for (int c = 0; c < COORDINATES; c++) palette_xyz[c][i] += out[i][c] * (share * reach[i]);
}

/* Rounds the palette to eight bits, drops doubles, orders by luma, and makes it the layout. */
static void palette_to_layout(void) {
  u32 colours[256];
  int count = 0;
  for (int i = 0; i < palette_used; i++) {
    const float x[COORDINATES] = {palette_xyz[0][i], palette_xyz[1][i], palette_xyz[2][i], palette_xyz[3][i]};
    u32 colour = from_coordinates(x);
    bool known = false;
    for (int j = 0; j < count && !known; j++) known = colours[j] == colour;
    if (!known) colours[count++] = colour;
  }
  palette_by_luma(colours, count);
  memcpy(layout.palette, colours, sizeof(u32) * count);
  layout.palette_size = palette_used = count;
  layout.has_key = layout.verbatim = false;
  layout_set(INDEXED, count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8);
  for (int i = 0; i < count; i++) {
    float x[COORDINATES];
    u32 c = colours[i];
    to_coordinates(c & 255, c >> 8 & 255, c >> 16 & 255, c >> 24, x);
    for (int k = 0; k < COORDINATES; k++) palette_xyz[k][i] = x[k];
  }
  palette_sort();
}

/* After a HISTOGRAM pass: a palette of at most `colours`, with `spread` (see spread_out) one to mix others of. Returns the mean squared error it promises, in the space above. */
EXPORT(quantise) double quantise(int colours, int rounds, double spread) {
  histogram_to_points();
  memset(weighed, 0, point_count);
  cut_boxes(colours < 1 ? 1 : colours > 256 ? 256 : colours);
  k_means(rounds);
  if (spread > 0) spread_out((float)spread);
  palette_to_layout();
  return predicted_mse;
}
/* Distinct colours (or bins, where there are very many). */
EXPORT(colour_points) u32 colour_points(void) { return points ? point_count : bins_used; }
