/* Replacements for functions of the C library and of HDF5 that the platform lacks or that must behave differently
 * here. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "glue.h"
#include "libdeflate.h"
#include "zlib.h"

int64_t clock_seconds;
int out_of_memory;
size_t expected_chunk_bytes;

time_t time(time_t *at) {
  if (at) *at = clock_seconds;
  return clock_seconds;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  (void)zone;
  *at = (struct timeval){.tv_sec = clock_seconds};
  return 0;
}

int whittle_no_timezone(void) { return 0; }

/* Plugins are not supported: filters that are not built in are reported as missing. */
int H5PL_init(void) { return 0; }
int H5PL_term_package(void) { return 0; }
const void *H5PL_load(int type, const void *key) {
  (void)type, (void)key;
  return NULL;
}
int H5PL_iterate(int type, void *visit, void *context) {
  (void)type, (void)visit, (void)context;
  return 0;
}

/* Drivers that are not built in. The library registers one only if an environment variable names it. */
#define MISSING_DRIVER(name)                                                                                           \
  hid_t name(void) { return H5I_INVALID_HID; }
MISSING_DRIVER(H5FD_core_init)
MISSING_DRIVER(H5FD_family_init)
MISSING_DRIVER(H5FD_log_init)
MISSING_DRIVER(H5FD_multi_init)
MISSING_DRIVER(H5FD_splitter_init)
MISSING_DRIVER(H5FD_stdio_init)

/* Wrapper of malloc: records failures, so that the job ends as over budget instead of damaged. */
void *__real_malloc(size_t);
void *__wrap_malloc(size_t bytes) {
  void *at = __real_malloc(bytes);
  if (!at && bytes) out_of_memory = 1;
  return at;
}

void *__real_calloc(size_t, size_t);
void *__wrap_calloc(size_t count, size_t bytes) {
  void *at = __real_calloc(count, bytes);
  if (!at && count && bytes) out_of_memory = 1;
  return at;
}

void *__real_realloc(void *, size_t);
void *__wrap_realloc(void *from, size_t bytes) {
  void *at = __real_realloc(from, bytes);
  if (!at && bytes) out_of_memory = 1;
  return at;
}

/* Replaces the zlib function that H5Zdeflate.c calls by libdeflate, which compresses better. `deflate_level` overrides
 * the level. */
int deflate_level = 12;
/* Last compressor, because `compress2` has no context. */
static struct {
  struct libdeflate_compressor *compressor;
  int level;
} last;

/* Compresses a chunk. Returns the bytes written; 0: they do not fit, or there is no compressor. */
static size_t deflated(int level, Bytef *to, size_t room, const Bytef *from, size_t bytes) {
  if (!last.compressor || last.level != level) {
    libdeflate_free_compressor(last.compressor);
    last.compressor = libdeflate_alloc_compressor(level);
    last.level = level;
  }
  return last.compressor ? libdeflate_zlib_compress(last.compressor, from, bytes, to, room) : 0;
}

int compress2(Bytef *to, uLongf *room, const Bytef *from, uLong bytes, int level) {
  size_t written = 0;
  /* libdeflate levels above 9 take 9 MB of memory */
  if (bytes > LARGE_CHUNK_BYTES || deflate_level <= 9) {
    written = deflated(deflate_level > 9 ? 9 : deflate_level, to, *room, from, bytes);
  } else {
    /* The host may ask for a slower level after it saw a size. */
    for (level = host_level((double)bytes, 0, 0); level;
         level = host_level((double)bytes, level, (double)(written ? written : bytes)))
      written = deflated(level, to, *room, from, bytes);
  }
  if (!last.compressor) return Z_MEM_ERROR;
  if (!written) return Z_BUF_ERROR;
  *room = (uLongf)written;
  return Z_OK;
}
