#include "checksum.h"

#include <wasm_simd128.h>

/* CRC-32 polynomial, lowest bit first (W3C PNG, annex D). */
#define CRC_POLYNOMIAL 0xedb88320u
/* Adler-32 (RFC 1950, section 9): the largest prime below 65,536, and the number of bytes after which the 32-bit sums
 * could overflow. */
#define ADLER_MODULUS 65521
#define ADLER_RUN_BYTES 5552

static void crc_prepare(Crc32 *t) {
  for (u32 i = 0; i < 256; i++) {
    u32 c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? CRC_POLYNOMIAL ^ c >> 1 : c >> 1;
    t->table[0][i] = c;
  }
  for (int k = 1; k < 8; k++)
    for (int i = 0; i < 256; i++) {
      const u32 before = t->table[k - 1][i];
      t->table[k][i] = t->table[0][before & 255] ^ before >> 8;
    }
}

u32 crc32_of(Crc32 *tables, u32 crc, const u8 *p, size_t n) {
  if (!tables->table[0][1]) crc_prepare(tables);
  const u32(*t)[256] = (const u32(*)[256])tables->table;
  u32 c = ~crc;
  for (; n >= 8; p += 8, n -= 8) {
    u32 a, b;
    memcpy(&a, p, 4);
    memcpy(&b, p + 4, 4);
    a ^= c;
    c = t[7][a & 255] ^ t[6][a >> 8 & 255] ^ t[5][a >> 16 & 255] ^ t[4][a >> 24];
    c ^= t[3][b & 255] ^ t[2][b >> 8 & 255] ^ t[1][b >> 16 & 255] ^ t[0][b >> 24];
  }
  while (n--) c = t[0][(c ^ *p++) & 255] ^ c >> 8;
  return ~c;
}

u32 adler32_of(u32 adler, const u8 *p, size_t n) {
  u32 a = adler & 65535, b = adler >> 16;
  while (n) {
    size_t run = n < ADLER_RUN_BYTES ? n : ADLER_RUN_BYTES;
    n -= run;
    const v128_t weights = wasm_u8x16_make(16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
    v128_t sum = wasm_u32x4_splat(0), before = sum, weighted = sum;
    b += a * (run & ~15u);
    for (; run >= 16; p += 16, run -= 16) {
      const v128_t bytes = wasm_v128_load(p);
      before = wasm_i32x4_add(before, sum);
      const v128_t pairs = wasm_u16x8_extadd_pairwise_u8x16(bytes);
      sum = wasm_i32x4_add(sum, wasm_u32x4_extadd_pairwise_u16x8(pairs));
      const v128_t low = wasm_u16x8_extmul_low_u8x16(bytes, weights),
                   high = wasm_u16x8_extmul_high_u8x16(bytes, weights);
      const v128_t products = wasm_i16x8_add(low, high);
      weighted = wasm_i32x4_add(weighted, wasm_u32x4_extadd_pairwise_u16x8(products));
    }
    u32 sums[3][4];
    wasm_v128_store(sums[0], sum), wasm_v128_store(sums[1], before), wasm_v128_store(sums[2], weighted);
    for (int i = 0; i < 4; i++) {
      a += sums[0][i];
      b += 16 * sums[1][i] + sums[2][i];
    }
    while (run--) {
      a += *p++;
      b += a;
    }
    a %= ADLER_MODULUS;
    b %= ADLER_MODULUS;
  }
  return b << 16 | a;
}
