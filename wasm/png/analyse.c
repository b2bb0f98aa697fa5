/* What the picture really needs: grey, opaque, few colours, eight bits. One look at every row. */
#include "engine.h"

#define OPAQUE_MASK 0xff000000u

Facts facts;

static u32 slot_colour[1024];
static u16 slot_index[1024]; /* index + 1 */
static u32 recent_colour;
static int recent_index;
static u32 *side_by_side;  /* 256 x 256 counts */
static u8 *opaque_colours; /* a bit for each RGB colour; only where a colour key may be worth it */

void analyse_begin(void) {
  memset(&facts, 0, sizeof facts);
  facts.opaque = facts.gray = facts.bytes_equal = facts.opaque16 = facts.gray16 = facts.key_possible = true;
  facts.gray_depths = 7;
  memset(slot_index, 0, sizeof slot_index);
  recent_index = -1;
  if (!side_by_side) side_by_side = allocate(256 * 256 * sizeof(u32));
  memset(side_by_side, 0, 256 * 256 * sizeof(u32));
}

static int find_colour(u32 colour, bool add) {
  if (recent_index >= 0 && colour == recent_colour) return recent_index;
  u32 h = colour * 0x9E3779B1u >> 22;
  for (; slot_index[h]; h = (h + 1) & 1023)
    if (slot_colour[h] == colour) {
      recent_colour = colour;
      return recent_index = slot_index[h] - 1;
    }
  if (!add || facts.colours > 256) return -1;
  if (facts.colours == 256) {
    facts.colours = 257;
    return -1;
  }
  slot_colour[h] = colour;
  facts.colour[facts.colours] = colour;
  facts.count[facts.colours] = 0;
  slot_index[h] = ++facts.colours;
  recent_colour = colour;
  return recent_index = facts.colours - 1;
}

int colour_index(u32 colour) { return find_colour(colour, false); }
u32 neighbours(int a, int b) { return side_by_side[a << 8 | b]; }
bool key_is_free(void) { return opaque_colours && !(opaque_colours[facts.key >> 3] >> (facts.key & 7) & 1); }

static void look_at_sixteen_bits(const u8 *row) {
  const u32 width = rows.width;
  if (source.has_key) facts.bytes_equal = false; /* a sixteen-bit key is kept at sixteen bits */
  for (u32 i = 0; facts.bytes_equal && i < rows.row_bytes; i += 2) facts.bytes_equal = row[i] == row[i + 1];
  const u32 step = source.channels * 2;
  if ((source.colour_type & 2) && facts.gray16)
    for (u32 i = 0; i < width; i++) {
      const u8 *p = row + (size_t)i * step;
      if (p[0] != p[2] || p[0] != p[4] || p[1] != p[3] || p[1] != p[5]) {
        facts.gray16 = false;
        break;
      }
    }
  if (source.colour_type & 4)
    for (u32 i = 0; facts.opaque16 && i < width; i++) {
      const u8 *alpha = row + (size_t)(i + 1) * step - 2;
      facts.opaque16 = alpha[0] == 255 && alpha[1] == 255;
    }
}

static void look_for_key(const u32 *px, u32 width) {
  for (u32 i = 0; i < width; i++) {
    u32 alpha = px[i] >> 24, colour = px[i] & 0xffffff;
    if (alpha == 255) continue;
    if (alpha || (facts.key_seen && colour != facts.key)) {
      facts.key_possible = false;
      return;
    }
    facts.key_seen = true;
    facts.key = colour;
  }
}

static void note_opaque_colours(const u32 *px, u32 width) {
  if (!opaque_colours) opaque_colours = zeroed(1 << 21);
  u32 last = 0;
  for (u32 i = 0; i < width; i++) {
    u32 colour = px[i];
    if (colour == last || colour >> 24 != 255) continue;
    last = colour;
    colour &= 0xffffff;
    opaque_colours[colour >> 3] |= 1 << (colour & 7);
  }
}

static void look_at_gray(const u32 *px, u32 width) {
  for (u32 i = 0; i < width && facts.gray_depths; i++) {
    u32 v = px[i] & 255;
    if (v % 17) facts.gray_depths = 0;
    else if (v % 85) facts.gray_depths &= 4;
    else if (v && v != 255) facts.gray_depths &= 6;
  }
}

/* W3C PNG, 11.2.2: an index without an entry is an error, and readers show different things. */
static void look_for_missing_colours(const u8 *row) {
  const int depth = source.depth;
  if (source.palette_size >= 1 << depth) return;
  for (u32 i = 0; i < rows.width; i++) {
    const u32 at = i * depth;
    if ((row[at >> 3] >> (8 - depth - (at & 7)) & ((1 << depth) - 1)) >= source.palette_size)
      host_fail(FAIL_DAMAGED, "an index that the palette does not have");
  }
}

void analyse_row(const u8 *row) {
  const u32 width = rows.width;
  if (source.depth == 16) {
    look_at_sixteen_bits(row);
    if (!facts.bytes_equal) return;
  }
  if (source.colour_type == INDEXED) look_for_missing_colours(row);
  u32 *px = rgba_row;
  to_rgba8(row, width, px);
  u32 coloured = 0, alpha = OPAQUE_MASK;
  for (u32 i = 0; i < width; i++) {
    coloured |= (px[i] ^ px[i] >> 8) & 0xffff;
    alpha &= px[i];
  }
  if (coloured) facts.gray = false;
  if (alpha != OPAQUE_MASK) {
    facts.opaque = false;
    if (facts.key_possible) look_for_key(px, width);
  }
  if (facts.key_possible && (source.colour_type >= INDEXED || source.has_key)) note_opaque_colours(px, width);
  if (facts.gray) look_at_gray(px, width);
  if (facts.colours > 256) return;
  u32 last = ~px[0];
  int before = -1;
  for (u32 i = 0; i < width; i++) {
    if (px[i] == last) continue;
    last = px[i];
    int index = find_colour(last, true);
    if (index < 0) return;
    facts.count[index]++;
    if (before >= 0) {
      side_by_side[before << 8 | index]++;
      side_by_side[index << 8 | before]++;
    }
    before = index;
  }
}
