#include "heap.h"

#include <errno.h>
#include <unistd.h>

#define PAGE_BYTES 65536u

static uintptr_t top = HEAP_FIRST_BYTES;

#ifdef HEAP_MOST_IS_TOLD
static uintptr_t most = HEAP_MOST_BYTES;

/* Before the engine begins, where a job has more than in an isolate. */
__attribute__((export_name("heap_most"))) void heap_most(uintptr_t bytes) { most = bytes; }
#else
static const uintptr_t most = HEAP_MOST_BYTES;
#endif

int heap_claim(uintptr_t end)
{
	if (end <= top) return 1;
	if (end > most) return 0;
	uintptr_t have = (uintptr_t)__builtin_wasm_memory_size(0) * PAGE_BYTES;
	if (end > have && __builtin_wasm_memory_grow(0, (end - have + PAGE_BYTES - 1) / PAGE_BYTES) == (size_t)-1) return 0;
	top = end;
	return 1;
}

__attribute__((export_name("heap_top"))) uintptr_t heap_top(void) { return top; }

/* Under wasi-libc's malloc, in place of its own, which takes all of a memory that comes large. */
void *sbrk(intptr_t increment)
{
	uintptr_t before = top;
	if (increment >= 0 && (uintptr_t)increment <= UINTPTR_MAX - before && heap_claim(before + (uintptr_t)increment)) return (void *)before;
	errno = ENOMEM;
	return (void *)-1;
}
