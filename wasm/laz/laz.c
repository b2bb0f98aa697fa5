/*
 * Compresses chunks of LAS point records into LAZ chunks: point formats 0–5 pointwise (LASzip's items of version 2, wave
 * packets of version 1), 6–10 in layers (version 3). Written from the behaviour of the format; its constants, models and
 * contexts are LASzip's (M. Isenburg). One job at a time, and one layout per instance.
 */
#include "coder.h"

#define EXPORT(name) __attribute__((export_name(#name)))

INLINE u32 u16_at(const u8 *p) {
  u16 v;
  memcpy(&v, p, 2);
  return v;
}
INLINE i32 i32_at(const u8 *p) {
  i32 v;
  memcpy(&v, p, 4);
  return v;
}
INLINE i64 i64_at(const u8 *p) {
  i64 v;
  memcpy(&v, p, 8);
  return v;
}
INLINE u32 clamp_byte(i32 v) { return v < 0 ? 0 : v > 255 ? 255 : (u32)v; }

/* ---- GPS time ---- */

enum { MAX_MULTIPLE = 500, MIN_MULTIPLE = -10, UNCHANGED = MAX_MULTIPLE - MIN_MULTIPLE + 1 };

/*
 * Times are 64-bit floats whose bit patterns are differenced as integers. Up to four interleaved sequences are followed; in
 * one, a step is coded as a small multiple of the previous step and a remainder. The two dialects differ in how an unchanged
 * time is told: items of version 2 spend a symbol on it, layers record the change elsewhere.
 */
typedef struct {
  encoder *e;
  model *steps, *first_step;
  integers integers;
  i64 last[4];
  i32 diff[4];
  u32 extremes[4];
  u32 current, next;
  u32 extra; /* by how many symbols the tables shift when "unchanged" has one of its own */
} gps_time;

static void time_begin(gps_time *t, encoder *e, u32 codes_unchanged) {
  t->e = e;
  t->extra = codes_unchanged;
  t->steps = new_model(MAX_MULTIPLE - MIN_MULTIPLE + 5 + codes_unchanged);
  t->first_step = new_model(5 + codes_unchanged);
  integers_begin(&t->integers, e, 32, 9);
}

static void time_reset(gps_time *t, i64 first) {
  model_reset(t->steps);
  model_reset(t->first_step);
  integers_reset(&t->integers);
  memset(t->last, 0, sizeof t->last);
  memset(t->diff, 0, sizeof t->diff);
  memset(t->extremes, 0, sizeof t->extremes);
  t->current = t->next = 0;
  t->last[0] = first;
}

static void write_multiple(gps_time *t, i32 last_diff, i32 diff) {
  u32 now = t->current;
  float ratio = (float)diff / (float)last_diff;
  float rounded = ratio >= 0 ? ratio + 0.5f : ratio - 0.5f;
  /* Only -2^31 / -1 is out of range; LASzip's conversion makes it the smallest integer. */
  i32 multiple = rounded >= 2147483648.0f ? -0x7fffffff - 1 : (i32)rounded;
  u32 code, context;
  i32 predicted;
  if (multiple == 1) code = 1, context = 1, predicted = last_diff;
  else if (multiple > 0 && multiple < MAX_MULTIPLE) {
    code = (u32)multiple;
    context = multiple < 10 ? 2 : 3;
    predicted = (i32)((u32)multiple * (u32)last_diff);
  } else if (multiple < 0 && multiple > MIN_MULTIPLE) {
    code = (u32)(MAX_MULTIPLE - multiple);
    context = 5;
    predicted = (i32)((u32)multiple * (u32)last_diff);
  } else if (multiple > 0) {
    code = MAX_MULTIPLE;
    context = 4;
    predicted = (i32)((u32)MAX_MULTIPLE * (u32)last_diff);
  } else if (multiple < 0) {
    code = MAX_MULTIPLE - MIN_MULTIPLE;
    context = 6;
    predicted = (i32)((u32)MIN_MULTIPLE * (u32)last_diff);
  } else code = 0, context = 7, predicted = 0;

  encode_symbol(t->e, t->steps, code);
  compress32(&t->integers, predicted, diff, context);
  if (context == 1) t->extremes[now] = 0;
  /* After four steps out of range in a row the reference step is replaced. */
  if ((context == 4 || context >= 6) && ++t->extremes[now] > 3) {
    t->diff[now] = diff;
    t->extremes[now] = 0;
  }
}

