/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix of bytes as characters: senders are rows, receivers columns, as dark as the logarithm
 * of what a cell holds. A character is about twice as high as wide, so a row stands for twice as
 * many ranks as a column. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/print/screen.h"
#include "cli/print/show.h"

enum { USUAL_ROWS = 32, MAX_ROWS = 128, MAX_COLUMNS = 2 * MAX_ROWS, LABEL_EVERY = 8 };
static const char shades[] = ".:-=+*#%@";
enum { SHADES = sizeof shades - 1 };

typedef struct matrix {
  int ranks, rows, columns; /* a cell is ranks / rows senders, ranks / columns receivers */
  int width;                /* characters of a cell */
  double cell[MAX_ROWS][MAX_COLUMNS];
  double min, max; /* of those above 0 */
} matrix_t;

static int cell_of(int rank, int cells, int ranks)
{
  return (int)((long long)rank * cells / ranks);
}

/* The first rank of a cell. */
static int first_of(int cell, int cells, int ranks)
{
  return (int)(((long long)cell * ranks + cells - 1) / cells);
}

static void fill(matrix_t *m, const summary_t *s, int max_rows)
{
  m->ranks = berth_pattern_ranks(s->pattern);
  int rows = USUAL_ROWS + screen_extra() / 2;
  if (rows > MAX_ROWS) rows = MAX_ROWS;
  if (max_rows > 0 && rows > max_rows) rows = max_rows;
  m->rows = m->ranks < rows ? m->ranks : rows;
  m->columns = m->ranks < 2 * rows ? m->ranks : 2 * rows;
  m->width = m->columns <= rows ? 2 : 1;
  for (size_t i = 0; i < s->n_pairs; i++) {
    const summary_pair_t *p = &s->pairs[i];
    int row = cell_of(p->src, m->rows, m->ranks), column = cell_of(p->dst, m->columns, m->ranks);
    m->cell[row][column] += p->sum.bytes;
  }
  for (int r = 0; r < m->rows; r++)
    for (int c = 0; c < m->columns; c++) {
      double bytes = m->cell[r][c];
      if (bytes <= 0) continue;
      if (m->max == 0 || bytes < m->min) m->min = bytes;
      if (bytes > m->max) m->max = bytes;
    }
}

static char shade(const matrix_t *m, double bytes)
{
  if (bytes <= 0) return ' ';
  if (m->max <= m->min) return shades[SHADES - 1];
  double part = log(bytes / m->min) / log(m->max / m->min);
  return shades[(int)lround(part * (SHADES - 1))];
}

/* Each eighth column's first rank, above it. */
static void print_columns(const matrix_t *m)
{
  int width = m->width;
  char line[MAX_COLUMNS * 2 + 16], number[16];
  memset(line, ' ', sizeof line);
  int end = 0;
  for (int c = 0; c < m->columns; c += LABEL_EVERY) {
    int n = snprintf(number, sizeof number, "%d", first_of(c, m->columns, m->ranks));
    if (c * width < end && c > 0) continue; /* the one before is in the way */
    memcpy(line + c * width, number, (size_t)n);
    end = c * width + n;
  }
  printf("%10s %.*s\n", "", end, line);
}

/* The darkest shades have colours. */
static screen_style_t style_of(char shade)
{
  static const char dark[] = "%@", middle[] = "+*#";
  return strchr(dark, shade) ? SCREEN_BAD : strchr(middle, shade) ? SCREEN_DOUBTFUL : SCREEN_PLAIN;
}

static void print_row(const matrix_t *m, int row)
{
  screen_style_t style = SCREEN_PLAIN;
  for (int c = 0; c < m->columns; c++) {
    char cell = shade(m, m->cell[row][c]);
    if (style_of(cell) != style) screen_set_style(stdout, style = style_of(cell));
    for (int k = 0; k < m->width; k++) putchar(cell);
  }
  if (style != SCREEN_PLAIN) screen_set_style(stdout, SCREEN_PLAIN);
  puts("|");
}

void show_print_matrix(const summary_t *s, int max_rows)
{
  char min[TEXT_NUMBER], max[TEXT_NUMBER];
  matrix_t *m = cli_checked(calloc(1, sizeof *m));
  if (!m) return;
  fill(m, s, max_rows);
  print_columns(m);
  for (int r = 0; r < m->rows; r++) {
    if (r % LABEL_EVERY == 0)
      printf("%9d |", first_of(r, m->rows, m->ranks));
    else
      printf("%9s |", "");
    print_row(m, r);
  }
  const char *cell = m->rows < m->ranks ? "some ranks" : "one rank";
  if (m->max > m->min)
    printf("  bytes from %s (rows) to %s (columns): %c %s to %c %s, logarithmic\n", cell, cell,
           shades[0], text_bytes(m->min, min), shades[SHADES - 1], text_bytes(m->max, max));
  else
    printf("  bytes from %s (rows) to %s (columns): %c %s\n", cell, cell, shades[SHADES - 1],
           text_bytes(m->max, max));
  free(m);
}
