/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/view_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static char *printed(view_print_t *print, void *data, size_t row)
{
  char *text = NULL;
  size_t n;
  FILE *to = open_memstream(&text, &n);
  if (to) print(data, row, to);
  return text_end(to, &text);
}

char *view_text_row(view_print_t *print, void *data, size_t row)
{
  char *text = printed(print, data, row);
  if (text) text_clean(text);
  return text;
}

char *view_text_lines(view_print_t *print, void *data, size_t row)
{
  char *text = printed(print, data, row);
  if (text) text_clean_lines(text);
  return text;
}

static size_t next(const char *text)
{
  size_t n = text_utf8_length(text, strnlen(text, 4));
  return n ? n : 1;
}

const char *view_text_part(const char *text, int left, int columns, size_t *n)
{
  for (; *text && left > 0; left--) text += next(text);
  *n = 0;
  for (; text[*n] && columns > 0; columns--) *n += next(text + *n);
  return text;
}

int view_text_columns(const char *text)
{
  int columns = 0;
  for (; *text; text += next(text)) columns++;
  return columns;
}

size_t view_text_line(const char *text, int columns)
{
  size_t n;
  view_text_part(text, 0, columns, &n);
  size_t end = n;
  while (text[n] && end > 0 && text[end] != ' ') end--;
  return end ? end : n;
}

size_t view_text_find(const view_screen_t *s, size_t from, int step, const char *word)
{
  for (size_t i = 0; i < s->n; i++) {
    size_t row = (step > 0 ? from + i : from + s->n - i) % s->n;
    char *text = view_text_row(s->row, s->data, row);
    bool found = text && strcasestr(text, word);
    free(text);
    if (found) return row;
  }
  return s->n;
}
