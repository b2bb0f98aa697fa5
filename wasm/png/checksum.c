#include "engine.h"

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
    c = crc_table[7][a & 255] ^ crc_table[6][a >> 8 & 255] ^ crc_table[5][a >> 16 & 255] ^ crc_table[4][a >> 24] ^
        crc_table[3][b & 255] ^ crc_table[2][b >> 8 & 255] ^ crc_table[1][b >> 16 & 255] ^ crc_table[0][b >> 24];
  }
  while (n--) c = crc_table[0][(c ^ *p++) & 255] ^ c >> 8;
  return ~c;
}

u32 adler32_of(u32 adler, const u8 *p, size_t n) {
  u32 a = adler & 65535, b = adler >> 16;
  while (n) {
    size_t run = n < 5552 ? n : 5552; /* the sums stay below 2^32 */
    n -= run;
    for (; run >= 16; p += 16, run -= 16) {
      u32 sum = 0, weighted = 0;
      for (int i = 0; i < 16; i++) {
        sum += p[i];
        weighted += (16 - i) * p[i];
      }
      b += 16 * a + weighted;
      a += sum;
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
