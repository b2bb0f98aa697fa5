// Allocators that end the job if memory is short. libjxl is built without exceptions, so std::vector could only trap.
#include "memory.h"

#include <stdlib.h>

#include <new>

extern "C" {
#include "../common/host.h"

void __wasm_call_ctors(void);

// Runs the constructors of global objects. The host calls it once: otherwise wasm-ld calls them in every export.
EXPORT(_initialize) void export_initialize(void) { __wasm_call_ctors(); }
}

static void* checked(void* memory) {
  if (!memory) host_fail(FAIL_MEMORY, "no memory");
  return memory;
}

static void* allocate(size_t bytes) { return checked(malloc(bytes ? bytes : 1)); }

void* operator new(size_t bytes) { return allocate(bytes); }
void* operator new[](size_t bytes) { return allocate(bytes); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return malloc(bytes ? bytes : 1); }
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return malloc(bytes ? bytes : 1); }
void operator delete(void* memory) noexcept { free(memory); }
void operator delete[](void* memory) noexcept { free(memory); }
void operator delete(void* memory, size_t) noexcept { free(memory); }
void operator delete[](void* memory, size_t) noexcept { free(memory); }

static void* allocate_for_jxl(void*, size_t bytes) { return allocate(bytes); }
static void free_for_jxl(void*, void* memory) { free(memory); }

const JxlMemoryManager kMemory = {nullptr, allocate_for_jxl, free_for_jxl};

extern "C" EXPORT(host_alloc) void* export_host_alloc(u32 bytes) { return allocate(bytes); }
