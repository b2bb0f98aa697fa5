/* Estimates of what a filtered row or band takes when it is deflated. */
#ifndef PNG_FILTER_COST_H
#define PNG_FILTER_COST_H
#include "host.h"

/* v * log2(v) of small v. */
typedef struct {
  float *table; /* NULL before log_table_prepare */
} LogTable;

void log_table_prepare(LogTable *logs);
/* Sum of magnitudes of the bytes as signed numbers (W3C PNG, 12.8). */
u32 sum_of_magnitudes(const u8 *bytes, u32 count);
/* Bits that an order-0 coder needs. */
u32 entropy_bits(const LogTable *logs, const u8 *bytes, u32 count);
/* Number of distinct pairs of neighbouring bytes. */
u32 distinct_pairs(const u8 *bytes, u32 count);
#endif
