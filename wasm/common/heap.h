/* Heap of an engine. The WebAssembly memory comes from a pool (memories/memories.ts). It is zeroed, and may be larger
 * than this engine needs. The pool clears it up to `heap_top` for the next engine. */
#ifndef WHITTLE_HEAP_H
#define WHITTLE_HEAP_H

#include <stdint.h>

/* Initial size of the memory in bytes, equal to --initial-memory in build.sh: data, stack and the start of the heap. */
#ifndef HEAP_INITIAL_BYTES
#define HEAP_INITIAL_BYTES (1u << 20)
#endif

/* Limit in bytes for data, stack and heap together. With HEAP_LIMIT_FROM_HOST, the host may set another limit. */
#ifndef HEAP_LIMIT_BYTES
#define HEAP_LIMIT_BYTES (96u << 20)
#endif

/* Claims all memory below address `end` for the engine. Returns 0 if that exceeds the limit or the memory cannot
 * grow. */
int heap_claim(uintptr_t end);

#endif
