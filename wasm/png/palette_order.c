#include "palette_order.h"

static i32 luma_of(u32 c) { return (i32)((c & 255) * 299 + (c >> 8 & 255) * 587 + (c >> 16 & 255) * 114); }

typedef struct {
  int order;
  const u32 *colours;
  const u64 *counts; /* pixel counts, for order BY_USE */
} Sorting;

/* True if palette index `a` precedes `b`. Translucent colours come first, so that the tRNS chunk is short (W3C PNG
 * 11.3.1.1). Fully transparent colours precede them: they are mostly the background, and index 0 continues runs across
 * the filter byte of each row. Other colours follow the palette order. */
static bool precedes(const Sorting *s, int a, int b) {
  const u32 p = s->colours[a], q = s->colours[b];
  const bool solid_a = p >> 24 == 255, solid_b = q >> 24 == 255;
  if (solid_a != solid_b) return solid_b;
  const bool clear_a = p >> 24 == 0, clear_b = q >> 24 == 0;
  if (s->order == BY_LUMA && clear_a != clear_b) return clear_a;
  if (s->order == BY_USE && s->counts[a] != s->counts[b]) return s->counts[a] > s->counts[b];
  if (s->order == BY_LUMA && luma_of(p) != luma_of(q)) return luma_of(p) < luma_of(q);
  return a < b;
}

static void sort_indices(u8 *indices, int count, const Sorting *s) {
  for (int i = 0; i < count; i++) {
    int at = i;
    for (; at > 0 && precedes(s, i, indices[at - 1]); at--) indices[at] = indices[at - 1];
    indices[at] = i;
  }
}

void palette_by_luma(u32 *colours, int count) {
  u8 indices[MOST_COLOURS];
  u32 sorted[MOST_COLOURS];
  sort_indices(indices, count, &(Sorting){.order = BY_LUMA, .colours = colours});
  for (int i = 0; i < count; i++) sorted[i] = colours[indices[i]];
  memcpy(colours, sorted, count * sizeof *colours);
}

static void heaviest_pair(const Analysis *a, int *first, int *second) {
  const int n = a->facts.colours;
  u32 heaviest = 0;
  *first = 0, *second = 1;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (neighbours(a, i, j) > heaviest) {
        heaviest = neighbours(a, i, j);
        *first = i, *second = j;
      }
}

/* Gives frequently neighbouring colours neighbouring indices (Zeng, Li and Lei, "An efficient color re-indexing scheme
 * for palette-based compression", ICIP 2000). A chain starts with the most frequent pair. It grows by the colour with
 * the most neighbours in the chain. */
static void chain_neighbours(const Analysis *a, u8 *indices) {
  const int n = a->facts.colours;
  if (n < 3) return;
  bool used[MOST_COLOURS] = {false};
  u8 chain[2 * MOST_COLOURS + 2];
  int low = MOST_COLOURS, high = low + 1, first, second;
  double ties[MOST_COLOURS];
  heaviest_pair(a, &first, &second);
  chain[low] = first;
  chain[high] = second;
  used[first] = used[second] = true;
  for (int i = 0; i < n; i++) ties[i] = (double)neighbours(a, i, first) + neighbours(a, i, second);
  for (int k = 2; k < n; k++) {
    int next = -1;
    for (int i = 0; i < n; i++)
      if (!used[i] && (next < 0 || ties[i] > ties[next])) next = i;
    used[next] = true;
    double lean = 0; /* above zero: the colour has more neighbours near the low end of the chain */
    for (int j = low; j <= high; j++) lean += (double)neighbours(a, next, chain[j]) * ((high - j) - (j - low));
    if (lean > 0) chain[--low] = next;
    else chain[++high] = next;
    for (int i = 0; i < n; i++) ties[i] += neighbours(a, i, next);
  }
  for (int i = 0; i < n; i++) indices[i] = chain[low + i];
}

void order_analysed(const Analysis *a, int order, u8 *indices) {
  const Sorting s = {.order = order, .colours = a->facts.colour, .counts = a->facts.count};
  sort_indices(indices, a->facts.colours, &s);
  if (order == BY_NEIGHBOURS) chain_neighbours(a, indices);
}
