/* Two pictures compared, row by row, by the meter that the engines of pictures have built in (../measure). */
#include <stdint.h>

#include "heap.h"
#include "measure.h"

#define EXPORT(name) __attribute__((export_name(#name)))

extern unsigned char __heap_base;

static uint32_t row_bytes;
static uint8_t *reference_rows, *candidate_rows;
static Measure *measure;

/*
 * Starts a measurement. `row_capacity` is how many rows one `push` may bring; their samples have eight bits, or sixteen
 * (little-endian). Returns 0 when the memory does not suffice.
 */
EXPORT(begin) int begin(uint32_t width, uint32_t channels, uint32_t row_capacity, int sixteen_bits) {
  const PixelFormat format = {(uint8_t)channels, sixteen_bits != 0, !(channels & 1)};
  const uint64_t at = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
  const uint64_t rows_bytes = ((uint64_t)width * pixels_bytes(format) * row_capacity + 15) & ~15ull;
  const uint64_t end = at + 2 * rows_bytes + measure_bytes(width, format);
  if (end > UINTPTR_MAX || !heap_claim((uintptr_t)end)) return 0;
  row_bytes = width * pixels_bytes(format);
  reference_rows = (uint8_t *)(uintptr_t)at;
  candidate_rows = reference_rows + rows_bytes;
  measure = measure_begin(candidate_rows + rows_bytes, width, format);
  return 1;
}

EXPORT(reference_at) uint8_t *reference_at(void) { return reference_rows; }
EXPORT(candidate_at) uint8_t *candidate_at(void) { return candidate_rows; }

EXPORT(push) void push(uint32_t rows) {
  for (size_t at = 0; at < (size_t)rows * row_bytes; at += row_bytes) measure_row(measure, reference_rows + at, candidate_rows + at);
}

/* After the last row. */
EXPORT(finish) void finish(void) { measure_break(measure); }

/* Over the whole picture, on the worse background: mean SSIM, mean squared errors of luma and of the colour channels. */
EXPORT(ssim) double ssim(void) { return measure_result(measure).ssim; }
EXPORT(luma_mse) double luma_mse(void) { return measure_result(measure).luma_mse; }
EXPORT(colour_mse) double colour_mse(void) { return measure_result(measure).rgb_mse; }
