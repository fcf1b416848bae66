/* SPDX-License-Identifier: BSD-3-Clause */
/* Which line of the program loads which level of the machine. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/print/cost_view.h"
#include "cli/print/screen.h"
#include "topo/topo_levels.h"

/* Call sites in text; levels for which there is a column, on usual and on the widest terminals; and
 * the width of a column. */
enum { SHOWN_SITES = 10, COLUMNS = 4, MAX_COLUMNS = 12, WIDTH = 12, FRAMES = 2 };

/* The level whose most expensive resource costs most. */
static size_t top_level(const berth_cost_result_t *r)
{
  size_t top = 0;
  for (size_t d = 1; d < r->n_levels; d++)
    if (r->levels[d].cost_s > r->levels[top].cost_s) top = d;
  return top;
}

/* Whether a level goes before another one that lies further out: the most expensive one does, else
 * the one that more bytes cross. */
static bool goes_before(const berth_cost_result_t *r, size_t level, size_t other, size_t top)
{
  const berth_level_cost_t *a = &r->levels[level], *b = &r->levels[other];
  if (level == top || other == top) return level == top;
  return a->bytes > b->bytes || (a->bytes == b->bytes && a->messages > b->messages);
}

/* The columns: levels that something crosses. If there is no room for all of them, those that the
 * fewest bytes cross have none. Returns how many there are, from the outermost level on. */
static size_t choose_levels(const berth_cost_result_t *r, size_t top, size_t column[MAX_COLUMNS])
{
  size_t n = 0, room = COLUMNS + (size_t)screen_extra() / WIDTH;
  if (room > MAX_COLUMNS) room = MAX_COLUMNS;
  for (size_t d = 0; d < r->n_levels; d++) {
    size_t before = 0;
    for (size_t k = 0; k < r->n_levels; k++)
      before += k < d ? !goes_before(r, d, k, top) : k > d && goes_before(r, k, d, top);
    if (r->levels[d].messages > 0 && before < room) column[n++] = d;
  }
  return n;
}

/* Says which levels have no column, if something crosses one of them. */
static void print_left_out(const cost_view_t *v, const berth_cost_result_t *r, const size_t *column,
                           size_t n)
{
  char types[40], bytes[TEXT_NUMBER];
  const char *before = "    levels left out: ";
  for (size_t d = 0, k = 0; d < r->n_levels; d++) {
    const berth_level_cost_t *level = &r->levels[d];
    if (k < n && column[k] == d)
      k++;
    else if (level->messages > 0) {
      topo_level_types(v->in->topo, level->depth, types, sizeof types);
      printf("%s%s (%s)", before, types, text_bytes(level->bytes, bytes));
      before = ", ";
    }
  }
  if (*before == ',') puts("; --json has all");
}

/* The sites, those first that load the level most; then those with more messages. */
static const berth_site_traffic_t **sorted(const costed_t *m, size_t level)
{
  const berth_site_traffic_t **list = cli_checked(malloc((m->n_sites + 1) * sizeof *list));
  for (size_t i = 0; list && i < m->n_sites; i++) {
    const berth_site_traffic_t *s = &m->site[i];
    size_t k = i;
    for (; k > 0; k--) {
      double here = s->bytes[level], other = list[k - 1]->bytes[level];
      bool more =
          here > other || (here == other && s->messages[level] > list[k - 1]->messages[level]);
      if (!more) break;
      list[k] = list[k - 1];
    }
    list[k] = s;
  }
  return list;
}

static void print_site(const cost_view_t *v, const berth_site_traffic_t *s, const size_t *column,
                       size_t n)
{
  char bytes[TEXT_NUMBER];
  const berth_site_t *site = s->site < 0 ? NULL : berth_pattern_site(v->in->pattern, s->site);
  fputs("   ", stdout);
  for (size_t i = 0; i < n; i++) printf(" %11s", text_bytes(s->bytes[column[i]], bytes));
  printf("  %s", site ? site->op : "(no call site is known)");
  for (size_t i = 0; site && i < site->n_frames && i < FRAMES; i++) {
    fputs(i ? " < " : "  ", stdout);
    cli_print_frame(stdout, site->frames[i]);
  }
  putchar('\n');
}

void cost_print_sites(const cost_view_t *v, const costed_t *m, const berth_cost_result_t *r)
{
  char types[40];
  size_t n_known, column[MAX_COLUMNS], top = top_level(r), n = choose_levels(r, top, column);
  berth_pattern_sites(v->in->pattern, &n_known);
  if (n_known == 0 || m->n_sites == 0 || n == 0) return;
  const berth_site_traffic_t **list = sorted(m, top);
  if (!list) return;
  puts("  call sites, by the bytes that cross each level:");
  fputs("   ", stdout);
  for (size_t i = 0; i < n; i++)
    printf(" %11.11s",
           topo_level_types(v->in->topo, r->levels[column[i]].depth, types, sizeof types));
  putchar('\n');
  for (size_t i = 0; i < m->n_sites && i < SHOWN_SITES; i++) print_site(v, list[i], column, n);
  if (m->n_sites > SHOWN_SITES)
    printf("    ... and %zu more call site%s (--json has all)\n", m->n_sites - SHOWN_SITES,
           text_plural((double)(m->n_sites - SHOWN_SITES)));
  print_left_out(v, r, column, n);
  free(list);
}

void cost_put_sites(json_out_t *j, const cost_view_t *v, const costed_t *m,
                    const berth_cost_result_t *r)
{
  json_open(j, "sites", '[', JSON_LINES);
  for (size_t i = 0; i < m->n_sites; i++) {
    const berth_site_traffic_t *s = &m->site[i];
    const berth_site_t *site = s->site < 0 ? NULL : berth_pattern_site(v->in->pattern, s->site);
    json_open(j, NULL, '{', JSON_LINES);
    json_put_number(j, "site", site ? site->id : NAN);
    json_put_string(j, "op", site ? site->op : NULL);
    json_put_strings(j, "frames", site ? site->frames : NULL, site ? site->n_frames : 0);
    json_open(j, "levels", '[', JSON_LINES);
    for (size_t d = 0; d < r->n_levels; d++) {
      json_open(j, NULL, '{', JSON_ONE_LINE);
      json_put_u64(j, "depth", (uint64_t)r->levels[d].depth);
      json_put_number(j, "messages", s->messages[d]);
      json_put_number(j, "bytes", s->bytes[d]);
      json_close(j);
    }
    json_close(j);
    json_close(j);
  }
  json_close(j);
}
