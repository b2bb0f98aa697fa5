/* The heap of an engine. The memory comes from a pool (memories/memories.ts): it may be larger than this engine
 * ever asks for, and it is all zero. The pool clears it up to `heap_top` for the next engine. */
#ifndef WHITTLE_HEAP_H
#define WHITTLE_HEAP_H

#include <stdint.h>

/* Bytes that the memory has at the beginning, as --initial-memory in the recipe: data, stack and the first of the
 * heap. */
#ifndef HEAP_INITIAL_BYTES
#define HEAP_INITIAL_BYTES (1u << 20)
#endif

/* Bytes that data, stack and heap may take together. With HEAP_LIMIT_FROM_HOST the host may set another limit. */
#ifndef HEAP_LIMIT_BYTES
#define HEAP_LIMIT_BYTES (96u << 20)
#endif

/* Gives the engine everything below address `end`. Returns 0 if that is above the limit or the memory cannot grow. */
int heap_claim(uintptr_t end);

#endif
