#include "pointwise.h"

/* Context of a return: rows by number of returns, columns by return number (3 bits each). */
static const u8 RETURN_MAP_3BIT[64] = {
    15, 14, 13, 12, 11, 10, 9,  8,  14, 0,  1,  3,  6, 10, 10, 9,  13, 1,  2,  4,  7,  11,
    11, 10, 12, 3,  4,  5,  8,  12, 12, 11, 11, 6,  7, 8,  9,  13, 13, 12, 10, 10, 11, 12,
    13, 14, 14, 13, 9,  10, 11, 12, 13, 14, 15, 14, 8, 9,  10, 11, 12, 13, 14, 15,
};

void pointwise_begin(Pointwise *pw, const Layout *layout) {
  encoder *e = &pw->e;
  pw->changed = new_model(64);
  pw->scan_angle[0] = new_model(256);
  pw->scan_angle[1] = new_model(256);
  pw->bit_byte = new_bank(256, 256);
  pw->classification = new_bank(256, 256);
  pw->user_data = new_bank(256, 256);
  integers_begin(&pw->intensity, e, 16, 4);
  integers_begin(&pw->source, e, 16, 1);
  integers_begin(&pw->dx, e, 32, 2);
  integers_begin(&pw->dy, e, 32, 22);
  integers_begin(&pw->z, e, 32, 20);
  if (layout->time) time_begin(&pw->time, e, 1);
  if (layout->rgb) colour_begin(&pw->rgb);
  if (layout->wave) wave_begin(&pw->wave, e);
  pw->extra = allocate(layout->extra * sizeof(model *));
  for (u32 i = 0; i < layout->extra; i++) pw->extra[i] = new_model(256);
}

static void pointwise_reset(Pointwise *pw, const Layout *layout) {
  encoder_reset(&pw->e);
  model_reset(pw->changed);
  model_reset(pw->scan_angle[0]);
  model_reset(pw->scan_angle[1]);
  bank_reset(&pw->bit_byte);
  bank_reset(&pw->classification);
  bank_reset(&pw->user_data);
  integers_reset(&pw->intensity);
  integers_reset(&pw->source);
  integers_reset(&pw->dx);
  integers_reset(&pw->dy);
  integers_reset(&pw->z);
  memset(pw->median_x, 0, sizeof pw->median_x);
  memset(pw->median_y, 0, sizeof pw->median_y);
  /* Intensities and heights start at zero; in formats 6 to 10 they start at the first point's values. */
  memset(pw->last_intensity, 0, sizeof pw->last_intensity);
  memset(pw->last_height, 0, sizeof pw->last_height);
  if (layout->rgb) colour_reset(&pw->rgb);
  if (layout->wave) wave_reset(&pw->wave);
  for (u32 i = 0; i < layout->extra; i++) model_reset(pw->extra[i]);
}

/* Encodes the 20 bytes that every format has, relative to the last point. */
INLINE void write_point(Pointwise *pw, const u8 *p, const u8 *last) {
  encoder *e = &pw->e;
  u32 intensity = u16_at(p + 12), bits = p[14];
  u32 r = bits & 7, n = (bits >> 3) & 7;
  u32 map = RETURN_MAP_3BIT[(n << 3) | r];
  u32 level = n > r ? n - r : r - n;
  u32 single = n == 1;

  u32 changed = (u32)(bits != last[14]) << 5 | (u32)(intensity != pw->last_intensity[map]) << 4 |
                (u32)(p[15] != last[15]) << 3 | (u32)(p[16] != last[16]) << 2 | (u32)(p[17] != last[17]) << 1 |
                (u32)(u16_at(p + 18) != u16_at(last + 18));
  encode_symbol(e, pw->changed, changed);
  if (changed & 32) encode_symbol(e, bank_get(&pw->bit_byte, last[14]), bits);
  if (changed & 16) {
    compress16(&pw->intensity, (i32)pw->last_intensity[map], (i32)intensity, map < 3 ? map : 3);
    pw->last_intensity[map] = intensity;
  }
  if (changed & 8) encode_symbol(e, bank_get(&pw->classification, last[15]), p[15]);
  if (changed & 4) encode_symbol(e, pw->scan_angle[(bits >> 6) & 1], (u32)(p[16] - last[16]) & 255);
  if (changed & 2) encode_symbol(e, bank_get(&pw->user_data, last[17]), p[17]);
  if (changed & 1) compress16(&pw->source, (i32)u16_at(last + 18), (i32)u16_at(p + 18), 0);

  i32 dx = (i32)((u32)i32_at(p) - (u32)i32_at(last));
  compress32(&pw->dx, pw->median_x[map].v[2], dx, single);
  median_add(&pw->median_x[map], dx);

  u32 kx = pw->dx.k;
  i32 dy = (i32)((u32)i32_at(p + 4) - (u32)i32_at(last + 4));
  compress32(&pw->dy, pw->median_y[map].v[2], dy, single + (kx < 20 ? kx & ~1u : 20));
  median_add(&pw->median_y[map], dy);

  u32 kxy = (kx + pw->dy.k) >> 1;
  i32 z = i32_at(p + 8);
  compress32(&pw->z, pw->last_height[level], z, single + (kxy < 18 ? kxy & ~1u : 18));
  pw->last_height[level] = z;
}

void pointwise_encode(Pointwise *pw, const Layout *layout, const u8 *records, const u8 *end) {
  const u32 record = layout->record, extra = layout->extra;
  const u32 rgb_at = 20 + (layout->time ? 8 : 0), wave_at = rgb_at + (layout->rgb ? 6 : 0), extra_at = record - extra;
  encoder *e = &pw->e;
  pointwise_reset(pw, layout);
  if (layout->time) time_reset(&pw->time, i64_at(records + 20));
  for (const u8 *last = records, *p = records + record; p < end; last = p, p += record) {
    write_point(pw, p, last);
    if (layout->time) time_write(&pw->time, i64_at(p + 20));
    if (layout->rgb) colour_write(&pw->rgb, e, p + rgb_at, last + rgb_at);
    if (layout->wave) wave_write(&pw->wave, p + wave_at, last + wave_at);
    for (u32 i = extra_at; i < record; i++) encode_symbol(e, pw->extra[i - extra_at], (u32)(p[i] - last[i]) & 255);
  }
}
