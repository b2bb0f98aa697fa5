/* Calls between an engine and its host, the TypeScript beside it. */
#ifndef WHITTLE_HOST_H
#define WHITTLE_HOST_H

#include "types.h"

/* Stands in front of a function that the host calls under `name`. */
#define EXPORT(name) __attribute__((export_name(#name)))
/* Stands in front of the declaration of a function that the host provides under `name`. */
#define IMPORT(name) __attribute__((import_module("env"), import_name(#name)))

/* Reasons why an engine ends a job. They are negative because libjpeg's own message codes are positive. The wrapper
 * of each engine (`<engine>.ts`) lists them in this order. */
typedef enum {
  FAIL_MEMORY = -1,      /* the engine's memory is not enough */
  FAIL_TRUNCATED = -2,   /* the file ends too early */
  FAIL_DAMAGED = -3,     /* the file breaks the rules of its format */
  FAIL_UNSUPPORTED = -4, /* the file is valid, but the engine cannot keep what it shows */
  FAIL_LIMIT = -5,       /* the file is larger or costlier than the host allows */
  FAIL_MISUSE = -6       /* the host called the engine in a wrong order, or with impossible values */
} Failure;

/* Hands over the next `count` bytes of the result. */
IMPORT(write) void host_write(const u8 *bytes, u32 count);
/* Ends the job: the host throws an error with the reason and the text, and drops the instance. `code` is a Failure
 * or a library's own code. */
IMPORT(fail) _Noreturn void host_fail(int code, const char *what);

#endif
