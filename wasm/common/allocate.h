/* malloc wrappers that end the job through host_fail if memory is short. */
#ifndef WHITTLE_ALLOCATE_H
#define WHITTLE_ALLOCATE_H

#include <stddef.h>

/* Allocates memory with undefined content. */
void *allocate(size_t bytes);
/* Allocates memory filled with zeros. */
void *allocate_zeroed(size_t bytes);

#endif