static void time_write(gps_time *t, i64 time) {
  encoder *e = t->e;
  u32 extra = t->extra, full_code = UNCHANGED + extra;
  for (;;) {
    u32 now = t->current;
    i32 last_diff = t->diff[now];
    i64 step = (i64)((u64)time - (u64)t->last[now]);
    if (extra && step == 0) {
      if (last_diff == 0) encode_symbol(e, t->first_step, 0);
      else encode_symbol(e, t->steps, UNCHANGED);
      return;
    }
    if (step == (i32)step) {
      if (last_diff == 0) {
        encode_symbol(e, t->first_step, extra);
        compress32(&t->integers, 0, (i32)step, 0);
        t->diff[now] = (i32)step;
        t->extremes[now] = 0;
      } else write_multiple(t, last_diff, (i32)step);
      t->last[now] = time;
      return;
    }
    u32 other = 1;
    for (; other < 4; other++) {
      i64 near = (i64)((u64)time - (u64)t->last[(now + other) & 3]);
      if (near == (i32)near) break;
    }
    if (other < 4) {
      if (last_diff == 0) encode_symbol(e, t->first_step, other + 1 + extra);
      else encode_symbol(e, t->steps, full_code + other);
      t->current = (now + other) & 3;
      continue;
    }
    if (last_diff == 0) encode_symbol(e, t->first_step, 1 + extra);
    else encode_symbol(e, t->steps, full_code);
    compress32(&t->integers, (i32)(t->last[now] >> 32), (i32)(time >> 32), 8);
    write_int(e, (u32)time);
    now = t->current = t->next = (t->next + 1) & 3;
    t->diff[now] = 0;
    t->extremes[now] = 0;
    t->last[now] = time;
    return;
  }
}

/* ---- Colour ---- */

typedef struct {
  model *used, *diffs[6];
} colour;

static void colour_begin(colour *c) {
  c->used = new_model(128);
  for (u32 i = 0; i < 6; i++) c->diffs[i] = new_model(256);
}

static void colour_reset(colour *c) {
  model_reset(c->used);
  for (u32 i = 0; i < 6; i++) model_reset(c->diffs[i]);
}

/* Codes the colour at `p` given the one at `last`; returns which bytes changed (bit 6: it is not grey). */
static u32 colour_write(colour *c, encoder *e, const u8 *p, const u8 *last) {
  u32 r = u16_at(p), g = u16_at(p + 2), b = u16_at(p + 4), mask = 0;
  for (u32 i = 0; i < 6; i++) mask |= (u32)(p[i] != last[i]) << i;
  if (r != g || r != b) mask |= 64;
  encode_symbol(e, c->used, mask);
  i32 low = 0, high = 0;
  if (mask & 1) {
    low = p[0] - last[0];
    encode_symbol(e, c->diffs[0], (u32)low & 255);
  }
  if (mask & 2) {
    high = p[1] - last[1];
    encode_symbol(e, c->diffs[1], (u32)high & 255);
  }
  if (mask & 64) {
    /* Green is foretold by red's change, blue by the mean of both changes. */
    if (mask & 4) encode_symbol(e, c->diffs[2], (p[2] - clamp_byte(low + last[2])) & 255);
    if (mask & 16) {
      low = (low + p[2] - last[2]) / 2;
      encode_symbol(e, c->diffs[4], (p[4] - clamp_byte(low + last[4])) & 255);
    }
    if (mask & 8) encode_symbol(e, c->diffs[3], (p[3] - clamp_byte(high + last[3])) & 255);
    if (mask & 32) {
      high = (high + p[3] - last[3]) / 2;
      encode_symbol(e, c->diffs[5], (p[5] - clamp_byte(high + last[5])) & 255);
    }
  }
  return mask;
}

/* ---- Wave packets ---- */

enum { WAVE_BYTES = 29 };

