#include "layered.h"

/* Context of a return: rows by number of returns, columns by return number (4 bits each). */
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

INLINE u32 channel_of(const u8 *p) { return (p[15] >> 4) & 3; }
/* Returns the flag bits of byte 15: classification flags (4), channel (2), scan direction, edge of flight line. */
INLINE u32 flag_bits(u32 byte) { return (byte & 15) | ((byte >> 2) & 48); }

static channel *new_channel(Layered *la) {
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
  integers_begin(&c->dx, &la->layers[XY].e, 32, 2);
  integers_begin(&c->dy, &la->layers[XY].e, 32, 22);
  integers_begin(&c->z, &la->layers[Z].e, 32, 20);
  integers_begin(&c->intensity, &la->layers[INTENSITY].e, 16, 4);
  integers_begin(&c->scan_angle, &la->layers[SCAN_ANGLE].e, 16, 2);
  integers_begin(&c->source, &la->layers[SOURCE].e, 16, 1);
  time_begin(&c->time, &la->layers[TIME].e, 0);
  return c;
}

/* Initialises a channel: its first point is predicted from the point at `p`. */
static void open_channel(Layered *la, u32 number, const u8 *p) {
  channel *c = la->channels[number];
  if (!c) c = la->channels[number] = new_channel(la);
  la->live[number] = 1;
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
  /* Heights and intensities start at the first point's values; in formats 0 to 5 they start at zero. */
  for (u32 i = 0; i < 8; i++) {
    c->last_z[i] = i32_at(p + 8);
    c->last_intensity[i] = u16_at(p + 12);
  }
  c->last = p;
  c->time_changed = 0;
}

/* Encodes X, Y and Z of a point. */
INLINE void write_position(channel *c, const u8 *p, const u8 *last, u32 time_changed) {
  u32 r = p[14] & 15, n = p[14] >> 4;
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
}

/* Encodes classification, flags and intensity of a point. */
INLINE void write_classes(Layered *la, channel *c, const u8 *p, const u8 *last, u32 time_changed) {
  layer *l = la->layers;
  u32 r = p[14] & 15, n = p[14] >> 4;
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
}

/* Encodes the 30 bytes that every layered format has. Returns the scanner channel if it differs from the last point's,
 * otherwise 0. */
