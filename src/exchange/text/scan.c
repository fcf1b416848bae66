/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads text files of numbers line by line. */
#include "exchange/text/scan.h"

#include <berth/limits.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/field.h"
#include "base/numeric.h"
#include "base/text.h"

const char *scan_name(const char *path) { return strcmp(path, "-") == 0 ? "standard input" : path; }

int scan_open(scan_t *s, const char *path, berth_error_t *err)
{
  *s = (scan_t){.path = scan_name(path)};
  s->in = in_open(path, err);
  if (!s->in) return BERTH_MISSING;
  s->before = numeric_begin();
  return BERTH_OK;
}

void scan_close(scan_t *s)
{
  if (s->in) {
    in_close(s->in);
    numeric_end(s->before);
  }
  s->in = NULL;
}

int scan_line(scan_t *s, bool *more, berth_error_t *err)
{
  size_t length;
  int rc = in_line(s->in, &s->at, &length, err);
  *more = !rc && s->at;
  if (!*more) return rc;
  if (s->line++ == 0 && text_starts(s->at, "\xef\xbb\xbf")) { /* a byte order mark */
    s->at += 3;
    length -= 3;
  }
  if (memchr(s->at, '\0', length)) return scan_fail(s, err, "found a NUL, expected text");
  if (length > 0 && s->at[length - 1] == '\r') s->at[length - 1] = '\0';
  return BERTH_OK;
}

int scan_content(scan_t *s, char comment, bool *more, berth_error_t *err)
{
  for (;;) {
    int rc = scan_line(s, more, err);
    if (rc || !*more) return rc;
    if (scan_left(s) && (!comment || *s->at != comment)) return BERTH_OK;
  }
}

bool scan_left(scan_t *s)
{
  while (isblank((unsigned char)*s->at)) s->at++;
  return *s->at != '\0';
}

char *scan_word(scan_t *s, char separator)
{
  scan_left(s);
  char *word = s->at, *end = word;
  while (*end && *end != separator && (separator || !isblank((unsigned char)*end))) end++;
  s->at = *end ? end + 1 : end;
  while (end > word && isblank((unsigned char)end[-1])) end--;
  *end = '\0';
  return word;
}

int scan_u64(scan_t *s, char separator, const char *what, uint64_t min, uint64_t max, uint64_t *out,
             berth_error_t *err)
{
  bool left = scan_left(s);
  const char *word = scan_word(s, separator);
  if (text_to_u64(word, min, max, out)) return BERTH_OK;
  return scan_fail(s, err, "%s: found %s%.60s%s, expected a whole number from %llu to %llu", what,
                   left ? "'" : "", left ? word : "the end of the line", left ? "'" : "",
                   (unsigned long long)min, (unsigned long long)max);
}

int scan_amount(scan_t *s, char separator, const char *what, uint64_t *out, berth_error_t *err)
{
  bool left = scan_left(s);
  char *end, *word = scan_word(s, separator);
  double value = strtod(word, &end);
  if (end == word || *end || !(value >= 0) || value > (double)BERTH_MAX_AMOUNT)
    return scan_fail(s, err, "%s: found %s%.60s%s, expected a number from 0 to 2^53", what,
                     left ? "'" : "", left ? word : "the end of the line", left ? "'" : "");
  *out = (uint64_t)llround(value);
  return BERTH_OK;
}

int scan_fail(const scan_t *s, berth_error_t *err, const char *format, ...)
{
  FIELD_ARGUMENTS(what, 400, format);
  return berth_fail(err, BERTH_BAD_INPUT, "%s:%ld: %s", s->path, s->line, what);
}
