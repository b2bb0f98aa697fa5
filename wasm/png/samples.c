#include "samples.h"

static inline u32 grey(u32 v) { return v * 0x010101u; }
/* Rounds a 16-bit sample to eight bits: 65535 / 257 = 255. */
static inline u32 high(const u8 *p) { return ((u32)(p[0] << 8 | p[1]) * 255 + 32895) >> 16; }
static inline u16 big(const u8 *p) { return (u16)(p[0] << 8 | p[1]); }

/* Returns a sample of one, two or four bits; the leftmost sample is in the high bits (W3C PNG, 7.2). */
static inline u32 packed(const u8 *row, u32 i, int depth) {
  u32 at = i * depth;
  return row[at >> 3] >> (8 - depth - (at & 7)) & ((1u << depth) - 1);
}

/* Applies the colour key of grey and RGB pictures (tRNS, W3C PNG, 11.3.1.1): one colour is transparent. 16-bit keys are
 * compared with 16-bit samples. */
static void apply_key(const Picture *p, const u8 *row, u32 width, u32 *out) {
  const bool rgb = p->colour_type == RGB;
  if (p->depth == 16) {
    const u32 step = rgb ? 6 : 2;
    for (u32 i = 0; i < width; i++) {
      const u8 *at = row + i * step;
      if (big(at) == p->key[0] && (!rgb || (big(at + 2) == p->key[1] && big(at + 4) == p->key[2]))) out[i] &= ~OPAQUE;
    }
    return;
  }
  const u32 scale = 255 / ((1u << p->depth) - 1);
  u32 key = rgb ? (p->key[0] & 255) | (p->key[1] & 255) << 8 | (p->key[2] & 255) << 16
                : grey((p->key[0] & ((1u << p->depth) - 1)) * scale);
  for (u32 i = 0; i < width; i++)
    if (out[i] == (key | OPAQUE)) out[i] = key;
}

void to_rgba8(const Picture *p, const u8 *r, u32 width, u32 *out) {
  u32 i;
  switch (p->colour_type << 5 | p->depth) {
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
      for (i = 0; i < width; i++)
        out[i] = high(r + 6 * i) | high(r + 6 * i + 2) << 8 | high(r + 6 * i + 4) << 16 | OPAQUE;
      break;
    case INDEXED << 5 | 8:
      for (i = 0; i < width; i++) out[i] = p->palette[r[i]];
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
    default: { /* grey or indexed samples of less than eight bits */
      const u32 scale = 255 / ((1u << p->depth) - 1);
      for (i = 0; i < width; i++) {
        u32 v = packed(r, i, p->depth);
        out[i] = p->colour_type == INDEXED ? p->palette[v] : grey(v * scale) | OPAQUE;
      }
    }
  }
  if (p->has_key) apply_key(p, r, width, out);
}

void to_rgba16(const Picture *p, const u8 *r, u32 width, u16 *out, u32 *rgba) {
  if (p->depth < 16) {
    to_rgba8(p, r, width, rgba);
    const u8 *samples = (const u8 *)rgba;
    for (u32 i = 0; i < width * 4; i++) out[i] = samples[i] * 257;
    return;
  }
  const bool rgb = p->colour_type & 2, alpha = p->colour_type & 4;
  const u32 samples = p->channels;
  for (u32 i = 0; i < width; i++, out += 4) {
    const u8 *at = r + (size_t)i * samples * 2;
    out[0] = big(at);
    out[1] = rgb ? big(at + 2) : out[0];
    out[2] = rgb ? big(at + 4) : out[0];
    out[3] = alpha ? big(at + 2 * (samples - 1)) : 65535;
    if (p->has_key && out[0] == p->key[0] && (!rgb || (out[1] == p->key[1] && out[2] == p->key[2]))) out[3] = 0;
  }
}
