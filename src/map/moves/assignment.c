/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds assignments: the Hungarian method, or greedily if that takes too long. */
#include "map/moves/moves.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

static const double MAX_WORK = 2e7;

ORDER_VALUES(by_number, int)

/* Lists the different numbers of a side, increasing. Returns how many. */
static size_t list_numbers(const assignment_edge_t *edge, size_t n, bool right, int *out)
{
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) out[i] = right ? edge[i].right : edge[i].left;
  qsort(out, n, sizeof *out, by_number);
  for (size_t i = 0; i < n; i++)
    if (kept == 0 || out[kept - 1] != out[i]) out[kept++] = out[i];
  return kept;
}

static size_t place_of(const int *list, size_t n, int number)
{
  const int *found = bsearch(&number, list, n, sizeof *list, by_number);
  return (size_t)(found - list);
}

/* --- greedy: the heaviest first --- */

ORDER_BY(by_weight, assignment_edge_t, FALLING(weight) RISING(left) RISING(right))

ORDER_BY(by_sides, assignment_edge_t, RISING(left) RISING(right))

static bool take_heaviest(assignment_edge_t *edge, size_t n, const int *left, size_t n_left,
                          const int *right, size_t n_right)
{
  bool *used = calloc(n_left + n_right, sizeof *used);
  if (!used) return false;
  qsort(edge, n, sizeof *edge, by_weight);
  for (size_t i = 0; i < n; i++) {
    size_t l = place_of(left, n_left, edge[i].left);
    size_t r = n_left + place_of(right, n_right, edge[i].right);
    edge[i].taken = !used[l] && !used[r];
    if (edge[i].taken) used[l] = used[r] = true;
  }
  qsort(edge, n, sizeof *edge, by_sides);
  free(used);
  return true;
}

/* --- Hungarian method: the greatest weight --- */

typedef struct table {
  size_t rows, columns; /* rows <= columns; both count from 1; 0: none */
  int *weight;
  long *row_price, *column_price, *slack;
  size_t *row_at, *before; /* by column: its row; the previous column on the path */
  bool *seen;
} table_t;

/* Assigns a column to a row, along the cheapest path through columns that are taken. */
static void add_row(table_t *t, size_t row)
{
  size_t column = 0;
  t->row_at[0] = row;
  for (size_t c = 0; c <= t->columns; c++) {
    t->slack[c] = LONG_MAX;
    t->seen[c] = false;
  }
  do {
    size_t from = t->row_at[column], next = 0;
    long min = LONG_MAX;
    t->seen[column] = true;
    for (size_t c = 1; c <= t->columns; c++) {
      if (t->seen[c]) continue;
      long cost = -(long)t->weight[(from - 1) * t->columns + c - 1];
      long rest = cost - t->row_price[from] - t->column_price[c];
      if (rest < t->slack[c]) {
        t->slack[c] = rest;
        t->before[c] = column;
      }
      if (t->slack[c] < min) {
        min = t->slack[c];
        next = c;
      }
    }
    for (size_t c = 0; c <= t->columns; c++) {
      if (t->seen[c]) {
        t->row_price[t->row_at[c]] += min;
        t->column_price[c] -= min;
      } else {
        t->slack[c] -= min;
      }
    }
    column = next;
  } while (t->row_at[column]);
  for (; column; column = t->before[column]) t->row_at[column] = t->row_at[t->before[column]];
}

static bool table_init(table_t *t, size_t rows, size_t columns)
{
  *t = (table_t){.rows = rows, .columns = columns};
  t->weight = calloc(rows * columns, sizeof *t->weight);
  t->row_price = calloc(rows + 1, sizeof *t->row_price);
  t->column_price = calloc(columns + 1, sizeof *t->column_price);
  t->slack = malloc((columns + 1) * sizeof *t->slack);
  t->row_at = calloc(columns + 1, sizeof *t->row_at);
  t->before = calloc(columns + 1, sizeof *t->before);
  t->seen = malloc((columns + 1) * sizeof *t->seen);
  return t->weight && t->row_price && t->column_price && t->slack && t->row_at && t->before &&
         t->seen;
}

static void table_clear(table_t *t)
{
  free(t->weight);
  free(t->row_price);
  free(t->column_price);
  free(t->slack);
  free(t->row_at);
  free(t->before);
  free(t->seen);
}

static bool take_greatest(assignment_edge_t *edge, size_t n, const int *left, size_t n_left,
                          const int *right, size_t n_right)
{
  table_t t;
  bool turned = n_left > n_right;
  bool good = table_init(&t, turned ? n_right : n_left, turned ? n_left : n_right);
  for (int pass = 0; pass < 2 && good; pass++) {
    for (size_t i = 0; i < n; i++) {
      size_t l = place_of(left, n_left, edge[i].left);
      size_t r = place_of(right, n_right, edge[i].right);
      size_t row = turned ? r : l, column = turned ? l : r;
      if (pass == 0)
        t.weight[row * t.columns + column] = edge[i].weight;
      else
        edge[i].taken = t.row_at[column + 1] == row + 1;
    }
    for (size_t row = 1; pass == 0 && row <= t.rows; row++) add_row(&t, row);
  }
  table_clear(&t);
  return good;
}

bool assignment_find(assignment_edge_t *edge, size_t n)
{
  int *left = malloc((2 * n + 1) * sizeof *left), *right = left ? left + n : NULL;
  if (!left) return false;
  size_t n_left = list_numbers(edge, n, false, left), n_right = list_numbers(edge, n, true, right);
  double few = (double)(n_left < n_right ? n_left : n_right);
  bool bounded = few * (double)n_left * (double)n_right <= MAX_WORK;
  bool good = (bounded ? take_greatest : take_heaviest)(edge, n, left, n_left, right, n_right);
  free(left);
  return good;
}
