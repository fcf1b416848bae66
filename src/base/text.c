/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks UTF-8, builds strings, and prints numbers with units. */
#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t text_utf8_length(const char *text, size_t n)
{
  const unsigned char *s = (const unsigned char *)text;
  if (s[0] < 0x80) return 1;
  size_t len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
  if (s[0] < 0xc2 || s[0] > 0xf4 || len > n) return 0;
  for (size_t i = 1; i < len; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
  bool surrogate = s[0] == 0xed && s[1] > 0x9f;
  bool too_high = s[0] == 0xf4 && s[1] > 0x8f;
  return overlong || surrogate || too_high ? 0 : len;
}

bool text_utf8_valid(const char *s, size_t n, size_t *bad)
{
  for (size_t i = 0; i < n;) {
    size_t len = text_utf8_length(s + i, n - i);
    if (len == 0) {
      if (bad) *bad = i;
      return false;
    }
    i += len;
  }
  return true;
}

/* Whether the well-formed sequence of len bytes at s is a control character: C0, DEL or C1. */
static bool is_control(const unsigned char *s, size_t len)
{
  return s[0] < 0x20 || s[0] == 0x7f || (len == 2 && s[0] == 0xc2 && s[1] < 0xa0);
}

/* Whether it changes the direction of the following text (U+202A to U+202E, U+2066 to U+2069) or
 * ends a line (U+2028, U+2029). */
static bool is_layout(const unsigned char *s, size_t len)
{
  if (len != 3 || s[0] != 0xe2) return false;
  return (s[1] == 0x80 && s[2] >= 0xa8 && s[2] <= 0xae) ||
         (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);
}

size_t text_shown_length(const char *s, size_t n)
{
  size_t len = text_utf8_length(s, n);
  const unsigned char *bytes = (const unsigned char *)s;
  return len && (is_control(bytes, len) || is_layout(bytes, len)) ? 0 : len;
}

bool text_has_control(const char *s)
{
  for (size_t n = strlen(s), i = 0; i < n;) {
    size_t len = text_utf8_length(s + i, n - i);
    if (len && is_control((const unsigned char *)s + i, len)) return true;
    i += len ? len : 1;
  }
  return false;
}

void text_clean(char *s)
{
  for (size_t n = strlen(s), i = 0; i < n;) {
    size_t len = text_utf8_length(s + i, n - i);
    if (text_shown_length(s + i, n - i) == 0) memset(s + i, '?', len ? len : 1);
    i += len ? len : 1;
  }
}

void text_clean_lines(char *s)
{
  for (char *c = s; *c; c++)
    if (*c == '\t' || *c == '\r') *c = ' ';
  for (char *end; *s; s = end) {
    end = s + strcspn(s, "\n");
    char line_break = *end;
    *end = '\0';
    text_clean(s);
    *end = line_break;
    if (line_break) end++;
  }
}

bool text_starts(const char *s, const char *prefix)
{
  return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool text_ends(const char *s, const char *suffix)
{
  size_t n = strlen(s), k = strlen(suffix);
  return n >= k && strcmp(s + n - k, suffix) == 0;
}

char *text_printf(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  char *out = NULL;
  int n = vasprintf(&out, format, args);
  va_end(args);
  return n < 0 ? NULL : out;
}

char *text_end(FILE *stream, char **text)
{
  bool whole = stream && fflush(stream) == 0 && !ferror(stream);
  if (stream && fclose(stream) != 0) whole = false;
  if (whole) return *text;
  free(*text);
  *text = NULL;
  return NULL;
}

bool text_to_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
  if (*s < '0' || *s > '9') return false;
  char *end;
  errno = 0;
  unsigned long long v = strtoull(s, &end, 10);
  if (errno || *end || v < min || v > max) return false;
  *out = v;
  return true;
}

/* Prints value with three or four significant digits: 1.25, 12.5, 125, 1250. */
static const char *scaled(double value, const char *unit, char buf[TEXT_NUMBER])
{
  double a = fabs(value);
  int decimals = a == 0 || a >= 999.5 ? 0 : a >= 99.95 ? 1 : a >= 9.995 ? 2 : 3;
  snprintf(buf, TEXT_NUMBER, "%.*f %s", decimals, value, unit);
  return buf;
}

static const char *with_prefix(double value, double step, const char *const units[], int n,
                               char buf[TEXT_NUMBER])
{
  int i = 0;
  while (i + 1 < n && fabs(value) >= step) {
    value /= step;
    i++;
  }
  if (i == 0 && value == floor(value)) {
    snprintf(buf, TEXT_NUMBER, "%.0f %s", value, units[0]);
    return buf;
  }
  return scaled(value, units[i], buf);
}

const char *text_bandwidth(double bytes_per_second, char buf[TEXT_NUMBER])
{
  static const char *const units[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"};
  return with_prefix(bytes_per_second, 1e3, units, 6, buf);
}

const char *text_bytes(double bytes, char buf[TEXT_NUMBER])
{
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  return with_prefix(bytes, 1024, units, 6, buf);
}

const char *text_seconds(double seconds, char buf[TEXT_NUMBER])
{
  double a = fabs(seconds);
  if (a == 0 || a >= 1) return scaled(seconds, "s", buf);
  if (a >= 1e-3) return scaled(seconds * 1e3, "ms", buf);
  if (a >= 1e-6) return scaled(seconds * 1e6, "us", buf);
  return scaled(seconds * 1e9, "ns", buf);
}

const char *text_count(double count, char buf[TEXT_NUMBER])
{
  snprintf(buf, TEXT_NUMBER, "%.0f", count);
  return buf;
}

const char *text_number(double value, int digits, char buf[TEXT_NUMBER])
{
  double a = fabs(value);
  snprintf(buf, TEXT_NUMBER, "%.*g", digits, value);
  if (!strchr(buf, 'e') || a < 1e-9 || a >= 1e18) return buf;
  if (a < 1) {
    size_t n = (size_t)snprintf(buf, TEXT_NUMBER, "%.*f", digits - 1 - (int)floor(log10(a)), value);
    while (n > 0 && buf[n - 1] == '0') buf[--n] = '\0';
  } else {
    snprintf(buf, TEXT_NUMBER, "%.0f", value);
  }
  return buf;
}

const char *text_plural(double n) { return n == 1 ? "" : "s"; }
