/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/print/machines.h"
#include "cli/print/screen.h"
#include "cli/print/verdict.h"
#include "topo/topo_levels.h"

enum { NAME = 20, COLUMNS = 48, BAR = 40, BESIDE_BAR = 24 }; /* columns: those behind names */

/* The width of the names, which are shown as a whole: on a line of their own if a terminal has no
 * room for them beside the columns. */
static int name_width(const machines_view_t *v)
{
  int width = NAME, room = screen_columns() - COLUMNS;
  for (size_t i = 0; i < v->n; i++)
    if ((int)strlen(v->machine[i].name) > width) width = (int)strlen(v->machine[i].name);
  return room > NAME && width > room ? room : width;
}

static void print_name(const char *name, int width)
{
  bool fits = (int)strlen(name) <= width;
  if (!fits) printf("%s\n", name);
  printf("%-*s", width, fits ? name : "");
}

/* Whether the machines are one with rising values. */
static bool is_rising(const machines_view_t *v)
{
  for (size_t i = 1; i < v->n; i++)
    if (strcmp(v->machine[i].path, v->machine[0].path) != 0 ||
        v->machine[i].value <= v->machine[i - 1].value)
      return false;
  return v->sweep != NULL;
}

static const char *level_of(const machine_t *m)
{
  return m->top < m->n_levels ? m->levels[m->top].types : "nothing";
}

/* "From host.rate=40Gbit/s on, host limits the best placement." for each stretch of the sweep. */
static void print_stretches(const machines_view_t *v)
{
  for (size_t i = 0, end; i < v->n; i = end) {
    for (end = i + 1;
         end < v->n && strcmp(level_of(&v->machine[i]), level_of(&v->machine[end])) == 0;)
      end++;
    const machine_t *first = &v->machine[i], *last = &v->machine[end - 1];
    if (i == 0 && end == v->n)
      fputs("At each value", stdout);
    else if (end == v->n)
      printf("From %s on", first->change);
    else if (i == 0)
      printf("Up to %s", last->change);
    else if (end == i + 1)
      printf("At %s", first->change);
    else
      printf("From %s to %s", first->change, last->change);
    printf(", %s links limit the best placement.\n", level_of(first));
  }
}

static size_t cheapest(const machines_view_t *v)
{
  size_t best = 0;
  for (size_t i = 1; i < v->n; i++)
    if (v->machine[i].best_s < v->machine[best].best_s) best = i;
  return best;
}

/* How many times as long a machine takes as the cheapest one. */
static double ratio_of(const machine_t *m, const machine_t *best)
{
  return best->best_s > 0 ? m->best_s / best->best_s : 1;
}

/* What two decimals don't tell from the cheapest one. */
static bool is_equal(const machine_t *m, const machine_t *best)
{
  return ratio_of(m, best) < 1.005;
}

/* "a", "a and b", "a, b, c and 2 more": the cheapest machines. Returns how many there are. */
static size_t print_equal(const machines_view_t *v, const machine_t *best)
{
  enum { NAMED = 4 };
  size_t n = 0, said = 0;
  for (size_t i = 0; i < v->n; i++) n += is_equal(&v->machine[i], best);
  size_t named = n > NAMED ? NAMED - 1 : n;
  for (size_t i = 0; i < v->n && said < named; i++) {
    if (!is_equal(&v->machine[i], best)) continue;
    printf("%s%s", said == 0 ? "" : said + 1 == n ? " and " : ", ", v->machine[i].name);
    said++;
  }
  if (n > named) printf(" and %zu more", n - named);
  return n;
}

/* "Least communication time: b, 6.10 ms. The others take 1.2 to 2.0 times as long." */
static void print_winner(const machines_view_t *v)
{
  char cost[TEXT_NUMBER], from[16], to[16];
  const machine_t *best = &v->machine[cheapest(v)];
  double least = INFINITY, most = 0;
  for (size_t i = 0; i < v->n; i++) {
    double ratio = ratio_of(&v->machine[i], best);
    most = fmax(most, ratio);
    if (!is_equal(&v->machine[i], best)) least = fmin(least, ratio);
  }
  topo_text_cost(v->in->topo, best->best_s, cost);
  if (most < 1.005) {
    printf("All machines take the same communication time: %s.\n", cost);
    return;
  }
  fputs("Least communication time: ", stdout);
  size_t equal = print_equal(v, best), others = v->n - equal;
  snprintf(from, sizeof from, "%.2f", least);
  snprintf(to, sizeof to, "%.2f", most);
  bool one = strcmp(from, to) == 0;
  printf(", %s%s. The other%s %s%s%s times as long.\n", cost, equal > 1 ? " each" : "",
         others == 1 ? " one takes" : "s take", one ? "" : from, one ? "" : " to ", to);
}

/* "uplink of rack2, own end; then host, 54%". */
static void print_bottleneck(const machine_t *m)
{
  if (m->top == m->n_levels) {
    fputs("none", stdout);
    return;
  }
  printf("%s", m->bottleneck);
  if (m->next < m->n_levels)
    printf("; then %s, %.0f%%", m->levels[m->next].types,
           100 * m->levels[m->next].cost_s / m->levels[m->top].cost_s);
}

static void print_table(const machines_view_t *v)
{
  char cost[TEXT_NUMBER];
  int width = name_width(v);
  printf("%-*.*s %8s %9s %13s %14s\n", width, v->sweep ? v->sweep_length : width,
         v->sweep ? v->sweep : "machine", "hosts", "PUs", "default order", "best placement");
  for (size_t i = 0; i < v->n; i++) {
    const machine_t *m = &v->machine[i];
    print_name(m->name, width);
    printf(" %8d %9d %13s", m->hosts, m->pus,
           m->default_s < 0 ? "-" : topo_text_cost(v->in->topo, m->default_s, cost));
    printf(" %14s\n", topo_text_cost(v->in->topo, m->best_s, cost));
  }
  puts("\nbottleneck of the best placement; then the next level, as a share of it");
  for (size_t i = 0; i < v->n; i++) {
    print_name(v->machine[i].name, width);
    putchar(' ');
    print_bottleneck(&v->machine[i]);
    putchar('\n');
  }
}

/* Bars: '#' for the best placement, '.' on to the default order. */
static void print_bars(const machines_view_t *v)
{
  double most = 0;
  for (size_t i = 0; i < v->n; i++)
    most = fmax(most, fmax(v->machine[i].best_s, v->machine[i].default_s));
  if (most <= 0) return;
  const int width = name_width(v), bar = screen_bar(width + BESIDE_BAR, BAR);
  puts("\ncommunication time: # best placement, . default order");
  for (size_t i = 0; i < v->n; i++) {
    const machine_t *m = &v->machine[i];
    int best = (int)lround(bar * m->best_s / most), all = (int)lround(bar * m->default_s / most);
    print_name(m->name, width);
    fputs(" |", stdout);
    for (int k = 0; k < (best > all ? best : all); k++) putchar(k < best ? '#' : '.');
    printf(" %s\n", level_of(m));
  }
}

void machines_print(const machines_view_t *v)
{
  if (is_rising(v))
    print_stretches(v);
  else
    print_winner(v);
  printf("%d ranks, the best placement on each machine (model %s)\n\n",
         berth_pattern_ranks(v->in->pattern), berth_model_name(v->in->map.objective));
  print_table(v);
  print_bars(v);
  verdict_print_notes(stdout, v->in, NULL);
}
