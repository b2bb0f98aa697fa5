#include "heap.h"

#include <errno.h>
#include <unistd.h>

#define PAGE_BYTES 65536u /* size of a WebAssembly memory page */

/* End of the heap. It is global, because the C library has a single heap. */
static uintptr_t top = HEAP_INITIAL_BYTES;

#ifdef HEAP_LIMIT_FROM_HOST
static uintptr_t limit = HEAP_LIMIT_BYTES;

/* Sets another memory limit. The host calls it before the engine starts, if the job may use more memory than an isolate
 * has. */
__attribute__((export_name("heap_most"))) void heap_set_limit(uintptr_t bytes) { limit = bytes; }
#else
static const uintptr_t limit = HEAP_LIMIT_BYTES;
#endif

int heap_claim(uintptr_t end) {
  if (end <= top) return 1;
  if (end > limit) return 0;
  uintptr_t have = (uintptr_t)__builtin_wasm_memory_size(0) * PAGE_BYTES;
  if (end > have && __builtin_wasm_memory_grow(0, (end - have + PAGE_BYTES - 1) / PAGE_BYTES) == (size_t)-1) return 0;
  top = end;
  return 1;
}

__attribute__((export_name("heap_top"))) uintptr_t heap_top(void) { return top; }

/* Replaces wasi-libc's sbrk, on which malloc is based. The original would claim the whole initial memory at once. */
void *sbrk(intptr_t increment) {
  uintptr_t before = top;
  if (increment >= 0 && (uintptr_t)increment <= UINTPTR_MAX - before && heap_claim(before + (uintptr_t)increment)) {
    return (void *)before;
  }
  errno = ENOMEM;
  return (void *)-1;
}
