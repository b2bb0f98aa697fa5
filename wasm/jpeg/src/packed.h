/* Reads packed rows; store.c writes them and store.h describes the format. */
#ifndef WHITTLE_JPEG_PACKED_H
#define WHITTLE_JPEG_PACKED_H

#include <stdint.h>

/* Reads the DC difference to the previous block. */
static inline const uint8_t *read_dc(const uint8_t *in, int *difference) {
  uint32_t zigzag = 0, shift = 0, token;
  do {
    token = *in++;
    zigzag |= (token & 127) << shift;
    shift += 7;
  } while (token & 128);
  *difference = (int)(zigzag >> 1) ^ -(int)(zigzag & 1);
  return in;
}

/* Reads the AC value of `token`. `gap`: number of zeros in zigzag order before it. */
static inline const uint8_t *read_ac(const uint8_t *in, uint32_t token, int *gap, int *value) {
  const int code = token & 15;
  *gap = token >> 4;
  if (*gap == 15) *gap = *in++;
  if (code <= 12) {
    *value = code & 1 ? (code + 1) >> 1 : -(code >> 1);
  } else if (code == 13) {
    *value = (int8_t)*in++;
  } else {
    *value = (int16_t)(in[0] | in[1] << 8);
    in += 2;
  }
  return in;
}

#endif
