/* Functions that the patches and headers in this folder add to libdeflate's deflate_compress.c. */
#ifndef WHITTLE_ADDITIONS_H
#define WHITTLE_ADDITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdeflate.h"

/* ---- priced.h: picture samples ---- */

/* Allocates a compressor for picture samples: fast, or with one pass of the near-optimal parser. NULL: out of
 * memory. */
struct libdeflate_compressor *libdeflate_alloc_compressor_samples(bool fast);

/* ---- thorough.h: small data that is stored for long ---- */

struct thorough_stream *libdeflate_thorough_begin(struct libdeflate_compressor *, const void *in, size_t in_nbytes,
						  void *out, size_t out_nbytes_avail);
bool libdeflate_thorough_stretch(struct thorough_stream *);
size_t libdeflate_thorough_end(struct thorough_stream *);

/* ---- segments.patch: streams compressed in segments ---- */

size_t libdeflate_deflate_compress_segment(struct libdeflate_compressor *, const void *in, size_t in_nbytes,
					   size_t window_nbytes, bool more_follows, void *out,
					   size_t out_nbytes_avail, uint32_t *bits);

#endif
