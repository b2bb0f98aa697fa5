#include "histogram.h"

#include <math.h>

#include "tuning.h"

static u32 slot_of(u32 key) { return (key * 0x9E3779B1u ^ key >> 15) & (HISTOGRAM_SLOTS - 1); }
static u32 next_slot(u32 slot) { return (slot + 1) & (HISTOGRAM_SLOTS - 1); }
/* Returns the bin key of a colour: its channels without their low bits. */
static u32 key_of(const Histogram *h, u32 colour) {
  return colour >> h->bin_shift & 0x01010101u * (255 >> h->bin_shift);
}

/* Adds pixels to a bin. Returns true if the bin is new. */
static bool bins_add(Histogram *h, u32 key, u32 count, const u64 *sum) {
  Bin *bins = h->bins;
  u32 i = slot_of(key);
  while (bins[i].count && bins[i].key != key) i = next_slot(i);
  Bin *bin = bins + i;
  const bool is_new = !bin->count;
  if (is_new) {
    bin->key = key;
    h->bins_used++;
  }
  bin->count += count;
  for (int c = 0; c < 4; c++) bin->sum[c] += sum[c];
  return is_new;
}

/* Doubles the width of bins in each channel, so that fewer bins are needed. */
static void bins_coarsen(Histogram *h) {
  Bin *old = h->bins;
  h->bin_shift++;
  h->bins = allocate_zeroed(HISTOGRAM_SLOTS * sizeof(Bin));
  h->bins_used = 0;
  const u32 mask = 0x01010101u * (255 >> h->bin_shift);
  for (u32 i = 0; i < HISTOGRAM_SLOTS; i++)
    if (old[i].count) bins_add(h, old[i].key >> 1 & mask, old[i].count, old[i].sum);
  free(old);
}

void histogram_begin(Histogram *h, u32 width) {
  if (!h->texture.bends && !texture_open(&h->texture, width)) host_fail(FAIL_MEMORY, "no memory for texture");
  texture_break(&h->texture);
  for (int i = 0; i < 256; i++) {
    const int times = SMOOTH_COUNT * SMOOTH_BENDS / (SMOOTH_BENDS + i);
    h->counted[i] = times > 0 ? times : 1;
  }
  free(h->bins), free(h->points), free(h->slot_key), free(h->slot_point), free(h->weighed);
  h->points = NULL, h->slot_key = NULL, h->slot_point = NULL, h->weighed = NULL;
  h->bins = allocate_zeroed(HISTOGRAM_SLOTS * sizeof(Bin));
  h->bins_used = h->point_count = 0;
  h->bin_shift = 0;
}

void histogram_row(Histogram *h, const u32 *px, u32 width, u16 *new_colours, u32 block) {
  texture_row(&h->texture, px, width);
  const u8 *counted = h->counted, *bends = h->texture.bends;
  for (u32 i = 0, end; i < width; i = end) {
    u32 c = px[i], run = 0;
    for (end = i; end < width && px[end] == c; end++) run += counted[bends[end]];
    if (!(c >> 24)) c = 0; /* the colour of fully transparent pixels is invisible */
    const u64 sum[4] = {(u64)(c & 255) * run, (u64)(c >> 8 & 255) * run, (u64)(c >> 16 & 255) * run,
                        (u64)(c >> 24) * run};
    if (bins_add(h, key_of(h, c), run, sum) && new_colours && new_colours[i / block] < 65535) new_colours[i / block]++;
    if (h->bins_used > HISTOGRAM_SLOTS / 2) bins_coarsen(h);
  }
}

void histogram_to_points(Histogram *h) {
  if (h->points) return;
  if (!h->bins) host_fail(FAIL_MISUSE, "no histogram");
  h->point_count = h->bins_used;
  h->points = allocate(h->point_count * sizeof(Point) + 16);
  h->slot_key = allocate_zeroed(HISTOGRAM_SLOTS * sizeof *h->slot_key);
  h->slot_point = allocate_zeroed(HISTOGRAM_SLOTS * sizeof *h->slot_point);
  h->weighed = allocate_zeroed(h->point_count + 1);
  u32 n = 0;
  for (u32 i = 0; i < HISTOGRAM_SLOTS; i++) {
    const Bin *bin = h->bins + i;
    if (!bin->count) continue;
    h->slot_key[i] = bin->key;
    h->slot_point[i] = n + 1;
    Point *p = h->points + n++;
    const float w = bin->count;
    to_coordinates(bin->sum[0] / w, bin->sum[1] / w, bin->sum[2] / w, bin->sum[3] / w, p->at);
    p->weight = p->first_weight = powf(w, WEIGHT_POWER);
  }
  free(h->bins);
  h->bins = NULL;
}

bool weigh_up(Histogram *h, u32 colour) {
  if (!h->slot_key) return false;
  const u32 key = key_of(h, colour);
  u32 i = slot_of(key);
  while (h->slot_point[i] && h->slot_key[i] != key) i = next_slot(i);
  if (!h->slot_point[i]) return false;
  const u32 point = h->slot_point[i] - 1;
  if (h->weighed[point]) return false;
  h->weighed[point] = 1;
  h->points[point].weight *= HEAVIER;
  return true;
}

void weigh_as_at_first(Histogram *h) {
  for (u32 i = 0; i < h->point_count; i++) h->points[i].weight = h->points[i].first_weight;
}

u32 colour_points_of(const Histogram *h) { return h->points ? h->point_count : h->bins_used; }
