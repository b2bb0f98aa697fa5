/*
 * The heap of an engine in a memory that was another's before (memories.ts): it may be larger than this one ever asks for, and
 * is zero throughout. How far it was used is what has to be cleared for the next.
 */
#ifndef WHITTLE_HEAP_H
#define WHITTLE_HEAP_H

#include <stdint.h>

/* What a memory has at least, as --initial-memory in the recipe: data, stack and the beginning of the heap. */
#ifndef HEAP_FIRST_BYTES
#define HEAP_FIRST_BYTES (1u << 20)
#endif

/* What an engine may take. */
#ifndef HEAP_MOST_BYTES
#define HEAP_MOST_BYTES (96u << 20)
#endif

/* Everything below `end` belongs to the engine from now on. 0: there is not so much. */
int heap_claim(uintptr_t end);

#endif