typedef struct {
  encoder *e;
  model *index, *offset_kind[4];
  integers offset, size, return_point, xyz;
  u32 last_kind;
  i32 last_diff;
} wave;

static void wave_begin(wave *w, encoder *e) {
  w->e = e;
  w->index = new_model(256);
  for (u32 i = 0; i < 4; i++) w->offset_kind[i] = new_model(4);
  integers_begin(&w->offset, e, 32, 1);
  integers_begin(&w->size, e, 32, 1);
  integers_begin(&w->return_point, e, 32, 1);
  integers_begin(&w->xyz, e, 32, 3);
}

static void wave_reset(wave *w) {
  model_reset(w->index);
  for (u32 i = 0; i < 4; i++) model_reset(w->offset_kind[i]);
  integers_reset(&w->offset);
  integers_reset(&w->size);
  integers_reset(&w->return_point);
  integers_reset(&w->xyz);
  w->last_kind = 0;
  w->last_diff = 0;
}

static void wave_write(wave *w, const u8 *p, const u8 *last) {
  encoder *e = w->e;
  encode_symbol(e, w->index, p[0]);
  i64 diff = (i64)((u64)i64_at(p + 1) - (u64)i64_at(last + 1));
  i32 last_size = i32_at(last + 9);
  u32 kind = diff != (i32)diff ? 3 : diff == 0 ? 0 : (i32)diff == last_size ? 1 : 2;
  encode_symbol(e, w->offset_kind[w->last_kind], kind);
  w->last_kind = kind;
  if (kind == 2) {
    compress32(&w->offset, w->last_diff, (i32)diff, 0);
    w->last_diff = (i32)diff;
  } else if (kind == 3) {
    write_int(e, (u32)i32_at(p + 1));
    write_int(e, (u32)i32_at(p + 5));
  }
  compress32(&w->size, last_size, i32_at(p + 9), 0);
  compress32(&w->return_point, i32_at(last + 13), i32_at(p + 13), 0);
  for (u32 i = 0; i < 3; i++) compress32(&w->xyz, i32_at(last + 17 + 4 * i), i32_at(p + 17 + 4 * i), i);
}

/* ---- The layout ---- */

static struct {
  u32 layered, time, rgb, nir, wave, extra, record;
} layout;

/* ---- Point formats 0–5 ---- */

/* Rows by number of returns, columns by return number (3 bits each). */
static const u8 RETURN_MAP_3BIT[64] = {15, 14, 13, 12, 11, 10, 9,  8,  14, 0,  1,  3,  6, 10, 10, 9,  13, 1,  2,  4,  7,  11,
                                       11, 10, 12, 3,  4,  5,  8,  12, 12, 11, 11, 6,  7, 8,  9,  13, 13, 12, 10, 10, 11, 12,
                                       13, 14, 14, 13, 9,  10, 11, 12, 13, 14, 15, 14, 8, 9,  10, 11, 12, 13, 14, 15};

static struct {
  encoder e;
  model *changed, *scan_angle[2], **extra;
  bank bit_byte, classification, user_data;
  integers intensity, source, dx, dy, z;
  median median_x[16], median_y[16];
  u32 last_intensity[16];
  i32 last_height[8];
  gps_time time;
  colour rgb;
  wave wave;
} pw;

static void pointwise_begin(void) {
  encoder *e = &pw.e;
  pw.changed = new_model(64);
  pw.scan_angle[0] = new_model(256);
  pw.scan_angle[1] = new_model(256);
  pw.bit_byte = new_bank(256, 256);
  pw.classification = new_bank(256, 256);
  pw.user_data = new_bank(256, 256);
  integers_begin(&pw.intensity, e, 16, 4);
  integers_begin(&pw.source, e, 16, 1);
  integers_begin(&pw.dx, e, 32, 2);
  integers_begin(&pw.dy, e, 32, 22);
  integers_begin(&pw.z, e, 32, 20);
  if (layout.time) time_begin(&pw.time, e, 1);
  if (layout.rgb) colour_begin(&pw.rgb);
  if (layout.wave) wave_begin(&pw.wave, e);
  pw.extra = allocate(layout.extra * sizeof(model *));
  for (u32 i = 0; i < layout.extra; i++) pw.extra[i] = new_model(256);
}

