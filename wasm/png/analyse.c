#include "analyse.h"

#include "samples.h"

void analyse_begin(Analysis *a) {
  Facts *f = &a->facts;
  memset(f, 0, sizeof *f);
  f->opaque = f->gray = f->bytes_equal = f->opaque16 = f->gray16 = f->key_possible = true;
  f->gray_depths = 7;
  memset(a->slot_index, 0, sizeof a->slot_index);
  a->recent_index = -1;
  const size_t counts = MOST_COLOURS * MOST_COLOURS * sizeof *a->side_by_side;
  if (!a->side_by_side) a->side_by_side = allocate(counts);
  memset(a->side_by_side, 0, counts);
}

/* ---- distinct colours ---- */

static int find_colour(Analysis *a, u32 colour, bool add) {
  Facts *f = &a->facts;
  if (a->recent_index >= 0 && colour == a->recent_colour) return a->recent_index;
  u32 h = colour * 0x9E3779B1u >> 22; /* 2^32 divided by the golden ratio (Knuth, TAOCP 3, 6.4) */
  for (; a->slot_index[h]; h = (h + 1) & (COLOUR_SLOTS - 1))
    if (a->slot_colour[h] == colour) {
      a->recent_colour = colour;
      return a->recent_index = a->slot_index[h] - 1;
    }
  if (!add || f->colours > MOST_COLOURS) return -1;
  if (f->colours == MOST_COLOURS) {
    f->colours = MOST_COLOURS + 1;
    return -1;
  }
  a->slot_colour[h] = colour;
  f->colour[f->colours] = colour;
  f->count[f->colours] = 0;
  a->slot_index[h] = ++f->colours;
  a->recent_colour = colour;
  return a->recent_index = f->colours - 1;
}

int colour_index(Analysis *a, u32 colour) { return find_colour(a, colour, false); }

static void count_colours(Analysis *a, const u32 *px, u32 width) {
  u32 last = ~px[0];
  int before = -1;
  for (u32 i = 0; i < width; i++) {
    if (px[i] == last) continue;
    last = px[i];
    int index = find_colour(a, last, true);
    if (index < 0) return;
    a->facts.count[index]++;
    if (before >= 0) {
      a->side_by_side[before << 8 | index]++;
      a->side_by_side[index << 8 | before]++;
    }
    before = index;
  }
}

/* ---- facts of a row ---- */

static void check_sixteen_bits(Facts *f, const Picture *p, const Rows *rows, const u8 *row) {
  const u32 width = rows->width;
  if (p->has_key) f->bytes_equal = false; /* a 16-bit colour key needs 16-bit samples */
  for (u32 i = 0; f->bytes_equal && i < rows->row_bytes; i += 2) f->bytes_equal = row[i] == row[i + 1];
  const u32 step = p->channels * 2;
  if ((p->colour_type & 2) && f->gray16)
    for (u32 i = 0; i < width; i++) {
      const u8 *at = row + (size_t)i * step;
      if (at[0] != at[2] || at[0] != at[4] || at[1] != at[3] || at[1] != at[5]) {
        f->gray16 = false;
        break;
      }
    }
  if (p->colour_type & 4)
    for (u32 i = 0; f->opaque16 && i < width; i++) {
      const u8 *alpha = row + (size_t)(i + 1) * step - 2;
      f->opaque16 = alpha[0] == 255 && alpha[1] == 255;
    }
}

static void check_key(Facts *f, const u32 *px, u32 width) {
  for (u32 i = 0; i < width; i++) {
    u32 alpha = px[i] >> 24, colour = px[i] & COLOUR_MASK;
    if (alpha == 255) continue;
    if (alpha || (f->key_seen && colour != f->key)) {
      f->key_possible = false;
      return;
    }
    f->key_seen = true;
    f->key = colour;
  }
}

static void note_opaque_colours(Analysis *a, const u32 *px, u32 width) {
  if (!a->opaque_colours) a->opaque_colours = allocate_zeroed(1 << 21);
  u32 last = 0;
  for (u32 i = 0; i < width; i++) {
    u32 colour = px[i];
    if (colour == last || colour >> 24 != 255) continue;
    last = colour;
    colour &= COLOUR_MASK;
    a->opaque_colours[colour >> 3] |= 1 << (colour & 7);
  }
}

bool key_is_free(const Analysis *a) {
  const u32 key = a->facts.key;
  return a->opaque_colours && !(a->opaque_colours[key >> 3] >> (key & 7) & 1);
}

/* Grey levels that fit into one, two or four bits are multiples of 255, 85 and 17. */
static void check_gray_depths(Facts *f, const u32 *px, u32 width) {
  for (u32 i = 0; i < width && f->gray_depths; i++) {
    u32 v = px[i] & 255;
    if (v % 17) f->gray_depths = 0;
    else if (v % 85) f->gray_depths &= 4;
    else if (v && v != 255) f->gray_depths &= 6;
  }
}

/* W3C PNG, 11.2.2: a palette index out of range is an error, and decoders show different colours for it. */
static void check_indices(const Picture *p, const Rows *rows, const u8 *row) {
  const int depth = p->depth;
  if (p->palette_size >= 1 << depth) return;
  for (u32 i = 0; i < rows->width; i++) {
    const u32 at = i * depth;
    if ((row[at >> 3] >> (8 - depth - (at & 7)) & ((1 << depth) - 1)) >= p->palette_size)
      host_fail(FAIL_DAMAGED, "an index that the palette does not have");
  }
}

void analyse_row(Analysis *a, const Picture *p, const Rows *rows, const u8 *row, u32 *px) {
  Facts *f = &a->facts;
  const u32 width = rows->width;
  if (p->depth == 16) {
    check_sixteen_bits(f, p, rows, row);
    if (!f->bytes_equal) return;
  }
  if (p->colour_type == INDEXED) check_indices(p, rows, row);
  to_rgba8(p, row, width, px);
  u32 coloured = 0, alpha = OPAQUE;
  for (u32 i = 0; i < width; i++) {
    coloured |= (px[i] ^ px[i] >> 8) & 0xffff;
    alpha &= px[i];
  }
  if (coloured) f->gray = false;
  if (alpha != OPAQUE) {
    f->opaque = false;
    if (f->key_possible) check_key(f, px, width);
  }
  if (f->key_possible && (p->colour_type >= INDEXED || p->has_key)) note_opaque_colours(a, px, width);
  if (f->gray) check_gray_depths(f, px, width);
  if (f->colours <= MOST_COLOURS) count_colours(a, px, width);
}
