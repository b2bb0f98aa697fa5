/* Types of libogg for Vorbis, and memory that ends the job when it is short, because libvorbis does not check for NULL. */
#ifndef _OS_TYPES_H
#define _OS_TYPES_H

#include <stdint.h>
#include <stdlib.h>

void *vorbis_malloc(size_t bytes);
void *vorbis_calloc(size_t count, size_t bytes);
void *vorbis_realloc(void *block, size_t bytes);

#define _ogg_malloc vorbis_malloc
#define _ogg_calloc vorbis_calloc
#define _ogg_realloc vorbis_realloc
#define _ogg_free free

typedef int16_t ogg_int16_t;
typedef uint16_t ogg_uint16_t;
typedef int32_t ogg_int32_t;
typedef uint32_t ogg_uint32_t;
typedef int64_t ogg_int64_t;
typedef uint64_t ogg_uint64_t;

#endif
