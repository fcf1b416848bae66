/* SPDX-License-Identifier: BSD-3-Clause */
/* Headings, paragraphs, lists, and blocks of code. */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/manual/roff.h"

typedef struct blocks {
  FILE *to;
  const char *at, *end;
  bool fresh;  /* nothing stands below the heading yet */
  bool apart;  /* the next text begins a paragraph */
  bool nested; /* inside an item of a list */
} blocks_t;

/* Where the line at s ends. */
static const char *line_end(const char *s, const char *end)
{
  const char *newline = memchr(s, '\n', (size_t)(end - s));
  return newline ? newline : end;
}

static const char *next_line(const char *s, const char *end)
{
  const char *newline = line_end(s, end);
  return newline + (newline < end);
}

static bool begins(const char *s, const char *end, const char *prefix)
{
  size_t n = strlen(prefix);
  return (size_t)(end - s) >= n && strncmp(s, prefix, n) == 0;
}

static void leave_item(blocks_t *b)
{
  if (b->nested) fputs(".RE\n", b->to);
  b->nested = false;
}

/* Ends what was before, for a part that is no item of a list. */
static void begin_part(blocks_t *b)
{
  leave_item(b);
  if (b->apart && !b->fresh) fputs(".PP\n", b->to);
  b->apart = b->fresh = false;
}

/* Where a line of code that is longer than `room` is broken: behind the last comma, or else the
 * last blank, that has room. A comma near the beginning isn't worth it. */
static size_t break_at(const char *s, size_t n, size_t room)
{
  size_t margin = strspn(s, " "), comma = 0, blank = 0;
  for (size_t i = margin; i < n && roff_characters(s, i + 1) <= room; i++) {
    if (s[i] == ',') comma = i + 1 + (i + 1 < n && s[i + 1] == ' ');
    if (s[i] == ' ') blank = i + 1;
  }
  if (comma > margin + (room - margin) / 3) return comma;
  return blank ? blank : n;
}

/* A line of code of n bytes; what has no room follows in lines of its own. */
static void put_code_line(FILE *to, const char *s, size_t n, size_t room)
{
  size_t margin = strspn(s, " ") + 4, indent = 0;
  for (size_t length; n; s += length, n -= length) {
    bool fits = roff_characters(s, n) + indent <= room;
    length = fits ? n : break_at(s, n, room - indent);
    fprintf(to, "%*s", (int)indent, "");
    roff_text(to, s, length - (!fits && s[length - 1] == ' '));
    fputc('\n', to);
    indent = margin < room / 2 ? margin : room / 2;
  }
}

/* Lines from s to end, without the first `strip` bytes of each. Long lines begin further left. */
static void put_code(blocks_t *b, const char *s, const char *end, size_t strip)
{
  size_t longest = 0, indent = ROFF_INDENT + 2;
  for (const char *line = s; line < end; line = next_line(line, end)) {
    size_t n = roff_characters(line, (size_t)(line_end(line, end) - line)) - strip;
    if (n > longest) longest = n;
  }
  if (longest + indent > ROFF_COLUMNS) indent = longest > ROFF_COLUMNS ? 2 : ROFF_COLUMNS - longest;
  begin_part(b);
  fprintf(b->to, ".nf\n.in %zun\n", indent);
  for (const char *line = s; line < end; line = next_line(line, end)) {
    size_t n = (size_t)(line_end(line, end) - line);
    if (n > strip)
      put_code_line(b->to, line + strip, n - strip, ROFF_COLUMNS - indent);
    else
      fputc('\n', b->to);
  }
  fputs(".in\n.fi\n", b->to);
  b->apart = true;
}

static void take_fence(blocks_t *b)
{
  const char *begin = next_line(b->at, b->end), *end = begin;
  while (end < b->end && !begins(end, b->end, "```")) end = next_line(end, b->end);
  put_code(b, begin, end, 0);
  b->at = next_line(end, b->end);
}

