/* Rows in common forms: eight bits RGBA and sixteen bits RGBA. */
#include "engine.h"

u32 *rgba_row;

#define OPAQUE 0xff000000u

static inline u32 grey(u32 v) { return v * 0x010101u; }
/* Sixteen bits to eight, rounded: 65535 / 257 = 255. */
static inline u32 high(const u8 *p) { return ((u32)(p[0] << 8 | p[1]) * 255 + 32895) >> 16; }
static inline u16 big(const u8 *p) { return (u16)(p[0] << 8 | p[1]); }

/* One, two and four bit samples, the leftmost in the high bits (W3C PNG, 7.2). */
static inline u32 packed(const u8 *row, u32 i, int depth) {
  u32 at = i * depth;
  return row[at >> 3] >> (8 - depth - (at & 7)) & ((1u << depth) - 1);
}

/* tRNS of grey and RGB: one colour is transparent (W3C PNG, 11.3.1.1). Sixteen-bit keys are compared at sixteen bits. */
static void apply_key(const u8 *row, u32 width, u32 *out) {
  const bool rgb = source.colour_type == RGB;
  if (source.depth == 16) {
    const u32 step = rgb ? 6 : 2;
    for (u32 i = 0; i < width; i++) {
      const u8 *p = row + i * step;
      if (big(p) == source.key[0] && (!rgb || (big(p + 2) == source.key[1] && big(p + 4) == source.key[2]))) out[i] &= ~OPAQUE;
    }
    return;
  }
  const u32 scale = 255 / ((1u << source.depth) - 1);
  u32 key = rgb ? (source.key[0] & 255) | (source.key[1] & 255) << 8 | (source.key[2] & 255) << 16
                : grey((source.key[0] & ((1u << source.depth) - 1)) * scale);
  for (u32 i = 0; i < width; i++)
    if (out[i] == (key | OPAQUE)) out[i] = key;
}

void to_rgba8(const u8 *r, u32 width, u32 *out) {
  u32 i;
  switch (source.colour_type << 5 | source.depth) {
    case GRAY << 5 | 8:
      for (i = 0; i < width; i++) out[i] = grey(r[i]) | OPAQUE;
      break;
    case GRAY << 5 | 16:
      for (i = 0; i < width; i++) out[i] = grey(high(r + 2 * i)) | OPAQUE;
      break;
    case RGB << 5 | 8:
      for (i = 0; i < width; i++) out[i] = r[3 * i] | r[3 * i + 1] << 8 | r[3 * i + 2] << 16 | OPAQUE;
      break;
    case RGB << 5 | 16:
      for (i = 0; i < width; i++) out[i] = high(r + 6 * i) | high(r + 6 * i + 2) << 8 | high(r + 6 * i + 4) << 16 | OPAQUE;
      break;
    case INDEXED << 5 | 8:
      for (i = 0; i < width; i++) out[i] = source.palette[r[i]];
      break;
    case GRAY_ALPHA << 5 | 8:
      for (i = 0; i < width; i++) out[i] = grey(r[2 * i]) | (u32)r[2 * i + 1] << 24;
      break;
    case GRAY_ALPHA << 5 | 16:
      for (i = 0; i < width; i++) out[i] = grey(high(r + 4 * i)) | high(r + 4 * i + 2) << 24;
      break;
    case RGB_ALPHA << 5 | 8: memcpy(out, r, (size_t)width * 4); break;
    case RGB_ALPHA << 5 | 16:
      for (i = 0; i < width; i++)
        out[i] = high(r + 8 * i) | high(r + 8 * i + 2) << 8 | high(r + 8 * i + 4) << 16 | high(r + 8 * i + 6) << 24;
      break;
    default: { /* grey or indexed below eight bits */
      const u32 scale = 255 / ((1u << source.depth) - 1);
      for (i = 0; i < width; i++) {
        u32 v = packed(r, i, source.depth);
        out[i] = source.colour_type == INDEXED ? source.palette[v] : grey(v * scale) | OPAQUE;
      }
    }
  }
  if (source.has_key) apply_key(r, width, out);
}

void to_rgba16(const u8 *r, u32 width, u16 *out) {
  if (source.depth < 16) {
    to_rgba8(r, width, rgba_row);
    const u8 *p = (const u8 *)rgba_row;
    for (u32 i = 0; i < width * 4; i++) out[i] = p[i] * 257;
    return;
  }
  const bool rgb = source.colour_type & 2, alpha = source.colour_type & 4;
  const u32 samples = source.channels;
  for (u32 i = 0; i < width; i++, out += 4) {
    const u8 *p = r + (size_t)i * samples * 2;
    out[0] = big(p);
    out[1] = rgb ? big(p + 2) : out[0];
    out[2] = rgb ? big(p + 4) : out[0];
    out[3] = alpha ? big(p + 2 * (samples - 1)) : 65535;
    if (source.has_key && out[0] == source.key[0] && (!rgb || (out[1] == source.key[1] && out[2] == source.key[2]))) out[3] = 0;
  }
}
