/* The form of the result: colour type, depth, palette and its order; source rows packed into it. */
#include "engine.h"

Layout layout;

static u8 index_of[256]; /* facts.colour index to palette index */
static u8 *index_row;

static const u8 channels_of[7] = {1, 0, 3, 1, 2, 0, 4};

void layout_set(int colour_type, int depth) {
  layout.colour_type = colour_type;
  layout.depth = depth;
  layout.pixel_bits = depth * channels_of[colour_type];
  layout.filter_bytes = (layout.pixel_bits + 7) >> 3;
}

static int bits_for(int colours) { return colours <= 2 ? 1 : colours <= 4 ? 2 : colours <= 16 ? 4 : 8; }

/* ---- palette orders ---- */

enum { BY_LUMA, BY_USE, BY_ARRIVAL, BY_NEIGHBOURS };
static int order;
static const u32 *sorted_colours;

static i32 luma_of(u32 c) { return (i32)((c & 255) * 299 + (c >> 8 & 255) * 587 + (c >> 16 & 255) * 114); }

/* Translucent colours first (tRNS may then be short, W3C PNG 11.3.1.1), of those clear ones, mostly the ground: index 0 goes on
 * through the filter byte of each row. Then by the wanted order. */
static int compare(const void *x, const void *y) {
  int a = *(const u8 *)x, b = *(const u8 *)y;
  u32 p = sorted_colours[a], q = sorted_colours[b];
  bool solid_a = p >> 24 == 255, solid_b = q >> 24 == 255;
  if (solid_a != solid_b) return solid_a - solid_b;
  bool clear_a = p >> 24 == 0, clear_b = q >> 24 == 0;
  if (order == BY_LUMA && clear_a != clear_b) return clear_b - clear_a;
  if (order == BY_USE && facts.count[a] != facts.count[b]) return facts.count[a] < facts.count[b] ? 1 : -1;
  if (order == BY_LUMA && luma_of(p) != luma_of(q)) return luma_of(p) < luma_of(q) ? -1 : 1;
  return a - b;
}

static void sort_indices(u8 *indices, int count, const u32 *colours, int wanted) {
  order = wanted;
  sorted_colours = colours;
  qsort(indices, count, 1, compare);
}

void palette_by_luma(u32 *colours, int count) {
  u8 indices[256];
  u32 sorted[256];
  for (int i = 0; i < count; i++) indices[i] = i;
  sort_indices(indices, count, colours, BY_LUMA);
  for (int i = 0; i < count; i++) sorted[i] = colours[indices[i]];
  memcpy(colours, sorted, count * sizeof *colours);
}

/* Colours that often stand side by side get indices side by side (Zeng, Li and Lei, "An efficient color re-indexing scheme
 * for palette-based compression", ICIP 2000): a chain grows from its heaviest pair, always by the colour most tied to it. */
static void chain_neighbours(u8 *indices) {
  const int n = facts.colours;
  if (n < 3) return;
  bool used[256] = {false};
  u8 chain[514];
  int low = 256, high = 257, first = 0, second = 1;
  u32 heaviest = 0;
  double ties[256];
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (neighbours(i, j) > heaviest) {
        heaviest = neighbours(i, j);
        first = i;
        second = j;
      }
  chain[low] = first;
  chain[high] = second;
  used[first] = used[second] = true;
  for (int i = 0; i < n; i++) ties[i] = (double)neighbours(i, first) + neighbours(i, second);
  for (int k = 2; k < n; k++) {
    int next = -1;
    for (int i = 0; i < n; i++)
      if (!used[i] && (next < 0 || ties[i] > ties[next])) next = i;
    used[next] = true;
    double lean = 0; /* above zero: tied more to the low end */
    for (int j = low; j <= high; j++) lean += (double)neighbours(next, chain[j]) * ((high - j) - (j - low));
    if (lean > 0) chain[--low] = next;
    else chain[++high] = next;
    for (int i = 0; i < n; i++) ties[i] += neighbours(i, next);
  }
  for (int i = 0; i < n; i++) indices[i] = chain[low + i];
}

/* ---- choosing ---- */

static int plan_sixteen(bool allow_gray) {
  bool gray = !(source.colour_type & 2) || (facts.gray16 && allow_gray), alpha = (source.colour_type & 4) && !facts.opaque16;
  layout_set(source.has_key ? source.colour_type : (gray ? 0 : 2) | (alpha ? 4 : 0), 16);
  if (source.has_key) {
    layout.has_key = true;
    memcpy(layout.key, source.key, sizeof layout.key);
  }
  return layout.pixel_bits;
}

static int plan_direct(bool allow_gray) {
  bool key = !facts.opaque && facts.key_possible && facts.key_seen && key_is_free(), alpha = !facts.opaque && !key;
  if (facts.gray && (allow_gray || !(source.colour_type & 2))) {
    // Some readers do not see a transparent grey of less than eight bits.
    int depth = alpha || key ? 8 : facts.gray_depths & 1 ? 1 : facts.gray_depths & 2 ? 2 : facts.gray_depths & 4 ? 4 : 8;
    layout_set(alpha ? GRAY_ALPHA : GRAY, depth);
  } else {
    layout_set(alpha ? RGB_ALPHA : RGB, 8);
  }
  if (key) {
    layout.has_key = true;
    u32 scale = layout.depth < 8 ? 255 / ((1u << layout.depth) - 1) : 1;
    for (int c = 0; c < 3; c++) layout.key[c] = (facts.key >> (8 * c) & 255) / scale;
  }
  return layout.pixel_bits;
}

