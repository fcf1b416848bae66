/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads text files of numbers line by line; errors name file and line. */
#ifndef BERTH_EXCHANGE_TEXT_SCAN_H
#define BERTH_EXCHANGE_TEXT_SCAN_H

#include <berth/error.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/in_file.h"

typedef struct scan {
  const char *path;
  in_file_t *in;
  long line;
  char *at; /* the rest of the line */
  locale_t before;
} scan_t;

/* A file's name in errors. */
const char *scan_name(const char *path);

/* Opens a file. Until it is closed, numbers have a decimal point, whatever the locale. */
int scan_open(scan_t *s, const char *path, berth_error_t *err);
void scan_close(scan_t *s);

/* Goes to the next line. *more is false at the end of the file. scan_content skips lines that are
 * empty or begin with `comment` (0: no comments). */
int scan_line(scan_t *s, bool *more, berth_error_t *err);
int scan_content(scan_t *s, char comment, bool *more, berth_error_t *err);

/* Whether the rest of the line has more than blanks. */
bool scan_left(scan_t *s);

/* Takes the next number or word, up to a blank or `separator` (0: only blanks), which is taken,
 * too. Fails if a number is invalid or out of range; `what` names it in errors. */
int scan_u64(scan_t *s, char separator, const char *what, uint64_t min, uint64_t max, uint64_t *out,
             berth_error_t *err);
/* A value of 0 to 2^53, which may have a fraction; rounded. */
int scan_amount(scan_t *s, char separator, const char *what, uint64_t *out, berth_error_t *err);
char *scan_word(scan_t *s, char separator);

/* Fails with "FILE:LINE: …". */
int scan_fail(const scan_t *s, berth_error_t *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
