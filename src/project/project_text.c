/* SPDX-License-Identifier: BSD-3-Clause */
#include "project/project_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* A place in the text, and what it is in: '"', '\'' or '#', or 0 between them. */
typedef struct place {
  char *text, *end;
  long line, column;
  char inside;
} place_t;

static bool is_next(const place_t *p, const char *word)
{
  size_t n = strlen(word);
  return (size_t)(p->end - p->text) >= n && memcmp(p->text, word, n) == 0;
}

static void step(place_t *p)
{
  bool ends_line = *p->text++ == '\n';
  p->line += ends_line;
  p->column = ends_line ? 1 : p->column + 1;
}

/* The number of a character of n bytes in UTF-8. */
static unsigned number_of(const char *s, size_t n)
{
  unsigned number = (unsigned char)*s & (0xffU >> (n + 1));
  for (size_t i = 1; i < n; i++) number = number << 6 | ((unsigned char)s[i] & 0x3fU);
  return number;
}

static int refuse_character(const place_t *p, const char *path, berth_error_t *err)
{
  size_t n = text_utf8_length(p->text, (size_t)(p->end - p->text));
  if (!n)
    return berth_fail(err, BERTH_BAD_INPUT, "%s:%ld:%ld: found the byte 0x%02x, expected ASCII",
                      path, p->line, p->column, (unsigned char)*p->text);
  unsigned number = number_of(p->text, n);
  return berth_fail(err, BERTH_BAD_INPUT,
                    "%s:%ld:%ld: found '%.*s', expected ASCII, and this in a string as %s%0*x",
                    path, p->line, p->column, (int)n, p->text, number > 0xffff ? "\\U" : "\\u",
                    number > 0xffff ? 8 : 4, number);
}

/* Takes the next byte, and behind a backslash two. */
static void take_byte(place_t *p)
{
  char c = *p->text;
  if (p->inside == '#') {
    if (c & 0x80) *p->text = '?';
    if (c == '\n') p->inside = 0;
  } else if (!p->inside) {
    if (c == '"' || c == '\'' || c == '#') p->inside = c;
  } else if (c == '\n' || c == p->inside) {
    p->inside = 0;
  } else if (c == '\\' && p->inside == '"' && p->text + 1 < p->end && !(p->text[1] & 0x80)) {
    step(p);
  }
  step(p);
}

int project_text_make_ascii(char *text, size_t n, const char *path, berth_error_t *err)
{
  place_t p = {text, text + n, 1, 1, 0};
  while (p.text < p.end) {
    if (!p.inside && (is_next(&p, "\"\"\"") || is_next(&p, "'''")))
      return berth_fail(err, BERTH_BAD_INPUT,
                        "%s:%ld:%ld: found %.3s, expected a string of one line", path, p.line,
                        p.column, p.text);
    if (p.inside != '#' && (*p.text & 0x80)) return refuse_character(&p, path, err);
    take_byte(&p);
  }
  return BERTH_OK;
}
