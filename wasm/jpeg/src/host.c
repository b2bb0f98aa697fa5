/* The outside world: two imported functions, libjpeg's errors, memory. */
#include "engine.h"

#define IMPORT(name) __attribute__((import_module("env"), import_name(#name)))
IMPORT(fail) _Noreturn void env_fail(int code, const char *message);
IMPORT(write) void env_write(const uint8_t *bytes, uint32_t length);

_Noreturn void fail(int code, const char *message) { env_fail(code, message); }
void host_write(const uint8_t *bytes, uint32_t length) { env_write(bytes, length); }

static struct jpeg_error_mgr errors;

static void on_error(j_common_ptr object) {
  char message[JMSG_LENGTH_MAX];
  (*object->err->format_message)(object, message);
  fail(object->err->msg_code, message);
}

/* Level -1 is a warning: the file is damaged and libjpeg would guess. We do not: damaged files stay as they are. */
static void on_message(j_common_ptr object, int level) {
  if (level >= 0) return;
  char message[JMSG_LENGTH_MAX];
  (*object->err->format_message)(object, message);
  fail(FAIL_DAMAGED, message);
}

static void on_output(j_common_ptr object) { (void)object; }

struct jpeg_error_mgr *error_manager(void) {
  jpeg_std_error(&errors);
  errors.error_exit = on_error;
  errors.emit_message = on_message;
  errors.output_message = on_output;
  return &errors;
}

void *allocate(size_t bytes) {
  void *memory = malloc(bytes ? bytes : 1);
  if (!memory) fail(FAIL_MEMORY, "out of memory");
  return memory;
}

void *allocate_cleared(size_t bytes) { return memset(allocate(bytes), 0, bytes); }

void *EXPORT(host_alloc)(uint32_t bytes) { return allocate(bytes); }
void EXPORT(host_free)(void *memory) { free(memory); }