static void pointwise_reset(void) {
  encoder_reset(&pw.e);
  model_reset(pw.changed);
  model_reset(pw.scan_angle[0]);
  model_reset(pw.scan_angle[1]);
  bank_reset(&pw.bit_byte);
  bank_reset(&pw.classification);
  bank_reset(&pw.user_data);
  integers_reset(&pw.intensity);
  integers_reset(&pw.source);
  integers_reset(&pw.dx);
  integers_reset(&pw.dy);
  integers_reset(&pw.z);
  memset(pw.median_x, 0, sizeof pw.median_x);
  memset(pw.median_y, 0, sizeof pw.median_y);
  /* Intensities and heights start at zero, not at the first point's values. */
  memset(pw.last_intensity, 0, sizeof pw.last_intensity);
  memset(pw.last_height, 0, sizeof pw.last_height);
  if (layout.rgb) colour_reset(&pw.rgb);
  if (layout.wave) wave_reset(&pw.wave);
  for (u32 i = 0; i < layout.extra; i++) model_reset(pw.extra[i]);
}

/* The 20 bytes every format has, given the last point's. */
INLINE void write_point(encoder *e, const u8 *p, const u8 *last) {
  u32 intensity = u16_at(p + 12), bits = p[14];
  u32 r = bits & 7, n = (bits >> 3) & 7;
  u32 map = RETURN_MAP_3BIT[(n << 3) | r];
  u32 level = n > r ? n - r : r - n;
  u32 single = n == 1;

  u32 changed = (u32)(bits != last[14]) << 5 | (u32)(intensity != pw.last_intensity[map]) << 4 | (u32)(p[15] != last[15]) << 3 |
                (u32)(p[16] != last[16]) << 2 | (u32)(p[17] != last[17]) << 1 | (u32)(u16_at(p + 18) != u16_at(last + 18));
  encode_symbol(e, pw.changed, changed);
  if (changed & 32) encode_symbol(e, bank_get(&pw.bit_byte, last[14]), bits);
  if (changed & 16) {
    compress16(&pw.intensity, (i32)pw.last_intensity[map], (i32)intensity, map < 3 ? map : 3);
    pw.last_intensity[map] = intensity;
  }
  if (changed & 8) encode_symbol(e, bank_get(&pw.classification, last[15]), p[15]);
  if (changed & 4) encode_symbol(e, pw.scan_angle[(bits >> 6) & 1], (u32)(p[16] - last[16]) & 255);
  if (changed & 2) encode_symbol(e, bank_get(&pw.user_data, last[17]), p[17]);
  if (changed & 1) compress16(&pw.source, (i32)u16_at(last + 18), (i32)u16_at(p + 18), 0);

  i32 dx = (i32)((u32)i32_at(p) - (u32)i32_at(last));
  compress32(&pw.dx, pw.median_x[map].v[2], dx, single);
  median_add(&pw.median_x[map], dx);

  u32 kx = pw.dx.k;
  i32 dy = (i32)((u32)i32_at(p + 4) - (u32)i32_at(last + 4));
  compress32(&pw.dy, pw.median_y[map].v[2], dy, single + (kx < 20 ? kx & ~1u : 20));
  median_add(&pw.median_y[map], dy);

  u32 kxy = (kx + pw.dy.k) >> 1;
  i32 z = i32_at(p + 8);
  compress32(&pw.z, pw.last_height[level], z, single + (kxy < 18 ? kxy & ~1u : 18));
  pw.last_height[level] = z;
}

static void pointwise_encode(const u8 *records, const u8 *end) {
  const u32 record = layout.record, extra = layout.extra;
  const u32 rgb_at = 20 + (layout.time ? 8 : 0), wave_at = rgb_at + (layout.rgb ? 6 : 0), extra_at = record - extra;
  encoder *e = &pw.e;
  pointwise_reset();
  if (layout.time) time_reset(&pw.time, i64_at(records + 20));
  for (const u8 *last = records, *p = records + record; p < end; last = p, p += record) {
    write_point(e, p, last);
    if (layout.time) time_write(&pw.time, i64_at(p + 20));
    if (layout.rgb) colour_write(&pw.rgb, e, p + rgb_at, last + rgb_at);
    if (layout.wave) wave_write(&pw.wave, p + wave_at, last + wave_at);
    for (u32 i = extra_at; i < record; i++) encode_symbol(e, pw.extra[i - extra_at], (u32)(p[i] - last[i]) & 255);
  }
}

