/* A separable filter that changes the size of a picture row by row. Each row that comes in is filtered along
 * itself, kept while a row that goes out needs it, and blended down the columns. The host writes the tables of
 * weights, so that one kernel serves every filter, smaller and larger.
 *
 * A pixel is four floats wherever it is kept, whatever its channels: one vector a tap. */
#include <wasm_simd128.h>

#include "../common/heap.h"
#include "../common/host.h"
#include "../common/types.h"

#define FLOATS 4 /* of a pixel */

extern u8 __heap_base; /* set by the linker: the end of data and stack */

/* What the host asks for; scale.ts writes the values in this order. */
typedef struct {
  u32 in_width, out_width, out_height, channels;
  u32 by_alpha;                  /* colour counts as much as it is opaque */
  u32 across_taps, down_taps;    /* weights of a sample that goes out */
  u32 in_capacity, out_capacity; /* rows of a batch */
  u32 period, span;              /* of every `period` rows that could go out, the first `span` are wanted */
} Job;

typedef struct {
  Job job;
  u32 *across_first, *down_first; /* the first sample that each sample that goes out needs */
  float *across, *down;           /* weights */
  float *wide;                    /* the row that came in */
  float *ring;                    /* `down_taps` rows as wide as those that go out */
  const float **blended;          /* those of the row that goes out */
  u8 *in_rows, *out_rows;
  u32 arrived, next, produced; /* rows that came in, the next to go out, and those of this batch */
} Scaler;

/* An instance scales one picture. */
static Scaler scaler;

static u64 take(u64 *at, u64 bytes) {
  const u64 place = *at;
  *at = (place + bytes + 15) & ~15ull;
  return place;
}

/* Starts a picture. Returns 0 if the memory is not enough. */
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

/* Where the host writes the job, firsts and weights along a row and down the columns, and rows that come in; and
 * where it reads rows. */
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
    default: /* the fourth byte of a pixel of three is the next one's, or padding: its lane is never read */
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

/* Sum plus pixel times weight. */
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

/* Takes colours back from opacity. */
static inline v128_t divide_by_alpha(v128_t sum) {
  float alpha = wasm_f32x4_extract_lane(sum, 3);
  alpha = alpha < 0 ? 0 : alpha > 255 ? 255 : alpha;
  const v128_t colour = alpha > 0 ? wasm_f32x4_mul(sum, wasm_f32x4_splat(255 / alpha)) : wasm_f32x4_splat(0);
  return wasm_f32x4_replace_lane(colour, 3, alpha);
}

/* Rounds to the nearest, cut at 0 and 255. Pixels of three write one byte too many, which the next one overwrites. */
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

/* Takes up to `rows` of the rows at `in_rows`, from the `skip`-th on, until there is no place for what goes out.
 * Returns how many it took; `made` says how many rows stand at `out_rows`. The host calls again with what is left. */
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
