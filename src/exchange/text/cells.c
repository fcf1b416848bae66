/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads tables in text files. */
#include "exchange/text/cells.h"

#include <berth/limits.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/field.h"
#include "base/text.h"

static const struct unit {
  const char *name;
  double bytes;
} units[] = {{"B", 1},         {"byte", 1},
             {"bytes", 1},     {"KB", 1e3},
             {"MB", 1e6},      {"GB", 1e9},
             {"TB", 1e12},     {"KiB", 1024},
             {"MiB", 1048576}, {"GiB", 1073741824},
             {"K", 1e3},       {"M", 1e6},
             {"G", 1e9},       {"TiB", 1099511627776.0}};

/* A small b at the end means bits, which aren't a unit of bytes. */
static double unit_of(const char *text, size_t n)
{
  if (n == 0 || text[n - 1] == 'b') return 0;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strlen(units[i].name) == n && strncasecmp(units[i].name, text, n) == 0)
      return units[i].bytes;
  return 0;
}

/* Whether the comma there separates groups of digits: "1,234". */
static bool groups_digits(const char *line, const char *comma)
{
  return comma > line && isdigit((unsigned char)comma[-1]) && strspn(comma + 1, "0123456789") == 3;
}

char cells_separator(const char *line)
{
  int commas = 0, groups = 0, semicolons = 0;
  bool has_letters = false, in_quotes = false, has_tab = false, has_blank = false;
  for (const char *c = line; *c; c++) {
    if (*c == '"') in_quotes = !in_quotes;
    has_letters |= isalpha((unsigned char)*c) || *c == '"';
    if (in_quotes) continue;
    bool groups_here = *c == ',' && groups_digits(line, c);
    groups += groups_here;
    commas += *c == ',' && !groups_here;
    semicolons += *c == ';';
    has_tab |= *c == '\t';
    has_blank |= isblank((unsigned char)*c);
  }
  if (semicolons && semicolons >= commas) return ';';
  if (commas || (groups && !has_blank)) return ',';
  return has_tab && has_letters ? '\t' : 0;
}

int cells_line(cells_t *c, bool *more, berth_error_t *err)
{
  int rc;
  c->column = 0;
  char *begin;
  do {
    rc = scan_line(&c->scan, more, err);
    begin = c->scan.at;
  } while (!rc && *more && (!scan_left(&c->scan) || *c->scan.at == '#' || *c->scan.at == '%'));
  if (!rc && *more && c->separator == '\t') c->scan.at = begin; /* the first cells may be empty */
  return rc;
}

/* Reads a cell in quotes, which begins at the first one. */
static char *quoted(cells_t *c)
{
  char *word = c->scan.at + 1, *to = word, *from = word;
  while (*from && (*from != '"' || from[1] == '"')) {
    from += *from == '"';
    *to++ = *from++;
  }
  from += *from == '"';
  from += strspn(from, c->separator == '\t' ? " " : " \t");
  if (c->separator && *from == c->separator) from++;
  c->scan.at = from;
  *to = '\0';
  return word;
}

/* In tables with tabs, tabs aren't skipped like blanks. */
static char *next_of_tabs(cells_t *c)
{
  char *word = c->scan.at, *end = word + strcspn(word, "\t");
  c->scan.at = *end ? end + 1 : end;
  *end = '\0';
  word += strspn(word, " ");
  if (*word == '"') {
    cells_t part = {.scan.at = word};
    return quoted(&part);
  }
  for (end = word + strlen(word); end > word && end[-1] == ' ';) *--end = '\0';
  return word;
}

/* Whether the rest of a line ends in a separator, so that an empty cell follows. */
static bool ends_open(const cells_t *c)
{
  const char *end = c->scan.at + strlen(c->scan.at);
  while (end > c->scan.at && isblank((unsigned char)end[-1]) && end[-1] != c->separator) end--;
  return c->separator && end > c->scan.at && end[-1] == c->separator;
}

char *cells_next(cells_t *c)
{
  bool more = c->separator == '\t' ? *c->scan.at : scan_left(&c->scan);
  if (c->column == 0) c->is_open = ends_open(c);
  if (!more && !c->is_open) return NULL;
  c->column++;
  if (!more) {
    c->is_open = false;
    return c->scan.at;
  }
  if (c->separator == '\t') return next_of_tabs(c);
  return *c->scan.at == '"' ? quoted(c) : scan_word(&c->scan, c->separator);
}

