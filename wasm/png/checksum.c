#include "engine.h"

#include <wasm_simd128.h>

/* Eight tables: eight bytes a step ("slicing by 8", Kounavis and Berry 2005). */
static u32 crc_table[8][256];

static void crc_prepare(void) {
  for (u32 i = 0; i < 256; i++) {
    u32 c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
    crc_table[0][i] = c;
  }
  for (int t = 1; t < 8; t++)
    for (int i = 0; i < 256; i++) crc_table[t][i] = crc_table[0][crc_table[t - 1][i] & 255] ^ crc_table[t - 1][i] >> 8;
}

u32 crc32_of(u32 crc, const u8 *p, size_t n) {
  if (!crc_table[0][1]) crc_prepare();
  u32 c = ~crc;
  for (; n >= 8; p += 8, n -= 8) {
    u32 a, b;
    memcpy(&a, p, 4);
    memcpy(&b, p + 4, 4);
    a ^= c;
    c = crc_table[7][a & 255] ^ crc_table[6][a >> 8 & 255] ^ crc_table[5][a >> 16 & 255] ^ crc_table[4][a >> 24] ^ crc_table[3][b & 255] ^
        crc_table[2][b >> 8 & 255] ^ crc_table[1][b >> 16 & 255] ^ crc_table[0][b >> 24];
  }
  while (n--) c = crc_table[0][(c ^ *p++) & 255] ^ c >> 8;
  return ~c;
}

u32 adler32_of(u32 adler, const u8 *p, size_t n) {
  u32 a = adler & 65535, b = adler >> 16;
  while (n) {
    size_t run = n < 5552 ? n : 5552; /* the sums stay below 2^32 */
    n -= run;
    const v128_t weights = wasm_u8x16_make(16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
    v128_t sum = wasm_u32x4_splat(0), before = sum, weighted = sum;
    b += a * (run & ~15u);
    for (; run >= 16; p += 16, run -= 16) {
      const v128_t bytes = wasm_v128_load(p);
      before = wasm_i32x4_add(before, sum);
      sum = wasm_i32x4_add(sum, wasm_u32x4_extadd_pairwise_u16x8(wasm_u16x8_extadd_pairwise_u8x16(bytes)));
      const v128_t products = wasm_i16x8_add(wasm_u16x8_extmul_low_u8x16(bytes, weights), wasm_u16x8_extmul_high_u8x16(bytes, weights));
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
    a %= 65521;
    b %= 65521;
  }
  return b << 16 | a;
}
