#include "filter_cost.h"

#include <math.h>

#define LOGS 65536u

void log_table_prepare(LogTable *logs) {
  if (logs->table) return;
  logs->table = allocate(LOGS * sizeof(float));
  logs->table[0] = 0;
  for (u32 v = 1; v < LOGS; v++) logs->table[v] = (float)(v * log2((double)v));
}

static float v_log_v(const float *table, u32 v) { return v < LOGS ? table[v] : (float)(v * log2((double)v)); }

u32 sum_of_magnitudes(const u8 *d, u32 n) {
  u32 sum = 0;
  for (u32 i = 0; i < n; i++) {
    i32 v = (int8_t)d[i];
    sum += v < 0 ? -v : v;
  }
  return sum;
}

u32 entropy_bits(const LogTable *logs, const u8 *d, u32 n) {
  u32 counts[4][256]; /* four tables, so that equal bytes in sequence do not cause store-to-load stalls */
  memset(counts, 0, sizeof counts);
  u32 i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) counts[k][d[i + k]]++;
  for (; i < n; i++) counts[0][d[i]]++;
  const float *table = logs->table;
  float bits = v_log_v(table, n);
  for (i = 0; i < 256; i++) bits -= v_log_v(table, counts[0][i] + counts[1][i] + counts[2][i] + counts[3][i]);
  return bits < 0 ? 0 : (u32)bits;
}

u32 distinct_pairs(const u8 *d, u32 n) {
  u8 met[8192]; /* bitmap with one bit per possible byte pair */
  memset(met, 0, sizeof met);
  u32 count = 0;
  for (u32 i = 1; i < n; i++) {
    u32 pair = d[i - 1] << 8 | d[i], bit = 1u << (pair & 7);
    count += !(met[pair >> 3] & bit);
    met[pair >> 3] |= bit;
  }
  return count;
}
