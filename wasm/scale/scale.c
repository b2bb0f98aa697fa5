/* Separable resampling filter that resizes a picture row by row. Each input row is filtered horizontally, kept while an
 * output row needs it, and blended vertically. The host provides the weight tables, so that the same code serves every
 * filter, for enlarging and reducing. A stored pixel has four floats for any number of channels: one vector per tap. */
#include <wasm_simd128.h>

#include "../common/heap.h"
#include "../common/host.h"
#include "../common/types.h"

#define FLOATS 4 /* floats per stored pixel, for any number of channels */

extern u8 __heap_base; /* heap start, defined by the linker: end of data and stack */

/* Parameters from the host; scale.ts writes the values in this order. */
typedef struct {
  u32 in_width, out_width, out_height, channels;
  u32 by_alpha;                  /* 1: colours are weighted by alpha (premultiplied) */
  u32 across_taps, down_taps;    /* filter taps: weights per output sample, horizontal and vertical */
  u32 in_capacity, out_capacity; /* largest number of rows in an input or output batch */
  u32 period, span;              /* of every `period` output rows, only the first `span` are produced */
} Job;

typedef struct {
  Job job;
  u32 *across_first, *down_first; /* index of the first input sample for each output sample */
  float *across, *down;           /* filter weights, horizontal and vertical */
  float *wide;                    /* current input row as floats */
  float *ring;                    /* ring buffer of `down_taps` horizontally filtered rows */
  const float **blended;          /* rows that the current output row blends */
  u8 *in_rows, *out_rows;
  u32 arrived, next, produced; /* input rows so far, next output row, and output rows in this batch */
} Scaler;

/* An instance scales one picture, so that global state is safe. */
static Scaler scaler;

static u64 take(u64 *at, u64 bytes) {
  const u64 place = *at;
  *at = (place + bytes + 15) & ~15ull;
  return place;
}

/* Starts a picture. Returns 0 if memory is short. */
EXPORT(begin) int begin(void) {
  Scaler *s = &scaler;
  const Job *job = &s->job;
  s->arrived = s->next = 0;
  u64 at = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
  const u64 places[] = {
      take(&at, 4ull * job->out_width),
      take(&at, 4ull * job->out_height),
      take(&at, 4ull * job->out_width * job->across_taps),
      take(&at, 4ull * job->out_height * job->down_taps),
      take(&at, 16ull * job->in_width),
      take(&at, 16ull * job->out_width * job->down_taps),
      take(&at, 4ull * job->down_taps),
      take(&at, (u64)job->in_width * job->channels * job->in_capacity + 4),
      take(&at, (u64)job->out_width * job->channels * job->out_capacity + 4),
  };
  if (at > UINTPTR_MAX || !heap_claim((uintptr_t)at)) return 0;
  s->across_first = (u32 *)places[0];
  s->down_first = (u32 *)places[1];
  s->across = (float *)places[2];
  s->down = (float *)places[3];
  s->wide = (float *)places[4];
  s->ring = (float *)places[5];
  s->blended = (const float **)places[6];
  s->in_rows = (u8 *)places[7];
  s->out_rows = (u8 *)places[8];
  return 1;
}

/* Returns a buffer address by number: job, horizontal firsts and weights, vertical firsts and weights, input rows,
 * output rows. */
EXPORT(place) void *place(int what) {
  Scaler *s = &scaler;
  void *places[] = {&s->job, s->across_first, s->across, s->down_first, s->down, s->in_rows, s->out_rows};
  return places[what];
}

static void widen(Scaler *s, const u8 *row) {
  const u32 width = s->job.in_width, channels = s->job.channels;
  float *out = s->wide;
  switch (channels) {
    case 1:
      for (u32 x = 0; x < width; x++, out += FLOATS) wasm_v128_store(out, wasm_f32x4_make(row[x], 0, 0, 0));
      return;
    case 2:
      for (u32 x = 0; x < width; x++, row += 2, out += FLOATS)
        wasm_v128_store(out, wasm_f32x4_make(row[0], row[1], 0, 0));
      return;
    default: /* with three channels, the fourth byte is the next pixel or padding; its lane is never used */
      for (u32 x = 0; x < width; x++, row += channels, out += FLOATS) {
        const v128_t bytes = wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(row));
        v128_t pixel = wasm_f32x4_convert_u32x4(wasm_u32x4_extend_low_u16x8(bytes));
        if (s->job.by_alpha) {
          const float alpha = row[3];
          pixel = wasm_f32x4_replace_lane(wasm_f32x4_mul(pixel, wasm_f32x4_splat(alpha / 255)), 3, alpha);
        }
        wasm_v128_store(out, pixel);
      }
  }
}

