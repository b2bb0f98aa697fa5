#include "fields.h"

/* ---- GPS time ---- */

void time_begin(gps_time *t, encoder *e, u32 codes_unchanged) {
  t->e = e;
  t->extra = codes_unchanged;
  t->steps = new_model(MAX_MULTIPLE - MIN_MULTIPLE + 5 + codes_unchanged);
  t->first_step = new_model(5 + codes_unchanged);
  integers_begin(&t->integers, e, 32, 9);
}

void time_reset(gps_time *t, i64 first) {
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
  /* Only -2^31 / -1 overflows; LASzip's conversion gives the smallest integer. */
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
  /* After four consecutive steps out of range, the reference step is replaced. */
  if ((context == 4 || context >= 6) && ++t->extremes[now] > 3) {
    t->diff[now] = diff;
    t->extremes[now] = 0;
  }
}

void time_write(gps_time *t, i64 time) {
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

/* ---- RGB colour ---- */

void colour_begin(colour *c) {
  c->used = new_model(128);
  for (u32 i = 0; i < 6; i++) c->diffs[i] = new_model(256);
}

void colour_reset(colour *c) {
  model_reset(c->used);
  for (u32 i = 0; i < 6; i++) model_reset(c->diffs[i]);
}

u32 colour_write(colour *c, encoder *e, const u8 *p, const u8 *last) {
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
    /* Green is predicted from the change of red, blue from the mean of both changes. */
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

void wave_begin(wave *w, encoder *e) {
  w->e = e;
  w->index = new_model(256);
  for (u32 i = 0; i < 4; i++) w->offset_kind[i] = new_model(4);
  integers_begin(&w->offset, e, 32, 1);
  integers_begin(&w->size, e, 32, 1);
  integers_begin(&w->return_point, e, 32, 1);
  integers_begin(&w->xyz, e, 32, 3);
}

void wave_reset(wave *w) {
  model_reset(w->index);
  for (u32 i = 0; i < 4; i++) model_reset(w->offset_kind[i]);
  integers_reset(&w->offset);
  integers_reset(&w->size);
  integers_reset(&w->return_point);
  integers_reset(&w->xyz);
  w->last_kind = 0;
  w->last_diff = 0;
}

void wave_write(wave *w, const u8 *p, const u8 *last) {
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
