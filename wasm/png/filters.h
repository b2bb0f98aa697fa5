/* The five row filters (W3C PNG, 9.2). */
#ifndef PNG_FILTERS_H
#define PNG_FILTERS_H
#include "host.h"

#define FILTERS 5
enum { FILTER_NONE, FILTER_SUB, FILTER_UP, FILTER_AVERAGE, FILTER_PAETH };

/* Paeth predictor (W3C PNG, 9.4). */
static inline u8 paeth(int left, int up, int corner) {
  int to_up = up - corner, to_left = left - corner, to_corner = to_up + to_left;
  int pa = to_up < 0 ? -to_up : to_up, pb = to_left < 0 ? -to_left : to_left;
  int pc = to_corner < 0 ? -to_corner : to_corner;
  return pa <= pb && pa <= pc ? left : pb <= pc ? up : corner;
}

/* Reverses a filter: restores the `n` bytes of `row` in place; `step` bytes are one pixel. Both rows need 16 spare
 * bytes at the end. Fails if the filter number is unknown. */
void unfilter_row(int filter, u8 *restrict row, const u8 *restrict up, u32 n, u32 step);
/* Filters a row of `n` bytes: writes the filter number and the filtered bytes to `d`. */
void filter_row(int filter, u8 *restrict d, const u8 *restrict row, const u8 *restrict up, u32 n, u32 step);
#endif
