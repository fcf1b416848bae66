/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of the library and exit codes of the program.
 *
 * A function that can fail returns one of the codes below (BERTH_OK is 0), or a pointer that is
 * NULL on failure. It then fills the caller's berth_error_t with the code and one line of text. The
 * text names the file and the place in it, what was found, and what was expected. Names of fields,
 * flags, parameters and functions are in backquotes: "`time_limit_s`: found -1 s, expected at least
 * 0". Texts of results and lists, such as berth_check_t.reason, follow the same rules. Every
 * function accepts NULL for the error. */
#ifndef BERTH_ERROR_H
#define BERTH_ERROR_H

#include <berth/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Also the exit codes of the program `berth`. */
enum berth_code {
  BERTH_OK = 0,           /* done */
  BERTH_CHECK_FAILED = 1, /* a check failed: inputs are valid, but a limit is exceeded */
  BERTH_USAGE = 2,        /* wrong usage: an option or argument that berth doesn't know */
  BERTH_BAD_INPUT = 3,    /* a file or value that breaks its format's rules */
  BERTH_MISSING = 4,   /* something needed is missing on this machine: a file, a program, memory */
  BERTH_NO_VERDICT = 5 /* no verdict: inputs can't be compared, or something is missing */
};

typedef struct berth_error {
  int code;       /* one of enum berth_code */
  char text[480]; /* one line of UTF-8, truncated if it is longer */
} berth_error_t;

/* Fills *err (unless NULL) from a printf format and returns `code`, so that a failure is one
 * statement: return berth_fail(err, BERTH_BAD_INPUT, ...). Control characters and invalid UTF-8
 * become '?', so that names from files can't break the line. */
BERTH_API int berth_fail(berth_error_t *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif

#endif