void cells_name(const char *text, char name[CELLS_NAME])
{
  static const char *const ends[] = {"rank", "pe", "process"};
  size_t n = 0;
  for (; *text && *text != '(' && *text != '[' && n + 1 < CELLS_NAME; text++)
    if (isalnum((unsigned char)*text)) name[n++] = (char)tolower((unsigned char)*text);
  name[n] = '\0';
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (n > strlen(ends[i]) && text_ends(name, ends[i])) {
      name[n - strlen(ends[i])] = '\0';
      return;
    }
}

double cells_unit(const char *name)
{
  size_t start = strcspn(name, "([");
  if (!name[start]) return 1;
  const char *unit = name + start + 1 + strspn(name + start + 1, " ");
  return unit_of(unit, strcspn(unit, " )]"));
}

/* How many characters are a number, which may have groups of three digits: "1,234,567",
 * "12'345.5". */
static size_t read_number(const char *text, bool may_have_groups, double *out)
{
  char digits[64], *end;
  size_t n = strspn(text, "0123456789"), at = n;
  const char sign = text[n];
  if (may_have_groups && n >= 1 && n <= 3 && sign && strchr(",'_", sign)) {
    memcpy(digits, text, n);
    for (; text[at] == sign && strspn(text + at + 1, "0123456789") == 3 && n + 8 < sizeof digits;
         at += 4, n += 3)
      memcpy(digits + n, text + at + 1, 3);
    digits[n] = '\0';
    *out = strtod(digits, NULL);
    if (text[at] != '.') return at;
    *out += strtod(text + at, &end);
  } else {
    *out = strtod(text, &end);
  }
  return (size_t)(end - text);
}

static bool read_amount(const char *text, double unit, double *out)
{
  if (!isdigit((unsigned char)*text) && *text != '.') return false;
  size_t n = read_number(text, unit == 1 || unit == 0, out);
  if (n == 0) return false;
  const char *end = text + n + strspn(text + n, " ");
  double own = !*end ? (unit > 0 ? unit : 1) : unit == 1 ? unit_of(end, strlen(end)) : 0;
  *out *= own;
  return own > 0 && *out <= (double)BERTH_MAX_AMOUNT;
}

int cells_fail(const cells_t *c, const char *name, berth_error_t *err, const char *format, ...)
{
  FIELD_ARGUMENTS(what, 300, format);
  return scan_fail(&c->scan, err, "column %d%s%.40s%s: %s", c->column, *name ? " (" : "", name,
                   *name ? ")" : "", what);
}

/* Fails with what was found instead of what was expected. */
static int unexpected(const cells_t *c, const char *name, const char *text, berth_error_t *err,
                      const char *expected)
{
  if (text) return cells_fail(c, name, err, "found '%.60s', expected %s", text, expected);
  cells_t behind = *c;
  behind.column++;
  return cells_fail(&behind, name, err, "found the end of the line, expected %s", expected);
}

int cells_amount(const cells_t *c, const char *name, const char *text, double unit, uint64_t *out,
                 berth_error_t *err)
{
  double value;
  if (!text || !read_amount(text, unit, &value))
    return unexpected(c, name, text, err, "a number from 0 to 2^53");
  *out = (uint64_t)llround(value);
  return BERTH_OK;
}

/* Finds a rank's digits. Returns how many; 0 if the text is no rank. */
static size_t find_rank(const char *text, const char **digits)
{
  const char *at = text;
  while (isalpha((unsigned char)*at) || (at > text && *at && strchr(" ._:#", *at))) at++;
  size_t n = strspn(at, "0123456789");
  *digits = at;
  return at[n] && strcmp(at + n, ":") != 0 ? 0 : n;
}

bool cells_is_named_rank(const char *text)
{
  const char *digits;
  size_t n = find_rank(text, &digits);
  return n && (digits > text || digits[n] == ':');
}

int cells_rank(const cells_t *c, const char *name, const char *text, int *out, berth_error_t *err)
{
  const char *digits = "";
  char number[24] = "", expected[60];
  uint64_t value;
  size_t n = text ? find_rank(text, &digits) : 0;
  if (n < sizeof number) memcpy(number, digits, n);
  if (text_to_u64(number, 0, BERTH_MAX_RANKS - 1, &value)) {
    *out = (int)value;
    return BERTH_OK;
  }
  snprintf(expected, sizeof expected, "a rank from 0 to %d", BERTH_MAX_RANKS - 1);
  return unexpected(c, name, text, err, expected);
}

int cells_whole(const cells_t *c, const char *name, const char *text, uint64_t min, uint64_t max,
                uint64_t *out, berth_error_t *err)
{
  char expected[80];
  if (text && text_to_u64(text, min, max, out)) return BERTH_OK;
  snprintf(expected, sizeof expected, "a whole number from %llu to %llu", (unsigned long long)min,
           (unsigned long long)max);
  return unexpected(c, name, text, err, expected);
}