/* ---- Point formats 6–10 ---- */

enum { CHANNELS = 4, MAX_EXTRA = 1024 };

/* The layers of the core fields, in the order in which a chunk stores them; colour, infrared, waves and extra bytes follow. */
enum {
  XY,
  Z,
  CLASSIFICATION,
  FLAGS,
  INTENSITY,
  SCAN_ANGLE,
  USER_DATA,
  SOURCE,
  TIME,
  CORE_LAYERS,
  MAX_LAYERS = CORE_LAYERS + 3 + MAX_EXTRA
};

/* One attribute's code stream within a chunk; stored empty when the attribute never changed. */
typedef struct {
  encoder e;
  u32 changed;
} layer;

/* Rows by number of returns, columns by return number (4 bits each). */
static const char RETURN_MAP_4BIT[256 + 1] = "0123453445555555"
                                             "1013333333333333"
                                             "2124444444433333"
                                             "3345444444444444"
                                             "4344544444444444"
                                             "5344454444444444"
                                             "3344445444444444"
                                             "4344444544444444"
                                             "4344444454444444"
                                             "5344444445444444"
                                             "5344444444544444"
                                             "5334444444455444"
                                             "5334444444455544"
                                             "5334444444445554"
                                             "5334444444444555"
                                             "5334444444444455";

/* All that is remembered of one scanner channel's core fields. */
typedef struct {
  model *changes[8], *channel_step, *return_step;
  bank returns, return_number, classification, flags, user_data;
  integers dx, dy, z, intensity, scan_angle, source;
  gps_time time;
  median median_x[12], median_y[12];
  i32 last_z[8];
  u32 last_intensity[8];
  const u8 *last; /* the channel's last point */
  u32 time_changed;
} channel;

/*
 * What is remembered of one channel's other attributes. Version 3 has two quirks every reader shares, so a writer must keep
 * them: these attributes see the scanner channel only on the very point at which it changes and channel 0 otherwise; and on
 * returning to a channel seen before they predict from, and then replace, the *previous* channel's last value.
 */
typedef struct {
  colour rgb;
  model *nir_used, *nir_low, *nir_high, **extra;
  wave wave;
  const u8 *last;
} attributes;

static struct {
  layer layers[MAX_LAYERS];
  u32 layer_count;
  channel *channels[CHANNELS];
  u32 live[CHANNELS], current;
  attributes *attributes[CHANNELS];
  u32 attributes_live[CHANNELS], attributes_current;
} la;

INLINE u32 channel_of(const u8 *p) { return (p[15] >> 4) & 3; }
/* Byte 15 holds class flags (4), channel (2), scan direction, edge of flight line. */
INLINE u32 flag_bits(u32 byte) { return (byte & 15) | ((byte >> 2) & 48); }

static channel *new_channel(void) {
  channel *c = allocate(sizeof(channel));
  memset(c, 0, sizeof *c);
  for (u32 i = 0; i < 8; i++) c->changes[i] = new_model(128);
  c->channel_step = new_model(3);
  c->return_step = new_model(13);
  c->returns = new_bank(16, 16);
  c->return_number = new_bank(16, 16);
  c->classification = new_bank(64, 256);
  c->flags = new_bank(64, 64);
  c->user_data = new_bank(64, 256);
  integers_begin(&c->dx, &la.layers[XY].e, 32, 2);
  integers_begin(&c->dy, &la.layers[XY].e, 32, 22);
  integers_begin(&c->z, &la.layers[Z].e, 32, 20);
  integers_begin(&c->intensity, &la.layers[INTENSITY].e, 16, 4);
  integers_begin(&c->scan_angle, &la.layers[SCAN_ANGLE].e, 16, 2);
  integers_begin(&c->source, &la.layers[SOURCE].e, 16, 1);
  time_begin(&c->time, &la.layers[TIME].e, 0);
  return c;
}

