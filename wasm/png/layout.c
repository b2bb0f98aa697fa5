#include "layout.h"

#include "palette_order.h"
#include "samples.h"

void layout_set(Layout *l, int colour_type, int depth) {
  l->colour_type = colour_type;
  l->depth = depth;
  l->pixel_bits = depth * channels_of_type[colour_type];
  l->filter_bytes = (l->pixel_bits + 7) >> 3;
}

static int bits_for(int colours) { return colours <= 2 ? 1 : colours <= 4 ? 2 : colours <= 16 ? 4 : 8; }

void layout_set_palette(Layout *l, const u32 *colours, int count) {
  memcpy(l->palette, colours, sizeof *colours * count);
  l->palette_size = count;
  l->has_key = l->verbatim = false;
  layout_set(l, INDEXED, bits_for(count));
}

/* ---- choice of the layout ---- */

static int plan_sixteen(Layout *l, const Picture *p, const Facts *f, bool allow_gray) {
  const bool gray = !(p->colour_type & 2) || (f->gray16 && allow_gray);
  const bool alpha = (p->colour_type & 4) && !f->opaque16;
  layout_set(l, p->has_key ? p->colour_type : (gray ? GRAY : RGB) | (alpha ? GRAY_ALPHA : 0), 16);
  if (p->has_key) {
    l->has_key = true;
    memcpy(l->key, p->key, sizeof l->key);
  }
  return l->pixel_bits;
}

static int plan_direct(Layout *l, const Picture *p, const Analysis *a, bool allow_gray) {
  const Facts *f = &a->facts;
  const bool key = !f->opaque && f->key_possible && f->key_seen && key_is_free(a), alpha = !f->opaque && !key;
  if (f->gray && (allow_gray || !(p->colour_type & 2))) {
    /* Some decoders ignore transparency in grey pictures with less than eight bits. */
    const int depth = alpha || key ? 8 : f->gray_depths & 1 ? 1 : f->gray_depths & 2 ? 2 : f->gray_depths & 4 ? 4 : 8;
    layout_set(l, alpha ? GRAY_ALPHA : GRAY, depth);
  } else {
    layout_set(l, alpha ? RGB_ALPHA : RGB, 8);
  }
  if (key) {
    l->has_key = true;
    const u32 scale = l->depth < 8 ? 255 / ((1u << l->depth) - 1) : 1;
    for (int c = 0; c < 3; c++) l->key[c] = (f->key >> (8 * c) & 255) / scale;
  }
  return l->pixel_bits;
}

static int plan_palette(Layout *l, const Analysis *a, int order, bool wide) {
  const int n = a->facts.colours;
  u8 indices[MOST_COLOURS];
  if (n > MOST_COLOURS) return 0;
  order_analysed(a, order, indices);
  for (int i = 0; i < n; i++) {
    l->index_of[indices[i]] = i;
    l->palette[i] = a->facts.colour[indices[i]];
  }
  l->palette_size = n;
  layout_set(l, INDEXED, wide ? 8 : bits_for(n));
  return l->pixel_bits;
}

static void forget_plan(Layout *l) {
  l->has_key = l->verbatim = false;
  l->palette_size = 0;
}

int layout_plan(Layout *l, const Picture *p, const Analysis *a, int palette, int order, bool allow_gray) {
  forget_plan(l);
  if (p->depth == 16 && !a->facts.bytes_equal) return palette ? 0 : plan_sixteen(l, p, &a->facts, allow_gray);
  return palette ? plan_palette(l, a, order, palette == 2) : plan_direct(l, p, a, allow_gray);
}

void layout_plan_near(Layout *l, const Analysis *a, bool allow_gray) {
  forget_plan(l);
  layout_set(l, (a->facts.gray && allow_gray ? GRAY : RGB) | (a->facts.opaque ? 0 : GRAY_ALPHA), 8);
}

int layout_plan_verbatim(Layout *l, const Picture *p) {
  layout_set(l, p->colour_type, p->depth);
  l->verbatim = true;
  l->has_key = p->has_key;
  memcpy(l->key, p->key, sizeof l->key);
  l->palette_size = p->palette_size;
  memcpy(l->palette, p->palette, sizeof l->palette);
  return l->pixel_bits;
}

/* ---- packing rows in the layout ---- */

void pack_indices(const Layout *l, const u8 *indices, u32 width, u8 *out) {
  const int depth = l->depth;
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

static void pack_sixteen(const Layout *l, const Picture *p, const u8 *row, u32 width, u8 *d) {
  const u32 step = p->channels * 2, samples = l->colour_type & 2 ? 3 : 1, to_alpha = l->colour_type & 4;
  if (l->colour_type == p->colour_type) {
    memcpy(d, row, (size_t)width * step);
    return;
  }
  for (u32 i = 0; i < width; i++) {
    const u8 *from = row + (size_t)i * step;
    memcpy(d, from, samples * 2);
    d += samples * 2;
    if (to_alpha) {
      memcpy(d, from + step - 2, 2);
      d += 2;
    }
  }
}

bool pack_direct(const Layout *l, const u32 *px, u32 width, u8 *d) {
  u32 i;
  switch (l->colour_type) {
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

static void indices_of_colours(const Layout *l, Analysis *a, const u32 *px, u32 width, u8 *indices) {
  u32 last = ~px[0];
  u8 value = 0;
  for (u32 i = 0; i < width; i++) {
    if (px[i] != last) {
      last = px[i];
      const int index = colour_index(a, last);
      if (index < 0) host_fail(FAIL_MISUSE, "a colour that the analysis did not see");
      value = l->index_of[index];
    }
    indices[i] = value;
  }
}

void pack_row(Layout *l, const Picture *p, Analysis *a, const u8 *row, u32 width, u8 *d, u32 *px) {
  if (l->verbatim) {
    memcpy(d, row, row_bytes_of(width, l->pixel_bits));
    return;
  }
  if (l->depth == 16) {
    pack_sixteen(l, p, row, width, d);
    return;
  }
  to_rgba8(p, row, width, px);
  if (pack_direct(l, px, width, d)) return;
  if (!l->index_row) l->index_row = allocate(p->width);
  u8 *indices = l->index_row;
  if (l->colour_type == INDEXED) {
    indices_of_colours(l, a, px, width, indices);
  } else {
    const u32 scale = l->depth == 8 ? 1 : 255 / ((1u << l->depth) - 1);
    for (u32 i = 0; i < width; i++) indices[i] = (px[i] & 255) / scale;
  }
  pack_indices(l, indices, width, d);
}
