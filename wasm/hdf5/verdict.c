/* Verdict and error message of the job. */
#include <stdio.h>
#include <string.h>

#include "glue.h"

/* First error of the job. It is not handed along, because callbacks of the library without a context report errors, too. */
static struct {
  int verdict;
  char reason[200];
} first_error;

EXPORT(reason_at) const char *reason_at(void) { return first_error.reason; }

/* True if an error means that a newer HDF5 version wrote the file, so that it is unsupported rather than damaged.
 * Examples: references of 1.12, complex numbers of 2.0, chunk indexes of 2.0. The library only reports this as text. */
static herr_t is_newer(unsigned level, const H5E_error2_t *error, void *found) {
  static const char *const words[] = {"bad version number for", "bad superblock version number",
                                      "unknown message with 'fail if unknown'", "unknown datatype class found",
                                      "unknown chunk index type"};
  (void)level;
  for (size_t i = 0; error->desc && i < sizeof words / sizeof *words; i++)
    if (strncmp(error->desc, words[i], strlen(words[i])) == 0) *(const char **)found = error->desc;
  return 0;
}

int fail(int kind, const char *what, const char *name) {
  if (!first_error.verdict) {
    const char *newer = NULL;
    if (kind == MALFORMED && H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, is_newer, &newer) >= 0 && newer) {
      kind = UNSUPPORTED;
      what = strstr(newer, "datatype") ? LATER_TYPE : "a feature of a later version of HDF5";
    }
    first_error.verdict = out_of_memory ? OVER_BUDGET : kind;
    if (out_of_memory) what = "values or a chunk too large for memory";
    snprintf(first_error.reason, sizeof first_error.reason, "%s%s%.100s", what, name ? ": " : "", name ? name : "");
  }
  return first_error.verdict;
}

int failed(void) { return first_error.verdict; }
