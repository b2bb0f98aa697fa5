#include "quantise.h"

#include <math.h>

#include "tuning.h"

void quantise_begin(Quantiser *q) {
  free(q->point_order);
  q->point_order = NULL;
  quantise_forget(q);
}

/* ---- variance cuts ---- */

#define CUT_SLOTS 256 /* slots along an axis at whose borders a box may be cut */

typedef struct {
  const Point *points;
  u32 *order; /* point indices; points of one box are contiguous */
} Cloud;

typedef struct {
  u32 from, count;
  int axis; /* axis with the largest variance */
  double variance, weight, mean[COORDINATES];
} Box;

static void box_statistics(Cloud cloud, Box *box) {
  double weight = 0, sum[COORDINATES] = {0}, squares[COORDINATES] = {0}, widest = -1;
  for (u32 i = box->from; i < box->from + box->count; i++) {
    const Point *p = cloud.points + cloud.order[i];
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

/* Divides the range of a box along an axis into CUT_SLOTS equal slots. */
typedef struct {
  int axis;
  float low, scale;
} Ruler;

static int slot_of(Ruler ruler, const Point *p) { return (int)((p->at[ruler.axis] - ruler.low) * ruler.scale); }

/* Returns the slot after which a cut removes the most variance. */
static int best_cut(Cloud cloud, const Box *box, Ruler ruler) {
  double weight[CUT_SLOTS] = {0}, sum[CUT_SLOTS] = {0};
  for (u32 i = box->from; i < box->from + box->count; i++) {
    const Point *p = cloud.points + cloud.order[i];
    const int slot = slot_of(ruler, p);
    weight[slot] += p->weight;
    sum[slot] += (double)p->weight * p->at[ruler.axis];
  }
  const double all = box->weight, total = box->mean[ruler.axis] * all;
  double w = 0, s = 0, best = -1;
  int cut = 0;
  for (int slot = 0; slot < CUT_SLOTS - 1; slot++) {
    w += weight[slot];
    s += sum[slot];
    if (w <= 0 || all - w <= 1e-9) continue;
    double gain = s * s / w + (total - s) * (total - s) / (all - w);
    if (best < 0 || gain > best) {
      best = gain;
      cut = slot;
    }
  }
  return cut;
}

/* Cuts `box` in two along its axis. Returns false if all its points have the same coordinate there. */
static bool box_cut(Cloud cloud, Box *box, Box *other) {
  const int axis = box->axis;
  const u32 end = box->from + box->count;
  float low = 1e30f, high = -1e30f;
  for (u32 i = box->from; i < end; i++) {
    const float v = cloud.points[cloud.order[i]].at[axis];
    if (v < low) low = v;
    if (v > high) high = v;
  }
  if (high <= low) return false;
  const Ruler ruler = {axis, low, 255.99f / (high - low)};
  const int cut = best_cut(cloud, box, ruler);
  u32 i = box->from, j = end;
  while (i < j) {
    if (slot_of(ruler, cloud.points + cloud.order[i]) <= cut) {
      i++;
    } else {
      u32 t = cloud.order[--j];
      cloud.order[j] = cloud.order[i];
      cloud.order[i] = t;
    }
  }
  if (i == box->from || i == end) return false;
  *other = (Box){.from = i, .count = end - i};
  box->count = i - box->from;
  box_statistics(cloud, box);
  box_statistics(cloud, other);
  return true;
}

static void all_cuts(Quantiser *q, const Histogram *h) {
  Box boxes[PALETTE_MOST];
  const Cloud cloud = {h->points, q->point_order};
  int used = 1;
  for (u32 i = 0; i < h->point_count; i++) q->point_order[i] = i;
  boxes[0] = (Box){.from = 0, .count = h->point_count};
  box_statistics(cloud, &boxes[0]);
  for (int c = 0; c < COORDINATES; c++) q->mean_of_all[c] = (float)boxes[0].mean[c];
  while (used < PALETTE_MOST) {
    int widest = 0;
    for (int i = 1; i < used; i++)
      if (boxes[i].variance > boxes[widest].variance) widest = i;
    if (boxes[widest].variance <= 0) break;
    if (!box_cut(cloud, &boxes[widest], &boxes[used])) {
      boxes[widest].variance = 0;
      continue;
    }
    Cut *cut = &q->cuts[used - 1];
    cut->box = widest;
    for (int c = 0; c < COORDINATES; c++) {
      cut->mean[0][c] = (float)boxes[widest].mean[c];
      cut->mean[1][c] = (float)boxes[used].mean[c];
    }
    used++;
  }
  q->cuts_made = used - 1;
}

/* Sets the palette to the means of `wanted` boxes, or of all boxes if there are fewer. */
static void cut_boxes(Quantiser *q, const Histogram *h, Palette *p, int wanted) {
  if (q->cuts_made < 0) all_cuts(q, h);
  p->used = wanted <= q->cuts_made ? wanted : q->cuts_made + 1;
  for (int c = 0; c < COORDINATES; c++) {
    p->at[c][0] = q->mean_of_all[c];
    for (int i = 1; i < p->used; i++) {
      const Cut *cut = &q->cuts[i - 1];
      p->at[c][cut->box] = cut->mean[0][c];
      p->at[c][i] = cut->mean[1][c];
    }
  }
}

/* ---- k-means ---- */

/* Sums of the points that each palette entry is nearest to. */
typedef struct {
  double weight[PALETTE_MOST], sum[PALETTE_MOST][COORDINATES];
  double error;
  u32 worst_point; /* histogram point with the largest weighted error */
} Assignment;

static void assign_points(const Histogram *h, const Palette *p, Assignment *a) {
  memset(a, 0, sizeof *a);
  double error = 0;
  float worst = 0;
  for (u32 i = 0; i < h->point_count; i++) {
    const Point *point = h->points + i;
    float d;
    const int nearest = nearest_colour(p, point->at, &d);
    const float cost = d * point->weight;
    error += cost;
    if (cost > worst) {
      worst = cost;
      a->worst_point = i;
    }
    a->weight[nearest] += point->weight;
    for (int c = 0; c < COORDINATES; c++) a->sum[nearest][c] += (double)point->weight * point->at[c];
  }
  a->error = error;
}

/* Moves each entry to the mean of its points. One entry without points moves to the point with the largest error. */
static void move_entries(const Histogram *h, Palette *p, const Assignment *a) {
  bool reseeded = false;
  for (int i = 0; i < p->used; i++) {
    if (a->weight[i] > 0) {
      for (int c = 0; c < COORDINATES; c++) p->at[c][i] = (float)(a->sum[i][c] / a->weight[i]);
    } else if (!reseeded) {
      reseeded = true;
      for (int c = 0; c < COORDINATES; c++) p->at[c][i] = h->points[a->worst_point].at[c];
    }
  }
}

static void k_means(Quantiser *q, const Histogram *h, Palette *p, int rounds) {
  Assignment a;
  double last = 1e300, weight_total = 0;
  for (u32 i = 0; i < h->point_count; i++) weight_total += h->points[i].weight;
  for (int round = 0;; round++) {
    palette_sort(p);
    assign_points(h, p, &a);
    q->predicted_mse = a.error / weight_total;
    if (round >= rounds || (round > K_MEANS_ROUNDS && a.error > last * K_MEANS_LEFT)) return;
    last = a.error;
    move_entries(h, p, &a);
  }
}

/* ---- moving border entries outwards ---- */

/* Direction in which an entry moves, and the distance to its outermost colours. The direction has length 1 if all
 * neighbouring entries are on the other side. */
typedef struct {
  float direction[COORDINATES], reach;
} Outwards;

static Outwards outwards_of(const Palette *p, int i) {
  float nearest[SPREAD_NEIGHBOURS], mean[COORDINATES] = {0}, distances = 0, length = 0;
  int beside[SPREAD_NEIGHBOURS], count = 0;
  for (int j = 0; j < p->used; j++) {
    float d = 0;
    for (int c = 0; c < COORDINATES; c++) d += (p->at[c][j] - p->at[c][i]) * (p->at[c][j] - p->at[c][i]);
    if (j == i || (count == SPREAD_NEIGHBOURS && d >= nearest[SPREAD_NEIGHBOURS - 1])) continue;
    int at = count < SPREAD_NEIGHBOURS ? count++ : SPREAD_NEIGHBOURS - 1;
    for (; at > 0 && nearest[at - 1] > d; at--) nearest[at] = nearest[at - 1], beside[at] = beside[at - 1];
    nearest[at] = d, beside[at] = j;
  }
  for (int k = 0; k < count; k++) {
    distances += sqrtf(nearest[k]);
    for (int c = 0; c < COORDINATES; c++) mean[c] += p->at[c][beside[k]] - p->at[c][i];
  }
  for (int c = 0; c < COORDINATES; c++) length += mean[c] * mean[c];
  length = sqrtf(length);
  Outwards out = {.reach = 0};
  for (int c = 0; c < COORDINATES; c++) out.direction[c] = length > 0 && distances > 0 ? -mean[c] / length : 0;
  for (int c = 0; c < COORDINATES; c++) out.direction[c] *= distances > 0 ? sqrtf(length / distances) : 0;
  return out;
}

/* Means lie inside their clusters, so that no mixture of them is as dark, bright or red as the outermost colours.
 * Therefore entries at the border of the palette move towards their outermost colours. `share`: how far; higher values
 * make dithering noisier. */
static void spread_out(const Histogram *h, Palette *p, float share) {
  Outwards out[PALETTE_MOST];
  for (int i = 0; i < p->used; i++) out[i] = outwards_of(p, i);
  for (u32 i = 0; i < h->point_count; i++) {
    const Point *point = h->points + i;
    float d, along = 0;
    const int nearest = nearest_colour(p, point->at, &d);
    for (int c = 0; c < COORDINATES; c++) along += (point->at[c] - p->at[c][nearest]) * out[nearest].direction[c];
    if (along > out[nearest].reach) out[nearest].reach = along;
  }
  for (int i = 0; i < p->used; i++)
    for (int c = 0; c < COORDINATES; c++) p->at[c][i] += out[i].direction[c] * (share * out[i].reach);
}

void quantise_points(Quantiser *q, Histogram *h, Palette *p, int colours, int rounds, float spread) {
  histogram_to_points(h);
  if (!q->point_order) q->point_order = allocate(h->point_count * sizeof(u32) + 16);
  memset(h->weighed, 0, h->point_count);
  cut_boxes(q, h, p, colours < 1 ? 1 : colours > PALETTE_MOST ? PALETTE_MOST : colours);
  k_means(q, h, p, rounds);
  if (spread > 0) spread_out(h, p, spread);
}