INLINE u32 write_layered_point(Layered *la, const u8 *p) {
  layer *l = la->layers;
  encoder *xy = &l[XY].e;
  channel *previous = la->channels[la->current];
  u32 number = channel_of(p), channel_changed = number != la->current;
  const u8 *last = (channel_changed && la->live[number] ? la->channels[number] : previous)->last;

  u32 previous_r = previous->last[14] & 15, previous_n = previous->last[14] >> 4;
  u32 context = (previous_r == 1) | (u32)(previous_r >= previous_n) << 1 | previous->time_changed << 2;

  u32 r = p[14] & 15, n = p[14] >> 4, last_r = last[14] & 15, last_n = last[14] >> 4;
  i64 time = i64_at(p + 22);
  i32 angle = (int16_t)u16_at(p + 18), last_angle = (int16_t)u16_at(last + 18);
  u32 source = u16_at(p + 20), last_source = u16_at(last + 20);
  u32 time_changed = time != i64_at(last + 22);
  u32 step = (r - last_r) & 15;
  u32 return_code = step == 0 ? 0 : step == 1 ? 1 : step == 15 ? 2 : 3;

  u32 changes = channel_changed << 6 | (u32)(source != last_source) << 5 | time_changed << 4 |
                (u32)(angle != last_angle) << 3 | (u32)(n != last_n) << 2 | return_code;
  encode_symbol(xy, previous->changes[context], changes);

  if (UNLIKELY(channel_changed)) {
    encode_symbol(xy, previous->channel_step, ((number - la->current) & 3) - 1);
    if (!la->live[number]) open_channel(la, number, previous->last);
    la->current = number;
  }
  channel *c = la->channels[number];

  if (n != last_n) encode_symbol(xy, bank_get(&c->returns, last_n), n);
  if (return_code == 3) {
    if (time_changed) encode_symbol(xy, bank_get(&c->return_number, last_r), r);
    else encode_symbol(xy, c->return_step, step - 2);
  }

  write_position(c, p, last, time_changed);
  write_classes(la, c, p, last, time_changed);

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

static void open_attributes(Layered *la, const Layout *layout, u32 number, const u8 *last) {
  attributes *a = la->attributes[number];
  if (!a) {
    a = la->attributes[number] = allocate(sizeof(attributes));
    colour_begin(&a->rgb);
    a->nir_used = new_model(4);
    a->nir_low = new_model(256);
    a->nir_high = new_model(256);
    if (layout->wave) wave_begin(&a->wave, &la->layers[CORE_LAYERS + layout->rgb + layout->nir].e);
    a->extra = allocate(layout->extra * sizeof(model *));
    for (u32 i = 0; i < layout->extra; i++) a->extra[i] = new_model(256);
  }
  la->attributes_live[number] = 1;
  colour_reset(&a->rgb);
  model_reset(a->nir_used);
  model_reset(a->nir_low);
  model_reset(a->nir_high);
  if (layout->wave) wave_reset(&a->wave);
  for (u32 i = 0; i < layout->extra; i++) model_reset(a->extra[i]);
  a->last = last;
}

/* Encodes all attributes after the core fields. `number`: result of write_layered_point. */
INLINE void write_attributes(Layered *la, const Layout *layout, const u8 *p, u32 number) {
  attributes *history = la->attributes[la->attributes_current], *a = history;
  if (UNLIKELY(number != la->attributes_current)) {
    la->attributes_current = number;
    if (!la->attributes_live[number]) {
      open_attributes(la, layout, number, history->last);
      history = la->attributes[number];
    }
    a = la->attributes[number];
  }
  const u8 *last = history->last;
  history->last = p;

  layer *l = la->layers + CORE_LAYERS;
  p += 30;
  last += 30;
  if (layout->rgb) {
    /* Bit 6 alone only means "not grey": the colour is unchanged. */
    if (colour_write(&a->rgb, &l->e, p, last) & 63) l->changed = 1;
    l++;
    p += 6;
    last += 6;
  }
  if (layout->nir) {
    u32 low = p[0] != last[0], high = p[1] != last[1];
    encode_symbol(&l->e, a->nir_used, low | high << 1);
    if (low) encode_symbol(&l->e, a->nir_low, (u32)(p[0] - last[0]) & 255);
    if (high) encode_symbol(&l->e, a->nir_high, (u32)(p[1] - last[1]) & 255);
    l->changed |= low | high;
    l++;
    p += 2;
    last += 2;
  }
  if (layout->wave) {
    if (!l->changed) l->changed = memcmp(p, last, WAVE_BYTES) != 0;
    wave_write(&a->wave, p, last);
    l++;
    p += WAVE_BYTES;
    last += WAVE_BYTES;
  }
  for (u32 i = 0; i < layout->extra; i++) {
    u32 diff = (u32)(p[i] - last[i]) & 255;
    encode_symbol(&l[i].e, a->extra[i], diff);
    l[i].changed |= diff;
  }
}

void layered_encode(Layered *la, const Layout *layout, const u8 *records, const u8 *end) {
  for (u32 i = 0; i < la->layer_count; i++) {
    encoder_reset(&la->layers[i].e);
    la->layers[i].changed = i <= Z; /* the position layers are always stored */
  }
  memset(la->live, 0, sizeof la->live);
  memset(la->attributes_live, 0, sizeof la->attributes_live);
  la->current = la->attributes_current = channel_of(records);
  open_channel(la, la->current, records);
  open_attributes(la, layout, la->current, records);
  u32 has_attributes = la->layer_count > CORE_LAYERS;
  for (const u8 *p = records + layout->record; p < end; p += layout->record) {
    u32 number = write_layered_point(la, p);
    if (has_attributes) write_attributes(la, layout, p, number);
  }
}
