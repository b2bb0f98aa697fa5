/* Compares two pictures row by row by SSIM and squared errors, with the same code as the image engines (../measure). */
#include "../common/heap.h"
#include "../common/host.h"
#include "../common/types.h"
#include "../measure/measure.h"

extern u8 __heap_base; /* heap start, defined by the linker: end of data and stack */

typedef struct {
  u32 row_bytes, width;
  u8 *reference_rows, *candidate_rows;
  Measure *measure;
} Comparison;

/* An instance compares one pair of pictures at a time, so that global state is safe. */
static Comparison comparison;

/* Starts a comparison. `row_capacity`: rows per `push` at most. Samples have 8 bits, or 16 (little-endian). Returns 0
 * if memory is short. */
EXPORT(begin) int begin(u32 width, u32 channels, u32 row_capacity, int sixteen_bits) {
  Comparison *c = &comparison;
  const PixelFormat format = {(u8)channels, sixteen_bits != 0, !(channels & 1)};
  const u32 pushed = channels == 3 && !sixteen_bits ? 4 : pixels_bytes(format); /* push_over takes four bytes a pixel */
  const u64 at = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
  const u64 rows_bytes = ((u64)width * pushed * row_capacity + 15) & ~15ull;
  const u64 end = at + 2 * rows_bytes + measure_bytes(width, format);
  if (end > UINTPTR_MAX || !heap_claim((uintptr_t)end)) return 0;
  c->row_bytes = width * pixels_bytes(format);
  c->width = width;
  c->reference_rows = (u8 *)(uintptr_t)at;
  c->candidate_rows = c->reference_rows + rows_bytes;
  c->measure = measure_begin(c->candidate_rows + rows_bytes, width, format);
  return 1;
}

EXPORT(reference_at) u8 *reference_at(void) { return comparison.reference_rows; }
EXPORT(candidate_at) u8 *candidate_at(void) { return comparison.candidate_rows; }

EXPORT(push) void push(u32 rows) {
  const Comparison *c = &comparison;
  for (size_t at = 0; at < (size_t)rows * c->row_bytes; at += c->row_bytes)
    measure_row(c->measure, c->reference_rows + at, c->candidate_rows + at);
}

/* Composites RGBA, whose colours are multiplied by alpha, over black or white. Writes RGB to the same place. */
static void lay_over(u8 *rgba, size_t pixels, bool white) {
  const u8 *from = rgba;
  for (u8 *to = rgba; pixels > 0; pixels--, from += 4, to += 3) {
    const u8 rest = white ? 255 - from[3] : 0;
    to[0] = from[0] + rest, to[1] = from[1] + rest, to[2] = from[2] + rest;
  }
}

/* Compares the next rows over black or white. `begin` had three channels of eight bits; here rows are RGBA, with colours
 * multiplied by alpha. */
EXPORT(push_over) void push_over(u32 rows, u32 white) {
  const Comparison *c = &comparison;
  lay_over(c->reference_rows, (size_t)rows * c->width, white);
  lay_over(c->candidate_rows, (size_t)rows * c->width, white);
  push(rows);
}

/* Ends the comparison. Called after the last row. */
EXPORT(finish) void finish(void) { measure_break(comparison.measure); }

/* Results for the whole picture on the worse background: mean SSIM, mean squared errors of luma and of the colour
 * channels. */
EXPORT(ssim) double ssim(void) { return measure_result(comparison.measure).ssim; }
EXPORT(luma_mse) double luma_mse(void) { return measure_result(comparison.measure).luma_mse; }
EXPORT(colour_mse) double colour_mse(void) { return measure_result(comparison.measure).rgb_mse; }
