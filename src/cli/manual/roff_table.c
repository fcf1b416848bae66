/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables. One that fits the page is a table of tbl(1). Of others, cells wrap, if columns stay wide
 * enough to be read. Else each row is an entry of a list: the first cell, and below it the others.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/manual/roff.h"

enum {
  COLUMNS = 8, /* of a table at most; further ones are left in the last one */
  GAP = 3,     /* between columns, as tbl has it */
  NARROW = 18  /* the narrowest column whose cells wrap */
};

typedef struct table {
  int columns;
  size_t rows;                 /* that of the headings included */
  const char *(*row)[COLUMNS]; /* cells in roff */
  size_t width[COLUMNS];       /* of the column on the page */
  bool wraps[COLUMNS];
  arena_t texts;
} table_t;

/* The end of a cell: the next '|' that is in no `code`. */
static const char *cell_end(const char *s, const char *end)
{
  for (bool code = false; s < end && (code || *s != '|'); s++) code ^= *s == '`';
  return s;
}

static const char *make_cell(arena_t *texts, const char *s, const char *end)
{
  char *text = NULL;
  size_t n;
  while (s < end && *s == ' ') s++;
  while (s < end && end[-1] == ' ') end--;
  FILE *f = open_memstream(&text, &n);
  if (f) roff_line(f, s, (size_t)(end - s));
  const char *cell = cli_checked(text_end(f, &text)) ? arena_strdup(texts, text) : "";
  free(text);
  if (!cell) cli_checked(NULL);
  return cell ? cell : "";
}

/* Takes a line of n bytes that begins with '|'. */
static void take_row(table_t *t, const char *s, size_t n)
{
  const char **row = t->row[t->rows++], *end = s + n;
  for (int c = 0; c < COLUMNS; c++) row[c] = "";
  for (int c = 0; c < COLUMNS && ++s < end; c++) {
    const char *stop = cell_end(s, end);
    row[c] = make_cell(&t->texts, s, stop);
    if (stop < end && c >= t->columns) t->columns = c + 1;
    s = stop;
  }
}

/* The line between headings and cells. */
static bool is_rule(const char *s, size_t n) { return strspn(s, "|-: ") >= n; }

/* Takes all lines; the last one ends, as all do, with a line's end. */
static bool take_rows(table_t *t, const char *s, size_t n)
{
  size_t lines = 0;
  for (size_t i = 0; i < n; i++) lines += s[i] == '\n';
  t->row = cli_checked(arena_alloc(&t->texts, lines * sizeof *t->row));
  if (!t->row) return false;
  for (const char *end = s + n, *newline; s < end; s = newline + 1) {
    newline = memchr(s, '\n', (size_t)(end - s));
    if (!is_rule(s, (size_t)(newline - s))) take_row(t, s, (size_t)(newline - s));
  }
  return true;
}

/* Widths as the cells want them. Returns their sum, with gaps. */
static size_t measure(table_t *t)
{
  size_t sum = (size_t)(t->columns - 1) * GAP;
  for (int c = 0; c < t->columns; c++) {
    for (size_t r = 0; r < t->rows; r++) {
      size_t width = roff_width(t->row[r][c]);
      if (width > t->width[c]) t->width[c] = width;
    }
    sum += t->width[c];
  }
  return sum;
}

/* Whether the words of cells that wrap have room. */
static bool has_room_for_words(const table_t *t)
{
  char word[256];
  for (int c = 0; c < t->columns; c++)
    for (size_t r = 0; t->wraps[c] && r < t->rows; r++)
      for (const char *s = t->row[r][c]; *s; s += strspn(s, " ")) {
        size_t n = strcspn(s, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, s);
        if (roff_width(word) > t->width[c]) return false;
        s += n;
      }
  return true;
}

/* Divides the columns of the page: columns of the table that want at most their share get it, the
 * others share what is left and wrap. Returns whether all of these are wide enough to be read. */
static bool divide(table_t *t)
{
  size_t room = ROFF_COLUMNS - ROFF_INDENT - (size_t)(t->columns - 1) * GAP;
  size_t left = (size_t)t->columns, share = room / left;
  bool settled[COLUMNS] = {false}, changed = true;
  while (changed && left) {
    changed = false;
    share = room / left;
    for (int c = 0; c < t->columns; c++) {
      if (settled[c] || t->width[c] > share) continue;
      settled[c] = changed = true;
      room -= t->width[c];
      left--;
    }
  }
  for (int c = 0; c < t->columns; c++)
    if ((t->wraps[c] = !settled[c])) t->width[c] = share;
  return !left || (share >= NARROW && has_room_for_words(t));
}

/* Whether any column has a heading. */
static bool has_headings(const table_t *t)
{
  for (int c = 0; c < t->columns; c++)
    if (*t->row[0][c]) return true;
  return false;
}

static void put_format(FILE *to, const table_t *t, const char *font)
{
  for (int c = 0; c < t->columns; c++) {
    fprintf(to, "%sl%s", c ? " " : "", font);
    if (t->wraps[c]) fprintf(to, "w(%zun)", t->width[c]);
  }
}

static void put_grid(FILE *to, const table_t *t, bool apart)
{
  bool headings = has_headings(t);
  fputs(apart ? ".PP\n.TS\n" : ".TS\n", to);
  if (headings) put_format(to, t, "b");
  if (headings) fputc('\n', to);
  put_format(to, t, "");
  fputs(".\n", to);
  for (size_t r = !headings; r < t->rows; r++) {
    for (int c = 0; c < t->columns; c++)
      fprintf(to, t->wraps[c] ? "%sT{\n%s\nT}" : "%s%s", c ? "\t" : "", t->row[r][c]);
    fputs(r ? "\n" : "\n_\n", to);
  }
  fputs(".TE\n", to);
}

/* A row as an entry of a list; in one of more than two columns, headings stand before the cells. */
static void put_entry(FILE *to, const table_t *t, const char *const *row)
{
  fprintf(to, ".TP\n%s\n", *row[0] ? row[0] : "\\&");
  for (int c = 1; c < t->columns; c++) {
    const char *heading = t->columns > 2 ? t->row[0][c] : "";
    if (!*row[c]) continue;
    fprintf(to, "%s%s%s%s\n", c > 1 ? ".br\n" : "", heading, *heading ? ": " : "", row[c]);
  }
}

static void put_list(FILE *to, const table_t *t)
{
  const char *const *headings = t->row[0];
  if (t->columns == 2 && has_headings(t))
    fprintf(to, ".TP\n\\fI%s\\fR\n\\fI%s\\fR\n", *headings[0] ? headings[0] : "\\&",
            *headings[1] ? headings[1] : "\\&");
  for (size_t r = 1; r < t->rows; r++) put_entry(to, t, t->row[r]);
}

void roff_table(FILE *to, const char *s, size_t n, bool apart)
{
  table_t t = {0};
  if (take_rows(&t, s, n)) {
    bool fits = measure(&t) <= ROFF_COLUMNS - ROFF_INDENT;
    if (fits || (t.columns > 2 && divide(&t)))
      put_grid(to, &t, apart);
    else
      put_list(to, &t);
  }
  arena_free(&t.texts);
}
