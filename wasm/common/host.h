/* Declarations for calls between a WebAssembly engine and its TypeScript host. */
#ifndef WHITTLE_HOST_H
#define WHITTLE_HOST_H

#include "types.h"

/* Attribute that exports the following function to the host under `name`. */
#define EXPORT(name) __attribute__((export_name(#name)))
/* Attribute that imports the following function from the host under `name`. */
#define IMPORT(name) __attribute__((import_module("env"), import_name(#name)))

/* Reasons for which an engine ends a job. They are negative, because libjpeg's own message codes are positive. Each
 * engine's wrapper (`<engine>.ts`) lists them in this order. */
typedef enum {
  FAIL_MEMORY = -1,      /* not enough memory for the engine */
  FAIL_TRUNCATED = -2,   /* the file ends too early */
  FAIL_DAMAGED = -3,     /* the file violates its format */
  FAIL_UNSUPPORTED = -4, /* the file is valid, but the engine cannot preserve its appearance */
  FAIL_LIMIT = -5,       /* the file exceeds a size or cost limit of the host */
  FAIL_MISUSE = -6       /* the host called the engine in the wrong order or with invalid values */
} Failure;

/* Passes the next `count` bytes of the result to the host. */
IMPORT(write) void host_write(const u8 *bytes, u32 count);
/* Ends the job: the host throws an error with the reason and the text, and discards the instance. `code` is a Failure
 * or a library's own code. */
IMPORT(fail) _Noreturn void host_fail(int code, const char *what);

#endif
