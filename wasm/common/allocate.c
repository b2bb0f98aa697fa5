#include "allocate.h"

#include <stdlib.h>

#include "host.h"

static void *checked(void *memory) {
  if (!memory) host_fail(FAIL_MEMORY, "no memory");
  return memory;
}

/* Requests at least one byte, because malloc(0) may return NULL. */
void *allocate(size_t bytes) { return checked(malloc(bytes ? bytes : 1)); }
void *allocate_zeroed(size_t bytes) { return checked(calloc(bytes ? bytes : 1, 1)); }
