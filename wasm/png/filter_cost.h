/* Estimates the size of a filtered row or band after Deflate. */
#ifndef PNG_FILTER_COST_H
#define PNG_FILTER_COST_H
#include "host.h"

/* Table of v * log2(v) for small integers v. */
typedef struct {
  float *table; /* NULL before log_table_prepare is called */
} LogTable;

void log_table_prepare(LogTable *logs);
/* Returns the sum of absolute values of the bytes as signed numbers (W3C PNG, 12.8). */
u32 sum_of_magnitudes(const u8 *bytes, u32 count);
/* Returns the bits that an ideal order-0 entropy coder needs for the bytes. */
u32 entropy_bits(const LogTable *logs, const u8 *bytes, u32 count);
/* Returns the number of distinct pairs of neighbouring bytes. */
u32 distinct_pairs(const u8 *bytes, u32 count);
#endif