static int plan_palette(int wanted, bool wide) {
  const int n = facts.colours;
  u8 indices[256];
  if (n > 256) return 0;
  for (int i = 0; i < n; i++) indices[i] = i;
  sort_indices(indices, n, facts.colour, wanted);
  if (wanted == BY_NEIGHBOURS) chain_neighbours(indices);
  for (int i = 0; i < n; i++) {
    index_of[indices[i]] = i;
    layout.palette[i] = facts.colour[indices[i]];
  }
  layout.palette_size = n;
  layout_set(INDEXED, wide ? 8 : bits_for(n));
  return layout.pixel_bits;
}

/* After the analysis: samples as they are (or fewer), or a palette in one of four orders. Bits per pixel; 0: not possible.
 * `palette` 2: with a byte for each index, however few there are. Colour becomes grey only where `allow_gray`: an RGB profile does not
 * fit a grey picture. */
EXPORT(plan) int plan(int palette, int palette_order, bool allow_gray) {
  layout.has_key = layout.verbatim = false;
  layout.palette_size = 0;
  if (source.depth == 16 && !facts.bytes_equal) return palette ? 0 : plan_sixteen(allow_gray);
  return palette ? plan_palette(palette_order, palette == 2) : plan_direct(allow_gray);
}

/* For rows near to the source's: eight bits a sample, and alpha where not all is opaque. */
EXPORT(plan_near) void plan_near(bool allow_gray) {
  layout.has_key = layout.verbatim = false;
  layout.palette_size = 0;
  layout_set((facts.gray && allow_gray ? GRAY : RGB) | (facts.opaque ? 0 : GRAY_ALPHA), 8);
}

/* The form of the source itself. */
EXPORT(plan_verbatim) int plan_verbatim(void) {
  layout_set(source.colour_type, source.depth);
  layout.verbatim = true;
  layout.has_key = source.has_key;
  memcpy(layout.key, source.key, sizeof layout.key);
  layout.palette_size = source.palette_size;
  memcpy(layout.palette, source.palette, sizeof layout.palette);
  return layout.pixel_bits;
}

/* ---- packing ---- */

void pack_indices(const u8 *indices, u32 width, u8 *out) {
  const int depth = layout.depth;
  if (depth == 8) {
    memcpy(out, indices, width);
    return;
  }
  const u32 per_byte = 8 / depth;
  for (u32 i = 0; i < width; i += per_byte) {
    u32 byte = 0;
    for (u32 k = 0; k < per_byte; k++) byte = byte << depth | (i + k < width ? indices[i + k] : 0);
    *out++ = byte;
  }
}

static void pack_sixteen(const u8 *row, u32 width, u8 *d) {
  const u32 step = source.channels * 2, to_rgb = layout.colour_type & 2, to_alpha = layout.colour_type & 4;
  if (layout.colour_type == source.colour_type) {
    memcpy(d, row, (size_t)width * step);
    return;
  }
  for (u32 i = 0; i < width; i++) {
    const u8 *p = row + (size_t)i * step;
    const u32 samples = to_rgb ? 3 : 1;
    memcpy(d, p, samples * 2);
    d += samples * 2;
    if (to_alpha) {
      memcpy(d, p + step - 2, 2);
      d += 2;
    }
  }
}

/* Eight-bit RGB, RGBA or grey with alpha; false for other layouts. */
bool pack_direct(const u32 *px, u32 width, u8 *d) {
  u32 i;
  switch (layout.colour_type) {
    case RGB:
      for (i = 0; i < width; i++) {
        d[3 * i] = px[i];
        d[3 * i + 1] = px[i] >> 8;
        d[3 * i + 2] = px[i] >> 16;
      }
      return true;
    case GRAY_ALPHA:
      for (i = 0; i < width; i++) {
        d[2 * i] = px[i];
        d[2 * i + 1] = px[i] >> 24;
      }
      return true;
    case RGB_ALPHA: memcpy(d, px, (size_t)width * 4); return true;
    default: return false;
  }
}

void pack_row(const u8 *row, u32 width, u8 *d) {
  if (layout.verbatim) {
    memcpy(d, row, row_bytes_of(width, layout.pixel_bits));
    return;
  }
  if (layout.depth == 16) {
    pack_sixteen(row, width, d);
    return;
  }
  u32 *px = rgba_row, i;
  to_rgba8(row, width, px);
  if (pack_direct(px, width, d)) return;
  if (!index_row) index_row = allocate(source.width);
  if (layout.colour_type == INDEXED) {
    u32 last = ~px[0];
    u8 value = 0;
    for (i = 0; i < width; i++) {
      if (px[i] != last) {
        last = px[i];
        int index = colour_index(last);
        if (index < 0) host_fail(FAIL_MISUSE, "a colour that the analysis did not see");
        value = index_of[index];
      }
      index_row[i] = value;
    }
  } else {
    const u32 scale = layout.depth == 8 ? 1 : 255 / ((1u << layout.depth) - 1);
    for (i = 0; i < width; i++) index_row[i] = (px[i] & 255) / scale;
  }
  pack_indices(index_row, width, d);
}
