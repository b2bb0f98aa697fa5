#include "host.h"

static void on_error(j_common_ptr object) {
  char message[JMSG_LENGTH_MAX];
  (*object->err->format_message)(object, message);
  host_fail(object->err->msg_code, message);
}

/* Handles libjpeg messages. Level -1 is a warning: the file is damaged and libjpeg would guess. Damaged files stay
 * unchanged. */
static void on_message(j_common_ptr object, int level) {
  if (level >= 0) return;
  char message[JMSG_LENGTH_MAX];
  (*object->err->format_message)(object, message);
  host_fail(FAIL_DAMAGED, message);
}

static void on_output(j_common_ptr object) { (void)object; }

struct jpeg_error_mgr *error_manager(struct jpeg_error_mgr *errors) {
  jpeg_std_error(errors);
  errors->error_exit = on_error;
  errors->emit_message = on_message;
  errors->output_message = on_output;
  return errors;
}