/* Starts a channel: its first point is predicted from the one at `p`. */
static void open_channel(u32 number, const u8 *p) {
  channel *c = la.channels[number];
  if (!c) c = la.channels[number] = new_channel();
  la.live[number] = 1;
  for (u32 i = 0; i < 8; i++) model_reset(c->changes[i]);
  model_reset(c->channel_step);
  model_reset(c->return_step);
  bank_reset(&c->returns);
  bank_reset(&c->return_number);
  bank_reset(&c->classification);
  bank_reset(&c->flags);
  bank_reset(&c->user_data);
  integers_reset(&c->dx);
  integers_reset(&c->dy);
  integers_reset(&c->z);
  integers_reset(&c->intensity);
  integers_reset(&c->scan_angle);
  integers_reset(&c->source);
  time_reset(&c->time, i64_at(p + 22));
  memset(c->median_x, 0, sizeof c->median_x);
  memset(c->median_y, 0, sizeof c->median_y);
  /* Unlike in the older formats, heights and intensities start at the first point's values. */
  for (u32 i = 0; i < 8; i++) {
    c->last_z[i] = i32_at(p + 8);
    c->last_intensity[i] = u16_at(p + 12);
  }
  c->last = p;
  c->time_changed = 0;
}

/* The 30 bytes every format has. Returns the scanner channel if it is another than the last point's, else 0. */
INLINE u32 write_layered_point(const u8 *p) {
  layer *l = la.layers;
  encoder *xy = &l[XY].e;
  channel *previous = la.channels[la.current];
  u32 number = channel_of(p), channel_changed = number != la.current;
  const u8 *last = (channel_changed && la.live[number] ? la.channels[number] : previous)->last;

  u32 previous_r = previous->last[14] & 15, previous_n = previous->last[14] >> 4;
  u32 context = (previous_r == 1) | (u32)(previous_r >= previous_n) << 1 | previous->time_changed << 2;

  u32 r = p[14] & 15, n = p[14] >> 4, last_r = last[14] & 15, last_n = last[14] >> 4;
  i64 time = i64_at(p + 22);
  i32 angle = (int16_t)u16_at(p + 18), last_angle = (int16_t)u16_at(last + 18);
  u32 source = u16_at(p + 20), last_source = u16_at(last + 20);
  u32 time_changed = time != i64_at(last + 22);
  u32 step = (r - last_r) & 15;
  u32 return_code = step == 0 ? 0 : step == 1 ? 1 : step == 15 ? 2 : 3;

  encode_symbol(xy, previous->changes[context],
                channel_changed << 6 | (u32)(source != last_source) << 5 | time_changed << 4 | (u32)(angle != last_angle) << 3 |
                    (u32)(n != last_n) << 2 | return_code);

  if (UNLIKELY(channel_changed)) {
    encode_symbol(xy, previous->channel_step, ((number - la.current) & 3) - 1);
    if (!la.live[number]) open_channel(number, previous->last);
    la.current = number;
  }
  channel *c = la.channels[number];

  if (n != last_n) encode_symbol(xy, bank_get(&c->returns, last_n), n);
  if (return_code == 3) {
    if (time_changed) encode_symbol(xy, bank_get(&c->return_number, last_r), r);
    else encode_symbol(xy, c->return_step, step - 2);
  }

  u32 single = n == 1;
  u32 history = (u32)(RETURN_MAP_4BIT[(n << 4) | r] - '0') << 1 | time_changed;
  i32 dx = (i32)((u32)i32_at(p) - (u32)i32_at(last));
  compress32(&c->dx, c->median_x[history].v[2], dx, single);
  median_add(&c->median_x[history], dx);

  u32 kx = c->dx.k;
  i32 dy = (i32)((u32)i32_at(p + 4) - (u32)i32_at(last + 4));
  compress32(&c->dy, c->median_y[history].v[2], dy, single + (kx < 20 ? kx & ~1u : 20));
  median_add(&c->median_y[history], dy);

  u32 kxy = (kx + c->dy.k) >> 1;
  u32 level = n > r ? n - r : r - n;
  if (level > 7) level = 7;
  i32 z = i32_at(p + 8);
  compress32(&c->z, c->last_z[level], z, single + (kxy < 18 ? kxy & ~1u : 18));
  c->last_z[level] = z;

  u32 first = r == 1, final = r >= n;
  l[CLASSIFICATION].changed |= p[16] != last[16];
  encode_symbol(&l[CLASSIFICATION].e, bank_get(&c->classification, (last[16] & 31u) << 1 | (first & final)), p[16]);

  u32 flags = flag_bits(p[15]), last_flags = flag_bits(last[15]);
  l[FLAGS].changed |= flags != last_flags;
  encode_symbol(&l[FLAGS].e, bank_get(&c->flags, last_flags), flags);

  u32 intensity = u16_at(p + 12), position = first << 1 | final;
  l[INTENSITY].changed |= intensity != u16_at(last + 12);
  u32 index = position << 1 | time_changed;
  compress16(&c->intensity, (i32)c->last_intensity[index], (i32)intensity, position);
  c->last_intensity[index] = intensity;

  if (angle != last_angle) {
    l[SCAN_ANGLE].changed = 1;
    compress16(&c->scan_angle, last_angle, angle, time_changed);
  }

  l[USER_DATA].changed |= p[17] != last[17];
  encode_symbol(&l[USER_DATA].e, bank_get(&c->user_data, last[17] >> 2), p[17]);

  if (source != last_source) {
    l[SOURCE].changed = 1;
    compress16(&c->source, (i32)last_source, (i32)source, 0);
  }
  if (time_changed) {
    l[TIME].changed = 1;
    time_write(&c->time, time);
  }
  c->last = p;
  c->time_changed = time_changed;
  return channel_changed ? number : 0;
}

