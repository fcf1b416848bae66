/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/fit.h"

#include <string.h>

#include "base/text.h"

enum { MAX_HANG = 512, INDENT = 2, TREE = 4 };

/* The bytes of the next character, or of an escape sequence, which takes no column. */
static size_t length_of(const char *s, size_t n, int *columns)
{
  static const char escape = '\033';
  *columns = *s != escape;
  if (*s == escape) {
    size_t i = 1;
    while (i < n && s[i] != 'm') i++;
    return i < n ? i + 1 : n;
  }
  size_t length = text_utf8_length(s, n);
  return length ? length : 1;
}

static int columns_of(const char *s, size_t n)
{
  int all = 0, columns;
  for (size_t i = 0; i < n; i += length_of(s + i, n - i, &columns), all += columns) {
  }
  return all;
}

/* Where further pieces begin, and what stands before them. */
typedef struct hang {
  char text[MAX_HANG];
  size_t n; /* bytes, which are columns */
} hang_t;

/* What a line begins with: blanks, and the lines of a tree. */
static size_t lead_of(const char *line, size_t n, bool *is_tree)
{
  size_t i = 0;
  *is_tree = false;
  for (; i < n && strchr(" |`-", line[i]); i++) *is_tree |= line[i] == '|' || line[i] == '`';
  return i;
}

/* The last text behind two blanks, as its offset; 0: there is none. */
static size_t last_column(const char *line, size_t n, size_t lead)
{
  size_t found = 0;
  for (size_t i = lead + 2; i < n; i++)
    if (line[i] != ' ' && line[i - 1] == ' ' && line[i - 2] == ' ') found = i;
  return found;
}

static void find_hang(const char *line, size_t n, int columns, hang_t *out)
{
  bool is_tree;
  size_t lead = lead_of(line, n, &is_tree), column = last_column(line, n, lead);
  size_t half = (size_t)columns / 2;
  int before = column ? columns_of(line, column) : 0;
  if (lead > half) lead = half;
  memset(out->text, ' ', sizeof out->text);
  for (size_t i = 0; i < lead && i < MAX_HANG; i++)
    if (line[i] == '|') out->text[i] = '|';
  out->n = is_tree ? lead + TREE : lead && line[lead - 1] == '-' ? lead : lead + INDENT;
  if (!is_tree && column && (size_t)before <= half) out->n = (size_t)before;
  if (out->n > MAX_HANG) out->n = MAX_HANG;
}

/* Whether the blank at i stands between a number and its unit. */
static bool is_before_unit(const char *s, size_t n, size_t i)
{
  static const char *const units[] = {"s",   "ms",  "us",  "ns",  "B",    "KiB",  "MiB",
                                      "GiB", "TiB", "PiB", "B/s", "kB/s", "MB/s", "GB/s"};
  size_t begin = i + 1, end = begin;
  if (i == 0 || s[i - 1] < '0' || s[i - 1] > '9') return false;
  while (end < n && !strchr(" ,;:.)", s[end])) end++;
  for (size_t u = 0; u < sizeof units / sizeof *units; u++)
    if (strlen(units[u]) == end - begin && memcmp(s + begin, units[u], end - begin) == 0)
      return true;
  return false;
}

/* The end of a piece of at most `room` columns that begins at the start of s. */
static size_t end_of_piece(const char *s, size_t n, size_t lead, int room)
{
  size_t i = 0, blank = 0, soft = 0;
  int used = 0, columns = 0;
  while (i < n) {
    size_t length = length_of(s + i, n - i, &columns);
    if (s[i] == ' ' && i > lead && s[i - 1] != ' ' && !is_before_unit(s, n, i)) blank = i;
    if (used + columns > room) break;
    used += columns;
    if (strchr("/,:", s[i]) && i > lead) soft = i + length;
    i += length;
  }
  return i == n ? n : blank ? blank : soft ? soft : i;
}

bool fit_line(const char *line, size_t n, int columns, fit_put_t *put, void *to)
{
  bool is_tree;
  hang_t hang;
  size_t lead = lead_of(line, n, &is_tree);
  bool is_word = !memchr(line + lead, ' ', n - lead);
  if (columns_of(line, n) <= columns || is_word) return put(to, line, n);
  find_hang(line, n, columns, &hang);
  int room = columns;
  while (n > 0) {
    size_t end = end_of_piece(line, n, lead, room);
    if (!put(to, line, end)) return false;
    line += end;
    n -= end;
    while (n > 0 && *line == ' ') line++, n--;
    if (n > 0 && (!put(to, "\n", 1) || !put(to, hang.text, hang.n))) return false;
    room = columns - (int)hang.n;
    lead = 0;
  }
  return true;
}
