/* Checksums of PNG chunks (CRC-32) and of zlib streams (Adler-32). */
#ifndef PNG_CHECKSUM_H
#define PNG_CHECKSUM_H
#include "host.h"

/* CRC-32 tables for eight bytes per step ("slicing by 8", Kounavis and Berry 2005). All zero until the first use. */
typedef struct {
  u32 table[8][256];
} Crc32;

/* CRC-32 (W3C PNG, annex D). Continues from `crc`, which is 0 at the start. */
u32 crc32_of(Crc32 *tables, u32 crc, const u8 *bytes, size_t count);
/* Adler-32 (RFC 1950, section 9). Continues from `adler`, which is 1 at the start. */
u32 adler32_of(u32 adler, const u8 *bytes, size_t count);
#endif
