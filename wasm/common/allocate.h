/* Memory from malloc. If there is none left, the job ends through host_fail. */
#ifndef WHITTLE_ALLOCATE_H
#define WHITTLE_ALLOCATE_H

#include <stddef.h>

/* Undefined content. */
void *allocate(size_t bytes);
/* All zero. */
void *allocate_zeroed(size_t bytes);

#endif