/* Returns `sum` + `pixel` × `weight` for the four floats of a pixel. */
static inline v128_t add_weighted(v128_t sum, const float *pixel, const float *weight) {
  return wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_v128_load(pixel), wasm_v128_load32_splat(weight)));
}

static void filter_along(Scaler *s, float *out) {
  const u32 taps = s->job.across_taps, width = s->job.out_width, *first = s->across_first;
  const float *weight = s->across, *wide = s->wide;
  for (u32 x = 0; x < width; x++, weight += taps, out += FLOATS) {
    const float *pixel = wide + FLOATS * (size_t)first[x];
    v128_t sum = wasm_f32x4_mul(wasm_v128_load(pixel), wasm_v128_load32_splat(weight));
    for (u32 tap = 1; tap < taps; tap++) sum = add_weighted(sum, pixel + FLOATS * tap, weight + tap);
    wasm_v128_store(out, sum);
  }
}

/* Divides colours by alpha (un-premultiplies). */
static inline v128_t divide_by_alpha(v128_t sum) {
  float alpha = wasm_f32x4_extract_lane(sum, 3);
  alpha = alpha < 0 ? 0 : alpha > 255 ? 255 : alpha;
  const v128_t colour = alpha > 0 ? wasm_f32x4_mul(sum, wasm_f32x4_splat(255 / alpha)) : wasm_f32x4_splat(0);
  return wasm_f32x4_replace_lane(colour, 3, alpha);
}

/* Computes an output row, rounded and clamped to 0-255. With three channels, a pixel writes one byte too many, which
 * the next pixel overwrites. */
static void blend(Scaler *s, u8 *out) {
  const u32 taps = s->job.down_taps, width = s->job.out_width, channels = s->job.channels;
  const float *weight = s->down + (size_t)s->next * taps, **blended = s->blended;
  const u32 first = s->down_first[s->next];
  for (u32 tap = 0; tap < taps; tap++) blended[tap] = s->ring + ((first + tap) % taps) * FLOATS * (size_t)width;
  for (u32 x = 0; x < width; x++, out += channels) {
    v128_t sum = wasm_f32x4_splat(0);
    for (u32 tap = 0; tap < taps; tap++) sum = add_weighted(sum, blended[tap] + FLOATS * (size_t)x, weight + tap);
    if (s->job.by_alpha) sum = divide_by_alpha(sum);
    const v128_t whole = wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(sum));
    const v128_t bytes = wasm_u8x16_narrow_i16x8(wasm_i16x8_narrow_i32x4(whole, whole), wasm_i16x8_splat(0));
    if (channels >= 3) {
      wasm_v128_store32_lane(out, bytes, 0);
    } else {
      out[0] = wasm_u8x16_extract_lane(bytes, 0);
      if (channels == 2) out[1] = wasm_u8x16_extract_lane(bytes, 1);
    }
  }
}

/* Processes up to `rows` rows at `in_rows`, from index `skip` on, until the output buffer is full. Returns the number
 * of rows used; `made` returns the number of rows at `out_rows`. The host calls again with the remaining rows. */
EXPORT(push) u32 push(u32 skip, u32 rows) {
  Scaler *s = &scaler;
  const Job *job = &s->job;
  s->produced = 0;
  for (u32 taken = 0;; taken++) {
    while (s->next < job->out_height && s->down_first[s->next] + job->down_taps <= s->arrived) {
      if (s->produced == job->out_capacity) return taken;
      blend(s, s->out_rows + (size_t)s->produced++ * job->out_width * job->channels);
      if (++s->next % job->period >= job->span) s->next += job->period - s->next % job->period;
    }
    if (taken == rows) return taken;
    if (s->next < job->out_height && s->arrived >= s->down_first[s->next]) {
      widen(s, s->in_rows + (size_t)(skip + taken) * job->in_width * job->channels);
      filter_along(s, s->ring + (s->arrived % job->down_taps) * FLOATS * (size_t)job->out_width);
    }
    s->arrived++;
  }
}

EXPORT(made) u32 made(void) { return scaler.produced; }
