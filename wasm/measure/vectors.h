/* Vectors of four numbers, and their cube roots without division, for colours in XYB and CIE Lab. */
#ifndef WHITTLE_VECTORS_H
#define WHITTLE_VECTORS_H
#include <stdbool.h>
#include <stdint.h>
#include <wasm_simd128.h>

typedef float v4 __attribute__((vector_size(16), aligned(4)));
typedef int32_t i4 __attribute__((vector_size(16), aligned(4)));

static inline v4 load(const float *p) { return *(const v4 *)p; }
static inline void store(float *p, v4 v) { *(v4 *)p = v; }
static inline v4 positive(v4 v) { return (v4)((i4)v & (v > 0)); }

/* Returns four copies of a number that the compiler does not know. Engines build known vectors again for each use, which
 * takes three instructions, but keep unknown ones in registers. */
static inline v4 held(float value) {
  __asm__("" : "+r"(value));
  return (v4){value, value, value, value};
}
static inline i4 held_bits(int32_t value) {
  __asm__("" : "+r"(value));
  return (i4){value, value, value, value};
}

/* True if four pixels have alpha 255. */
static inline bool are_opaque(v128_t pixels) {
  return wasm_i32x4_all_true(wasm_u32x4_gt(pixels, wasm_i32x4_splat(0xfeffffff)));
}

/* Transposes four vectors. The fourth number of each is dropped. */
static inline void transpose(const v4 from[4], v4 to[3]) {
  const v4 a = __builtin_shufflevector(from[0], from[1], 0, 4, 1, 5);
  const v4 b = __builtin_shufflevector(from[2], from[3], 0, 4, 1, 5);
  to[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5), to[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  const v4 c = __builtin_shufflevector(from[0], from[1], 2, 6, 3, 7);
  const v4 d = __builtin_shufflevector(from[2], from[3], 2, 6, 3, 7);
  to[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
}

typedef struct {
  i4 start, third;
  v4 one, term[4];
} CubeRoot;

static inline CubeRoot cube_root_terms(void) {
  return (CubeRoot){held_bits(0x54a1aaf7),
                    held_bits(21845 << 16),
                    held(1),
                    {held(-.6666509551f), held(.5555407138f), held(-.4996095030f), held(.4581368331f)}};
}

/* Returns the cube roots of positive numbers, with a relative error below 4e-7. 65536 / 3 times the upper half of the
 * bits is a third of the logarithm, which gives a first root r of 1 / x within 3.5 %. A polynomial of x r^3 - 1 for
 * (x r^3)^(-2/3) corrects x r^2. */
static inline v4 cube_root(const CubeRoot *k, v4 x) {
  const v4 r = (v4)(k->start - (i4)wasm_i32x4_dot_i16x8((v128_t)x, (v128_t)k->third));
  const v4 root = x * (r * r), off = root * r - k->one;
  return root * (k->one + off * (k->term[0] + off * (k->term[1] + off * (k->term[2] + off * k->term[3]))));
}
#endif
