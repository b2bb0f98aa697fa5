/* Hashes of rows and bytes to check that two GIFs show the same. They are not collision-resistant against attackers,
 * because both files belong to one job. */
#ifndef GIF_ROW_HASH_H
#define GIF_ROW_HASH_H

#include "../common/types.h"

/* FNV-1a, 64 bits (Fowler, Noll, Vo). */
#define FNV_OFFSET 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u
/* 2^64 divided by the golden ratio, rounded to an odd number: spreads a sum over all bits. */
#define HASH_MIX 0x9E3779B97F4A7C15u

/* NH hash (Black, Halevi, Krawczyk, Krovetz, Rogaway, "UMAC", 1999): sums products of neighbours, each plus a key. The
 * key of a position is the position multiplied by an odd constant. */
static inline u64 hash_pair(u32 a, u32 b, u32 at) { return (u64)(a + at * 0x9E3779B1u) * (b + (at + 1) * 0x85EBCA77u); }
static inline u64 hash_single(u32 a, u32 at) { return (u64)(a + at * 0x9E3779B1u) * 0x85EBCA77u; }
/* Returns the hash of a row combined with its row number. */
static inline u64 hash_in_row(u64 hash, u32 row) { return hash * (2 * (u64)row + 1); }

#endif