static void open_attributes(u32 number, const u8 *last) {
  attributes *a = la.attributes[number];
  if (!a) {
    a = la.attributes[number] = allocate(sizeof(attributes));
    colour_begin(&a->rgb);
    a->nir_used = new_model(4);
    a->nir_low = new_model(256);
    a->nir_high = new_model(256);
    if (layout.wave) wave_begin(&a->wave, &la.layers[CORE_LAYERS + layout.rgb + layout.nir].e);
    a->extra = allocate(layout.extra * sizeof(model *));
    for (u32 i = 0; i < layout.extra; i++) a->extra[i] = new_model(256);
  }
  la.attributes_live[number] = 1;
  colour_reset(&a->rgb);
  model_reset(a->nir_used);
  model_reset(a->nir_low);
  model_reset(a->nir_high);
  if (layout.wave) wave_reset(&a->wave);
  for (u32 i = 0; i < layout.extra; i++) model_reset(a->extra[i]);
  a->last = last;
}

/* Everything behind the core fields, for a point of which write_layered_point returned `number`. */
INLINE void write_attributes(const u8 *p, u32 number) {
  attributes *history = la.attributes[la.attributes_current], *a = history;
  if (UNLIKELY(number != la.attributes_current)) {
    la.attributes_current = number;
    if (!la.attributes_live[number]) {
      open_attributes(number, history->last);
      history = la.attributes[number];
    }
    a = la.attributes[number];
  }
  const u8 *last = history->last;
  history->last = p;

  layer *l = la.layers + CORE_LAYERS;
  p += 30;
  last += 30;
  if (layout.rgb) {
    /* Bit 6 only says "not grey"; without the others the colour is the last one. */
    if (colour_write(&a->rgb, &l->e, p, last) & 63) l->changed = 1;
    l++;
    p += 6;
    last += 6;
  }
  if (layout.nir) {
    u32 low = p[0] != last[0], high = p[1] != last[1];
    encode_symbol(&l->e, a->nir_used, low | high << 1);
    if (low) encode_symbol(&l->e, a->nir_low, (u32)(p[0] - last[0]) & 255);
    if (high) encode_symbol(&l->e, a->nir_high, (u32)(p[1] - last[1]) & 255);
    l->changed |= low | high;
    l++;
    p += 2;
    last += 2;
  }
  if (layout.wave) {
    if (!l->changed) l->changed = memcmp(p, last, WAVE_BYTES) != 0;
    wave_write(&a->wave, p, last);
    l++;
    p += WAVE_BYTES;
    last += WAVE_BYTES;
  }
  for (u32 i = 0; i < layout.extra; i++) {
    u32 diff = (u32)(p[i] - last[i]) & 255;
    encode_symbol(&l[i].e, a->extra[i], diff);
    l[i].changed |= diff;
  }
}

