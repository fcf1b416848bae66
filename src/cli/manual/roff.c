/* SPDX-License-Identifier: BSD-3-Clause */
/* Text and lines. */
#include "cli/manual/roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "cli/manual/doc_page.h"

/* A character beyond ASCII, of n bytes of UTF-8, by its number. */
static void put_character(FILE *to, const char *s, size_t n)
{
  unsigned code = (unsigned char)s[0] & (0xffu >> (n + 1));
  for (size_t i = 1; i < n; i++) code = code << 6 | ((unsigned char)s[i] & 0x3fu);
  fprintf(to, "\\[u%04X]", code);
}

/* The character at s; returns its length. */
static size_t put_one(FILE *to, const char *s, const char *end)
{
  static const char special[] = "-'^`~\\"; /* else typeset as other characters */
  static const char *const names[] = {"\\-", "\\(aq", "\\(ha", "\\(ga", "\\(ti", "\\e"};
  size_t n = text_utf8_length(s, (size_t)(end - s));
  const char *found = strchr(special, *s);
  if (n > 1)
    put_character(to, s, n);
  else if (found && *found)
    fputs(names[found - special], to);
  else
    fputc(*s, to);
  return n ? n : 1;
}

/* What keeps a line of text from being a request. */
static void put_guard(FILE *to, char first)
{
  if (first == '.') fputs("\\&", to);
}

void roff_text(FILE *to, const char *s, size_t n)
{
  bool at_line_start = true;
  for (const char *end = s + n; s < end;) {
    if (at_line_start) put_guard(to, *s);
    at_line_start = *s == '\n';
    s += put_one(to, s, end);
  }
}

size_t roff_characters(const char *s, size_t n)
{
  size_t characters = 0;
  for (const char *end = s + n; s < end; s++) characters += ((unsigned char)*s & 0xc0) != 0x80;
  return characters;
}

size_t roff_width(const char *roff)
{
  size_t width = 0;
  for (; *roff; roff++) {
    if (*roff == '\\') {
      char kind = *++roff;
      width += kind != 'f' && kind != '&';
      if (kind == 'f') roff++;
      if (kind == '(') roff += 2;
      if (kind == '[') roff = strchr(roff, ']');
    } else {
      width++;
    }
  }
  return width;
}

/* How the text at hand is marked. */
typedef struct marks {
  bool code, bold, italic;
  char font; /* the one that the page is in */
} marks_t;

static void put_font(FILE *to, marks_t *m)
{
  char font = m->code || m->bold ? 'B' : m->italic ? 'I' : 'R';
  if (font != m->font) fprintf(to, "\\f%c", font);
  m->font = font;
}

/* Takes a mark at s: its length, 0 if there is none. */
static size_t take_mark(marks_t *m, const char *begin, const char *s, const char *end)
{
  bool before = s > begin && !strchr(" (", s[-1]), after = s + 1 < end && s[1] != ' ';
  if (*s == '`') {
    m->code = !m->code;
    return 1;
  }
  if (*s != '*' || m->code) return 0;
  if (s + 1 < end && s[1] == '*') {
    m->bold = !m->bold;
    return 2;
  }
  if (m->italic ? !before : before || !after) return 0;
  m->italic = !m->italic;
  return 1;
}

/* The page of the manual that a file of docs/ is, by its path of n bytes; false if it is none. */
static bool put_page_of(FILE *to, const char *path, size_t n)
{
  const char *slash = memrchr(path, '/', n), *name = slash ? slash + 1 : path;
  const char *dot = memchr(name, '.', n - (size_t)(name - path));
  const embedded_t *page = dot ? doc_page_find(name, (size_t)(dot - name)) : NULL;
  if (!page) return false;
  fputs("\\fBberth\\-", to);
  roff_text(to, name, (size_t)(dot - name));
  fprintf(to, "\\fR(%d)", doc_page_section(page));
  return true;
}

/* [text](path) at s: its length, 0 if it isn't there. */
static size_t put_link(FILE *to, const char *s, const char *end)
{
  const char *middle = *s == '[' ? memmem(s, (size_t)(end - s), "](", 2) : NULL;
  const char *close = middle ? memchr(middle, ')', (size_t)(end - middle)) : NULL;
  if (!close) return 0;
  if (!put_page_of(to, middle + 2, (size_t)(close - middle) - 2))
    roff_line(to, s + 1, (size_t)(middle - s) - 1);
  return (size_t)(close - s) + 1;
}

/* docs/PATH.md at s, if it is a page of the manual: its length, else 0. */
static size_t put_path(FILE *to, const char *s, const char *end)
{
  static const char folder[] = "docs/", ending[] = ".md";
  if ((size_t)(end - s) < sizeof folder || strncmp(s, folder, sizeof folder - 1) != 0) return 0;
  const char *to_dot = memmem(s, (size_t)(end - s), ending, sizeof ending - 1);
  size_t n = to_dot ? (size_t)(to_dot - s) + sizeof ending - 1 : 0;
  return n && !memchr(s, ' ', n) && put_page_of(to, s, n) ? n : 0;
}

/* A name of a page at s, such as berth-map(1): its length, else 0. */
static size_t put_reference(FILE *to, const char *s, const char *end)
{
  static const char program[] = "berth";
  const char *open = s;
  if ((size_t)(end - s) < sizeof program || strncmp(s, program, sizeof program - 1) != 0) return 0;
  while (open < end && (isalnum((unsigned char)*open) || *open == '-')) open++;
  if (end - open < 3 || *open != '(' || !isdigit((unsigned char)open[1]) || open[2] != ')')
    return 0;
  fputs("\\fB", to);
  roff_text(to, s, (size_t)(open - s));
  fprintf(to, "\\fR%.3s", open);
  return (size_t)(open - s) + 3;
}

void roff_line(FILE *to, const char *s, size_t n)
{
  marks_t m = {.font = 'R'};
  const char *begin = s;
  if (n) put_guard(to, *s);
  for (const char *end = s + n; s < end;) {
    size_t found = take_mark(&m, begin, s, end);
    bool in_word = s > begin && isalnum((unsigned char)s[-1]);
    if (!found) put_font(to, &m);
    if (!found && !m.code) found = put_link(to, s, end);
    if (!found && !m.code && !in_word) found = put_path(to, s, end);
    if (!found && !m.code && !in_word) found = put_reference(to, s, end);
    s += found ? found : put_one(to, s, end);
  }
  m = (marks_t){.font = m.font};
  put_font(to, &m);
}
