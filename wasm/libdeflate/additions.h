/*
 * What we add to libdeflate: functions that the patches and the headers here put into its deflate_compress.c.
 */
#ifndef WHITTLE_ADDITIONS_H
#define WHITTLE_ADDITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdeflate.h"

/* ---- priced.h: samples of pictures ---- */

/* A compressor: fast, or by the near-optimal parse in one pass. NULL: there is no memory. */
struct libdeflate_compressor *libdeflate_alloc_compressor_samples(bool fast);

/* ---- thorough.h: small data that is kept for long ---- */

struct thorough_stream *libdeflate_thorough_begin(struct libdeflate_compressor *, const void *in, size_t in_nbytes,
						  void *out, size_t out_nbytes_avail);
bool libdeflate_thorough_stretch(struct thorough_stream *);
size_t libdeflate_thorough_end(struct thorough_stream *);

/* ---- segments.patch: streams in segments ---- */

size_t libdeflate_deflate_compress_segment(struct libdeflate_compressor *, const void *in, size_t in_nbytes,
					   size_t window_nbytes, bool more_follows, void *out,
					   size_t out_nbytes_avail, uint32_t *bits);

#endif
