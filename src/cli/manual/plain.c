/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks, links and names of pages are taken as for man pages (roff_line); then roff's escapes are
 * undone. */
#include "cli/manual/plain.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/manual/roff.h"

enum { CELL_INDENT = 4, CODE_INDENT = 4, HEADINGS = 8 };

/* A table's headings, as parts of the text. */
typedef struct headings {
  size_t n; /* columns */
  const char *at[HEADINGS];
  size_t length[HEADINGS];
} headings_t;

static void put_utf8(FILE *to, unsigned long code)
{
  if (code < 0x80)
    fputc((int)code, to);
  else if (code < 0x800)
    fprintf(to, "%c%c", (int)(0xc0 | code >> 6), (int)(0x80 | (code & 0x3f)));
  else if (code < 0x10000)
    fprintf(to, "%c%c%c", (int)(0xe0 | code >> 12), (int)(0x80 | (code >> 6 & 0x3f)),
            (int)(0x80 | (code & 0x3f)));
  else
    fprintf(to, "%c%c%c%c", (int)(0xf0 | code >> 18), (int)(0x80 | (code >> 12 & 0x3f)),
            (int)(0x80 | (code >> 6 & 0x3f)), (int)(0x80 | (code & 0x3f)));
}

/* An escape of roff, behind its backslash; returns what follows it. */
static const char *put_escape(FILE *to, const char *s)
{
  static const char names[] = "aqhagati", characters[] = "'^`~";
  switch (*s) {
  case 'f':
    return s + 2;
  case '&':
    return s + 1;
  case 'e':
    fputc('\\', to);
    return s + 1;
  case '[':
    put_utf8(to, strtoul(s + 2, NULL, 16));
    return strchr(s, ']') + 1;
  case '(':
    for (size_t i = 0; characters[i]; i++)
      if (strncmp(s + 1, names + 2 * i, 2) == 0) fputc(characters[i], to);
    return s + 3;
  default:
    fputc(*s, to);
    return s + 1;
  }
}

/* A line of Markdown without its marks, which the caller frees. */
static char *plain_line(const char *s, size_t n)
{
  char *roff = NULL, *text = NULL;
  size_t length;
  FILE *f = open_memstream(&roff, &length);
  if (f) roff_line(f, s, n);
  if (!cli_checked(text_end(f, &roff))) return NULL;
  f = open_memstream(&text, &length);
  for (const char *c = roff; f && *c;) {
    if (*c == '\\')
      c = put_escape(f, c + 1);
    else
      fputc(*c++, f);
  }
  free(roff);
  return cli_checked(text_end(f, &text));
}

/* Words from column `at` on, in lines that begin at column `indent`. */
static void put_wrapped(FILE *to, const char *text, size_t at, size_t indent)
{
  bool first = true;
  for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
    size_t n = strcspn(text, " "), width = roff_characters(text, n);
    if (!first && at + 1 + width > ROFF_COLUMNS) {
      fprintf(to, "\n%*s", (int)indent, "");
      at = indent;
    } else if (!first) {
      fputc(' ', to);
      at++;
    }
    fwrite(text, 1, n, to);
    at += width;
    text += n;
    first = false;
  }
  fputc('\n', to);
}

static void put_heading(FILE *to, const char *s, size_t n)
{
  static const char lines[] = {'=', '-'}; /* below the first levels */
  size_t level = strspn(s, "#");
  char *text = plain_line(s + level + 1, n > level ? n - level - 1 : 0);
  if (!text) return;
  fprintf(to, "%s\n", text);
  for (size_t i = roff_characters(text, strlen(text)); level <= sizeof lines && i > 0; i--)
    fputc(lines[level - 1], to);
  if (level <= sizeof lines) fputc('\n', to);
  free(text);
}

static void put_text(FILE *to, const char *s, size_t n)
{
  size_t blanks = strspn(s, " "), mark = 0, digits = strspn(s + blanks, "0123456789");
  if (strncmp(s + blanks, "- ", 2) == 0) mark = 2;
  if (digits && strncmp(s + blanks + digits, ". ", 2) == 0) mark = digits + 2;
  size_t indent = blanks + mark;
  if (indent >= n) return;
  char *text = plain_line(s + indent, n - indent);
  fprintf(to, "%.*s", (int)indent, s);
  if (text) put_wrapped(to, text, indent, indent);
  free(text);
}

/* The cell at *s, behind its '|', without blanks around it; *s is then the next '|' or the end. */
static const char *take_cell(const char **s, const char *end, size_t *n)
{
  const char *begin = *s;
  bool code = false;
  for (; *s < end && (code || **s != '|'); (*s)++) code ^= **s == '`';
  const char *stop = *s;
  while (begin < stop && *begin == ' ') begin++;
  while (begin < stop && stop[-1] == ' ') stop--;
  *n = (size_t)(stop - begin);
  return begin;
}

static void put_cell(FILE *to, const headings_t *h, size_t column, const char *s, size_t n)
{
  bool named = h->n > 2 && column > 0 && column < h->n && h->length[column] > 0;
  char *text = plain_line(s, n),
       *name = named ? plain_line(h->at[column], h->length[column]) : NULL;
  char *whole = text ? text_printf("%s%s%s", name ? name : "", name ? ": " : "", text) : NULL;
  size_t indent = column ? CELL_INDENT : 0;
  fprintf(to, "%*s", (int)indent, "");
  if (cli_checked(whole)) put_wrapped(to, whole, indent, CELL_INDENT);
  free(whole);
  free(name);
  free(text);
}

/* A row; the first one of a table is that of its headings. */
static void put_row(FILE *to, headings_t *h, const char *s, size_t n)
{
  const char *end = s + n;
  bool is_first = h->n == 0;
  if (strspn(s, "|-: ") >= n) return;
  size_t columns = 0;
  while (++s < end) {
    size_t length;
    const char *cell = take_cell(&s, end, &length);
    if (is_first && columns < HEADINGS) {
      h->at[columns] = cell;
      h->length[columns] = length;
    } else if (!is_first && length) {
      put_cell(to, h, columns, cell, length);
    }
    columns++;
  }
  if (!is_first) return;
  h->n = columns < HEADINGS ? columns : HEADINGS;
  size_t shown = h->n > 2 ? 1 : h->n; /* other headings stand before their cells */
  for (size_t c = 0; c < shown; c++)
    if (h->length[c]) put_cell(to, &(headings_t){0}, c, h->at[c], h->length[c]);
}

void plain_page(FILE *to, const char *markdown)
{
  bool code = false;
  headings_t table = {0};
  for (const char *s = markdown; *s;) {
    size_t n = strcspn(s, "\n");
    if (*s != '|' || code) table.n = 0;
    if (strncmp(s, "```", 3) == 0)
      code = !code;
    else if (code)
      fprintf(to, "%*s%.*s\n", n ? CODE_INDENT : 0, "", (int)n, s);
    else if (n == 0)
      fputc('\n', to);
    else if (*s == '#')
      put_heading(to, s, n);
    else if (*s == '|')
      put_row(to, &table, s, n);
    else
      put_text(to, s, n);
    s += n + (s[n] == '\n');
  }
}