/* The lines from here on that begin with a text. */
static const char *lines_with(const blocks_t *b, const char *prefix)
{
  const char *s = b->at;
  while (s < b->end && begins(s, b->end, prefix)) s = next_line(s, b->end);
  return s;
}

static void take_table(blocks_t *b)
{
  const char *end = lines_with(b, "|");
  leave_item(b);
  roff_table(b->to, b->at, (size_t)(end - b->at), !b->fresh);
  b->fresh = false;
  b->apart = true;
  b->at = end;
}

/* Headings of sections stand in capitals, apart from `code`. */
static void put_capitals(FILE *to, const char *s, size_t n)
{
  char *title = cli_checked(text_printf("%.*s", (int)n, s));
  bool code = false;
  for (char *c = title; c && *c; c++) {
    code ^= *c == '`';
    if (!code) *c = (char)toupper((unsigned char)*c);
  }
  if (title) roff_line(to, title, n);
  free(title);
}

static void take_heading(blocks_t *b)
{
  const char *end = line_end(b->at, b->end), *text = b->at;
  while (*text == '#') text++;
  bool is_section = text - b->at == 2;
  leave_item(b);
  fputs(is_section ? ".SH " : ".SS ", b->to);
  text++;
  if (is_section)
    put_capitals(b->to, text, (size_t)(end - text));
  else
    roff_line(b->to, text, (size_t)(end - text));
  fputc('\n', b->to);
  b->fresh = true;
  b->at = next_line(b->at, b->end);
}

/* The length of what makes a line an item of a list: "- ", "1. ", also behind blanks; 0 if none. */
static size_t item_mark(const char *s, const char *end)
{
  const char *mark = s;
  while (mark < end && *mark == ' ') mark++;
  if (begins(mark, end, "- ")) return (size_t)(mark - s) + 2;
  const char *digit = mark;
  while (mark < end && isdigit((unsigned char)*mark)) mark++;
  return mark > digit && begins(mark, end, ". ") ? (size_t)(mark - s) + 2 : 0;
}

static void take_item(blocks_t *b, size_t mark)
{
  const char *end = line_end(b->at, b->end), *sign = b->at;
  while (*sign == ' ') sign++;
  bool nested = sign > b->at;
  if (nested && !b->nested) fputs(".RS 2\n", b->to);
  if (!nested) leave_item(b);
  b->nested = nested;
  b->fresh = b->apart = false;
  if (*sign == '-')
    fputs(".IP \\(bu 2\n", b->to);
  else
    fprintf(b->to, ".IP %.*s 4\n", (int)(b->at + mark - sign - 1), sign);
  roff_line(b->to, b->at + mark, (size_t)(end - b->at) - mark);
  fputc('\n', b->to);
  b->at = next_line(b->at, b->end);
}

static void take_text(blocks_t *b)
{
  const char *end = line_end(b->at, b->end);
  begin_part(b);
  roff_line(b->to, b->at, (size_t)(end - b->at));
  fputc('\n', b->to);
  b->at = next_line(b->at, b->end);
}

/* Takes what begins at a line. */
static void take_part(blocks_t *b)
{
  const char *end = line_end(b->at, b->end);
  size_t mark = item_mark(b->at, end);
  if (strspn(b->at, " ") >= (size_t)(end - b->at)) {
    b->apart = true;
    b->at = next_line(b->at, b->end);
  } else if (begins(b->at, end, "```")) {
    take_fence(b);
  } else if (*b->at == '|') {
    take_table(b);
  } else if (begins(b->at, end, "## ") || begins(b->at, end, "### ")) {
    take_heading(b);
  } else if (mark) {
    take_item(b, mark);
  } else if (begins(b->at, end, "  ")) {
    const char *behind = lines_with(b, "  ");
    put_code(b, b->at, behind, 2);
    b->at = behind;
  } else {
    take_text(b);
  }
}

void roff_blocks(FILE *to, const char *s, size_t n)
{
  blocks_t b = {.to = to, .at = s, .end = s + n, .fresh = true};
  while (b.at < b.end) take_part(&b);
  leave_item(&b);
}
