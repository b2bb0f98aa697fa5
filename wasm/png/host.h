/* Host functions, wasm/common and SIMD types that the PNG engine uses. */
#ifndef PNG_HOST_H
#define PNG_HOST_H
#include <stdlib.h>
#include <string.h>

#include "../common/allocate.h"
#include "../common/host.h"

/* Vectors of four numbers in a SIMD register. */
typedef float v4f __attribute__((vector_size(16)));
typedef i32 v4i __attribute__((vector_size(16)));

/* Passes a decoded row, or a row of palette indices, to the host. */
IMPORT(row) void host_row(const u8 *bytes, u32 count, u32 y);
#endif
