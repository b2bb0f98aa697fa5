/* Point record fields that both families of point formats share: GPS time, colour, wave packets. */
#ifndef LAZ_FIELDS_H
#define LAZ_FIELDS_H

#include "coder.h"

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

/* GPS time coder. Times are 64-bit floats; differences are taken of their bit patterns as integers. Up to four
 * interleaved sequences are tracked. A step is coded as a small multiple of the previous step plus a remainder. Point
 * formats 0 to 5 code an unchanged time as a symbol; layered formats record it elsewhere. */
typedef struct {
  encoder *e;
  model *steps, *first_step;
  integers integers;
  i64 last[4];
  i32 diff[4];
  u32 extremes[4];
  u32 current, next;
  u32 extra; /* offset of the symbol tables if "unchanged" has its own symbol */
} gps_time;

/* `codes_unchanged`: 1 for point formats 0 to 5, which have a symbol for an unchanged time. */
void time_begin(gps_time *t, encoder *e, u32 codes_unchanged);
void time_reset(gps_time *t, i64 first);
void time_write(gps_time *t, i64 time);

/* ---- RGB colour ---- */

typedef struct {
  model *used, *diffs[6];
} colour;

void colour_begin(colour *c);
void colour_reset(colour *c);
/* Encodes the colour at `p` relative to the one at `last`. Returns a mask of changed bytes; bit 6: the colour is not
 * grey. */
u32 colour_write(colour *c, encoder *e, const u8 *p, const u8 *last);

/* ---- Wave packets ---- */

enum { WAVE_BYTES = 29 };

typedef struct {
  encoder *e;
  model *index, *offset_kind[4];
  integers offset, size, return_point, xyz;
  u32 last_kind;
  i32 last_diff;
} wave;

void wave_begin(wave *w, encoder *e);
void wave_reset(wave *w);
void wave_write(wave *w, const u8 *p, const u8 *last);

#endif