static void layered_encode(const u8 *records, const u8 *end) {
  for (u32 i = 0; i < la.layer_count; i++) {
    encoder_reset(&la.layers[i].e);
    la.layers[i].changed = i <= Z; /* positions are always there */
  }
  memset(la.live, 0, sizeof la.live);
  memset(la.attributes_live, 0, sizeof la.attributes_live);
  la.current = la.attributes_current = channel_of(records);
  open_channel(la.current, records);
  open_attributes(la.current, records);
  u32 has_attributes = la.layer_count > CORE_LAYERS;
  for (const u8 *p = records + layout.record; p < end; p += layout.record) {
    u32 number = write_layered_point(p);
    if (has_attributes) write_attributes(p, number);
  }
}

/* ---- The interface ---- */

static u8 *records;
static u32 records_room;
/* Of every code stream of the last chunk: where it stands, how long it is. */
static u32 streams[2 * MAX_LAYERS];

EXPORT(streams_at) u32 *streams_at(void) { return streams; }

/*
 * Once per instance: says what a record holds and how many bytes of records a chunk has at most.
 * Returns where the caller puts them, or 0: there is no such layout.
 */
EXPORT(begin) u8 *begin(u32 layered, u32 time, u32 rgb, u32 nir, u32 wave, u32 extra, u32 room) {
  if (records || extra > MAX_EXTRA || (layered && time) || (nir && !(layered && rgb))) return 0;
  layout.layered = layered;
  layout.time = time;
  layout.rgb = rgb;
  layout.nir = nir;
  layout.wave = wave;
  layout.extra = extra;
  layout.record = (layered ? 30 : 20) + (time ? 8 : 0) + (rgb ? 6 : 0) + (nir ? 2 : 0) + (wave ? WAVE_BYTES : 0) + extra;
  records = allocate(room);
  records_room = room;
  if (layered) la.layer_count = CORE_LAYERS + rgb + nir + wave + extra;
  else pointwise_begin();
  return records;
}

/*
 * Compresses the records put in place. The first stays as it is and is the caller's to store. Returns the number of code
 * streams behind it (streams_at), which last until the next call; 0: not whole records, or too many.
 */
EXPORT(encode) u32 encode(u32 bytes) {
  if (bytes == 0 || bytes > records_room || bytes % layout.record) return 0;
  u32 count = layout.layered ? la.layer_count : 1;
  if (layout.layered) layered_encode(records, records + bytes);
  else pointwise_encode(records, records + bytes);
  for (u32 i = 0; i < count; i++) {
    encoder *e = layout.layered ? &la.layers[i].e : &pw.e;
    streams[2 * i + 1] = layout.layered && !la.layers[i].changed ? 0 : encoder_finish(e);
    streams[2 * i] = (u32)e->buffer;
  }
  return count;
}

/*
 * Compresses the table of chunk sizes put where the records go, as it stands behind its own header: every size foretold by
 * the one before, in context 1. One code stream (streams_at); 0: too many.
 */
EXPORT(encode_table) u32 encode_table(u32 count) {
  static integers sizes;
  static encoder e;
  if (count > records_room / 4) return 0;
  integers_begin(&sizes, &e, 32, 2);
  encoder_reset(&e);
  integers_reset(&sizes);
  for (u32 i = 0; i < count; i++) compress32(&sizes, i == 0 ? 0 : i32_at(records + 4 * i - 4), i32_at(records + 4 * i), 1);
  streams[1] = encoder_finish(&e);
  streams[0] = (u32)e.buffer;
  return 1;
}
