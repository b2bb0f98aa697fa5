/*
 * The door to libdeflate: an arena instead of malloc, so that one instance serves many calls without fragmentation, and
 * one compressor kept at its bottom. Layout of the linear memory from __heap_base on:
 *
 *   [decompressor][compressor of the last level][input][output]
 *
 * Everything above the compressor is forgotten by `arena_reset`.
 */
#include <stddef.h>
#include <stdint.h>

#include "heap.h"
#include "libdeflate.h"

#define EXPORT(name) __attribute__((export_name(#name)))

enum container { RAW = 0, ZLIB = 1, GZIP = 2 };

extern unsigned char __heap_base;

static uintptr_t arena_top;   /* first free byte */
static uintptr_t arena_floor; /* where `arena_reset` goes back to: the end of the compressor */
static uintptr_t compressor_floor; /* where the compressor begins: above the decompressor */
static struct libdeflate_compressor *compressor;
static int compressor_level = -1;
static struct libdeflate_decompressor *decompressor;
static size_t consumed_bytes, produced_bytes;

/* 64-byte aligned memory, or NULL when the memory cannot grow. */
EXPORT(arena_reserve) void *arena_reserve(size_t bytes)
{
	if (!arena_top) arena_top = arena_floor = ((uintptr_t)&__heap_base + 63) & ~(uintptr_t)63;
	uintptr_t at = arena_top;
	if (bytes > UINT32_MAX - 63 - at) return NULL;
	uintptr_t end = (at + bytes + 63) & ~(uintptr_t)63;
	if (!heap_claim(end)) return NULL;
	arena_top = end;
	return (void *)at;
}

EXPORT(arena_reset) void arena_reset(void) { arena_top = arena_floor; }

/* What libdeflate allocates comes from the arena, too, and goes when the arena is cut back. */
void *malloc(size_t bytes) { return arena_reserve(bytes); }
void free(void *ignored) { (void)ignored; }

/* priced.h: two levels of our own above libdeflate's twelve */
struct libdeflate_compressor *libdeflate_alloc_compressor_samples(_Bool fast);

enum own_level { SAMPLES_FAST = 13, SAMPLES_CLOSE = 14 };

/* Makes the compressor of this level ready. Call on an empty arena: a change of level moves the floor. 0: no memory. */
EXPORT(prepare_level) int prepare_level(int level)
{
	if (!decompressor) {
		decompressor = libdeflate_alloc_decompressor();
		if (!decompressor) return 0;
		compressor_floor = arena_floor = arena_top;
	}
	if (level < 0 || level == compressor_level) return 1;
	if (level > SAMPLES_CLOSE) return 0;
	arena_floor = arena_top = compressor_floor;
	compressor_level = -1;
	compressor = level >= SAMPLES_FAST ? libdeflate_alloc_compressor_samples(level == SAMPLES_FAST) : libdeflate_alloc_compressor(level);
	if (!compressor) return 0;
	compressor_level = level;
	arena_floor = arena_top;
	return 1;
}

EXPORT(compress_bound) size_t compress_bound(int container, size_t bytes)
{
	return container == GZIP   ? libdeflate_gzip_compress_bound(compressor, bytes)
	       : container == ZLIB ? libdeflate_zlib_compress_bound(compressor, bytes)
				   : libdeflate_deflate_compress_bound(compressor, bytes);
}

/* Bytes written, or 0 when the result does not fit in `room`. */
EXPORT(compress) size_t compress(int container, const void *in, size_t bytes, void *out, size_t room)
{
	return container == GZIP   ? libdeflate_gzip_compress(compressor, in, bytes, out, room)
	       : container == ZLIB ? libdeflate_zlib_compress(compressor, in, bytes, out, room)
				   : libdeflate_deflate_compress(compressor, in, bytes, out, room);
}

/* thorough.h */
struct thorough_stream *libdeflate_thorough_begin(struct libdeflate_compressor *, const void *in, size_t in_nbytes, void *out,
						  size_t out_nbytes_avail);
_Bool libdeflate_thorough_stretch(struct thorough_stream *);
size_t libdeflate_thorough_end(struct thorough_stream *);

static struct thorough_stream *thorough;

/* Begins a raw stream by a compressor of level 10 to 12. 0: there is no room, or 6 MB are not there. */
EXPORT(begin_thorough) int begin_thorough(const void *in, size_t bytes, void *out, size_t room)
{
	thorough = libdeflate_thorough_begin(compressor, in, bytes, out, room);
	return thorough != NULL;
}

/* At most 300,000 bytes more. 0: that was the last. */
EXPORT(thorough_stretch) int thorough_stretch(void) { return libdeflate_thorough_stretch(thorough); }

/* Bytes written, or 0 when the result did not fit. */
EXPORT(end_thorough) size_t end_thorough(void) { return libdeflate_thorough_end(thorough); }

/* A `libdeflate_result`: 0 success, 1 bad data, 3 insufficient space. Then `consumed` and `produced` tell the lengths. */
EXPORT(decompress) int decompress(int container, const void *in, size_t bytes, void *out, size_t room)
{
	consumed_bytes = produced_bytes = 0;
	return container == GZIP ? libdeflate_gzip_decompress_ex(decompressor, in, bytes, out, room, &consumed_bytes, &produced_bytes)
	       : container == ZLIB
		   ? libdeflate_zlib_decompress_ex(decompressor, in, bytes, out, room, &consumed_bytes, &produced_bytes)
		   : libdeflate_deflate_decompress_ex(decompressor, in, bytes, out, room, &consumed_bytes, &produced_bytes);
}

EXPORT(consumed) size_t consumed(void) { return consumed_bytes; }
EXPORT(produced) size_t produced(void) { return produced_bytes; }

/* segments.patch */
size_t libdeflate_deflate_compress_segment(struct libdeflate_compressor *, const void *in, size_t in_nbytes, size_t window_nbytes,
					   _Bool more_follows, void *out, size_t out_nbytes_avail, uint32_t *bits);

static uint32_t pending_bits;

EXPORT(begin_stream) void begin_stream(void) { pending_bits = 0; }

/* The next segment of a raw stream; `window` bytes before `in` came before it. Bytes written (0 is possible only at the end of memory). */
EXPORT(compress_segment)
size_t compress_segment(const void *in, size_t bytes, size_t window, int more_follows, void *out, size_t room)
{
	return libdeflate_deflate_compress_segment(compressor, in, bytes, window, more_follows != 0, out, room, &pending_bits);
}
