/* The few SSE2 instructions that zstd uses, as WebAssembly SIMD: 16 tags of its match finder are compared at once. */
#ifndef WHITTLE_EMMINTRIN_H
#define WHITTLE_EMMINTRIN_H

#include <wasm_simd128.h>

typedef v128_t __m128i;

static inline __m128i _mm_set1_epi8(char value) { return wasm_i8x16_splat(value); }
static inline __m128i _mm_loadu_si128(const __m128i *from) { return wasm_v128_load(from); }
static inline void _mm_storeu_si128(__m128i *to, __m128i value) { wasm_v128_store(to, value); }
static inline __m128i _mm_cmpeq_epi8(__m128i a, __m128i b) { return wasm_i8x16_eq(a, b); }
static inline int _mm_movemask_epi8(__m128i value) { return wasm_i8x16_bitmask(value); }

#endif
