/* Functions through which the host calls libdeflate. An arena replaces malloc, so that one instance serves many calls
 * without fragmentation. One compressor stays at its bottom. Memory layout from __heap_base on:
 *
 *   [decompressor][compressor of the last level][input][output]
 *
 * `arena_reset` frees everything above the compressor. */
#include "../common/heap.h"
#include "../common/host.h"
#include "additions.h"
#include "libdeflate.h"

#define ALIGNMENT 64 /* alignment in bytes: a cache line */

enum container { RAW = 0, ZLIB = 1, GZIP = 2 };
/* Levels above libdeflate's twelve: the two compressors of priced.h. */
enum own_level { SAMPLES_FAST = 13, SAMPLES_CLOSE = 14 };
enum { NO_LEVEL = -1 };

extern u8 __heap_base; /* heap start, defined by the linker: end of data and stack */

typedef struct {
  uintptr_t arena_top;        /* first free byte; 0: nothing was allocated yet */
  uintptr_t arena_floor;      /* address to which `arena_reset` returns: the end of the compressor */
  uintptr_t compressor_floor; /* address at which the compressor starts, after the decompressor */
  struct libdeflate_compressor *compressor;
  int level; /* compression level of `compressor` */
  struct libdeflate_decompressor *decompressor;
  size_t consumed, produced; /* input and output bytes of the last decompression */
  struct thorough_stream *thorough;
  u32 pending_bits; /* for streams in segments: bits of the incomplete last byte */
} Deflate;

/* Global state, because malloc has no parameter through which to pass it. */
static Deflate deflate = {.level = NO_LEVEL};

/* Returns memory aligned to 64 bytes; NULL: the memory cannot grow. */
EXPORT(arena_reserve) void *arena_reserve(size_t bytes) {
  Deflate *d = &deflate;
  if (!d->arena_top) {
    d->arena_top = d->arena_floor = ((uintptr_t)&__heap_base + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
  }
  const uintptr_t at = d->arena_top;
  if (bytes > UINT32_MAX - (ALIGNMENT - 1) - at) return NULL;
  const uintptr_t end = (at + bytes + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
  if (!heap_claim(end)) return NULL;
  d->arena_top = end;
  return (void *)at;
}

EXPORT(arena_reset) void arena_reset(void) { deflate.arena_top = deflate.arena_floor; }

/* libdeflate also allocates from the arena, and `arena_reset` frees its memory. */
void *malloc(size_t bytes) { return arena_reserve(bytes); }
void free(void *ignored) { (void)ignored; }

static struct libdeflate_compressor *new_compressor(int level) {
  return level >= SAMPLES_FAST ? libdeflate_alloc_compressor_samples(level == SAMPLES_FAST)
                               : libdeflate_alloc_compressor(level);
}

/* Creates the compressor for this level. Requires an empty arena, because a change of level moves the floor. Returns 0
 * if memory is short. */
EXPORT(prepare_level) int prepare_level(int level) {
  Deflate *d = &deflate;
  if (!d->decompressor) {
    d->decompressor = libdeflate_alloc_decompressor();
    if (!d->decompressor) return 0;
    d->compressor_floor = d->arena_floor = d->arena_top;
  }
  if (level < 0 || level == d->level) return 1;
  if (level > SAMPLES_CLOSE) return 0;
  d->arena_floor = d->arena_top = d->compressor_floor;
  d->level = NO_LEVEL;
  d->compressor = new_compressor(level);
  if (!d->compressor) return 0;
  d->level = level;
  d->arena_floor = d->arena_top;
  return 1;
}

EXPORT(compress_bound) size_t compress_bound(int container, size_t bytes) {
  struct libdeflate_compressor *c = deflate.compressor;
  if (container == GZIP) return libdeflate_gzip_compress_bound(c, bytes);
  if (container == ZLIB) return libdeflate_zlib_compress_bound(c, bytes);
  return libdeflate_deflate_compress_bound(c, bytes);
}

/* Compresses a buffer. Returns the bytes written; 0: the result does not fit in `room` bytes. */
EXPORT(compress) size_t compress(int container, const void *in, size_t bytes, void *out, size_t room) {
  struct libdeflate_compressor *c = deflate.compressor;
  if (container == GZIP) return libdeflate_gzip_compress(c, in, bytes, out, room);
  if (container == ZLIB) return libdeflate_zlib_compress(c, in, bytes, out, room);
  return libdeflate_deflate_compress(c, in, bytes, out, room);
}

/* Starts a raw Deflate stream with thorough.h and a compressor of level 10 to 12. Returns 0 if the output has no space
 * or 6 MB of memory are not available. */
EXPORT(begin_thorough) int begin_thorough(const void *in, size_t bytes, void *out, size_t room) {
  deflate.thorough = libdeflate_thorough_begin(deflate.compressor, in, bytes, out, room);
  return deflate.thorough != NULL;
}

/* Compresses up to 300,000 further bytes. Returns 0 after the last ones. */
EXPORT(thorough_stretch) int thorough_stretch(void) { return libdeflate_thorough_stretch(deflate.thorough); }

/* Ends the stream. Returns the bytes written; 0: the result did not fit. */
EXPORT(end_thorough) size_t end_thorough(void) { return libdeflate_thorough_end(deflate.thorough); }

/* Decompresses a buffer and sets `consumed` and `produced`. Returns a `libdeflate_result`: 0 success, 1 bad data, 3
 * insufficient space. */
EXPORT(decompress) int decompress(int container, const void *in, size_t bytes, void *out, size_t room) {
  Deflate *d = &deflate;
  d->consumed = d->produced = 0;
  if (container == GZIP)
    return libdeflate_gzip_decompress_ex(d->decompressor, in, bytes, out, room, &d->consumed, &d->produced);
  if (container == ZLIB)
    return libdeflate_zlib_decompress_ex(d->decompressor, in, bytes, out, room, &d->consumed, &d->produced);
  return libdeflate_deflate_decompress_ex(d->decompressor, in, bytes, out, room, &d->consumed, &d->produced);
}

EXPORT(consumed) size_t consumed(void) { return deflate.consumed; }
EXPORT(produced) size_t produced(void) { return deflate.produced; }

EXPORT(begin_stream) void begin_stream(void) { deflate.pending_bits = 0; }

/* Compresses the next segment of a raw Deflate stream. `window`: number of preceding bytes before `in`. Returns the
 * bytes written; 0: out of memory. */
EXPORT(compress_segment)
size_t compress_segment(const void *in, size_t bytes, size_t window, int more_follows, void *out, size_t room) {
  Deflate *d = &deflate;
  return libdeflate_deflate_compress_segment(d->compressor, in, bytes, window, more_follows != 0, out, room,
                                             &d->pending_bits);
}
