/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of the library and exit codes of the program.
 *
 * A function that can fail returns one of the codes below (BERTH_OK is 0), or NULL where it returns
 * a pointer, and fills the caller's berth_error_t with the same code and one line of text. The text
 * names the file, the place in it, what stood there and what was expected; it has no newline.
 * Fields, flags, parameters and functions of these headers are in backquotes: "`time_limit_s`:
 * found -1 s, expected at least 0". Texts of results and lists, such as berth_check_t.reason, do
 * the same.
 * Every function takes NULL for the error when the caller doesn't want the text. */
#ifndef BERTH_ERROR_H
#define BERTH_ERROR_H

#include <berth/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Also the exit codes of the program `berth`. */
enum berth_code {
  BERTH_OK = 0,           /* done */
  BERTH_CHECK_FAILED = 1, /* a check failed: the inputs are fine, what they say is not */
  BERTH_USAGE = 2,        /* wrong usage: an option or argument that berth doesn't take */
  BERTH_BAD_INPUT = 3,    /* a file or value that breaks its format's rules */
  BERTH_MISSING = 4,   /* something needed is missing on this machine: a file, a program, memory */
  BERTH_NO_VERDICT = 5 /* a check could say neither yes nor no: what it compares doesn't belong
                          together, or there is nothing to compare */
};

typedef struct berth_error {
  int code;       /* one of enum berth_code */
  char text[480]; /* one line, UTF-8, cut at the end if it is longer */
} berth_error_t;

/* Fills *err (unless NULL) from a printf format and returns `code`, so that a failure is one
 * statement: return berth_fail(err, BERTH_BAD_INPUT, ...). Control characters and invalid UTF-8
 * in what is printed become '?', so that bad input cannot break the line. */
BERTH_API int berth_fail(berth_error_t *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif

#endif
