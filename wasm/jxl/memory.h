/* Memory of libjxl, and the exports that both engines share. */
#ifndef WHITTLE_JXL_MEMORY_H
#define WHITTLE_JXL_MEMORY_H

#include <jxl/memory_manager.h>

/* Allocator of libjxl that ends the job through host_fail if memory is short. */
extern const JxlMemoryManager kMemory;

#endif
