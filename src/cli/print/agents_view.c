/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/agents_view.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/json_out.h"
#include "base/text.h"
#include "base/times_json.h"
#include "cli/print/screen.h"

enum { BAR = 40, BESIDE_BAR = 26 };

static const char *const names[BERTH_REDUCE_N_PLACES] = {"host", "agent", "intermediate"};

static double time_of(const agents_view_t *v, const agents_result_t *r)
{
  return v->reductions ? r->spread.mean : r->time_s;
}

/* Who is fastest with the most hosts. */
static void print_conclusion(const agents_view_t *v)
{
  char fast[TEXT_NUMBER], host[TEXT_NUMBER];
  const agents_row_t *last = &v->row[v->n - 1];
  int best = BERTH_REDUCE_HOST;
  for (int p = 0; p < BERTH_REDUCE_N_PLACES; p++)
    if (time_of(v, &last->of[p]) < time_of(v, &last->of[best])) best = p;
  double own = time_of(v, &last->of[BERTH_REDUCE_HOST]), time = time_of(v, &last->of[best]);
  text_seconds(own, host);
  if (best == BERTH_REDUCE_HOST)
    printf("Hosts reduce faster than agents on %d host%s: %s.\n", last->hosts,
           text_plural(last->hosts), host);
  else
    printf("Agents%s reduce in %.0f%% less time than hosts on %d host%s: %s, not %s.\n",
           best == BERTH_REDUCE_INTERMEDIATE ? " at intermediate hosts" : "",
           100 * (1 - time / own), last->hosts, text_plural(last->hosts), text_seconds(time, fast),
           host);
}

static void print_times(const agents_view_t *v)
{
  char time[TEXT_NUMBER];
  printf("\n%10s", v->reductions ? "no noise" : "");
  for (int p = 0; p < BERTH_REDUCE_N_PLACES; p++) printf(" %14s %3s %2s", names[p], "f", "s");
  printf("\n%10s\n", "hosts");
  for (size_t i = 0; i < v->n; i++) {
    printf("%10d", v->row[i].hosts);
    for (int p = 0; p < BERTH_REDUCE_N_PLACES; p++) {
      const agents_result_t *r = &v->row[i].of[p];
      char degree[16] = "all";
      if (r->tree.degree < v->row[i].hosts >> r->tree.splits)
        snprintf(degree, sizeof degree, "%d", r->tree.degree);
      printf(" %14s %3s %2d", text_seconds(r->time_s, time), degree, r->tree.splits);
    }
    putchar('\n');
  }
}

static void print_spread(const agents_view_t *v)
{
  char text[5][TEXT_NUMBER];
  printf("\n%10s  %-12s %12s %12s %12s %12s\n", "with noise", "", "mean", "deviation", "97% from",
         "to");
  for (size_t i = 0; i < v->n; i++)
    for (int p = 0; p < BERTH_REDUCE_N_PLACES; p++) {
      const berth_spread_t *s = &v->row[i].of[p].spread;
      printf("%10d  %-12s %12s %12s %12s %12s\n", v->row[i].hosts, names[p],
             text_seconds(s->mean, text[0]), text_seconds(s->deviation, text[1]),
             text_seconds(s->band[0], text[2]), text_seconds(s->band[1], text[3]));
    }
}

static void print_histogram(const agents_row_t *row, int place)
{
  char from[TEXT_NUMBER];
  const berth_histogram_t *h = &row->of[place].times;
  const size_t longest = (size_t)screen_bar(BESIDE_BAR, BAR);
  size_t max = 1;
  for (int b = 0; b < BERTH_TIME_BINS; b++) max = h->count[b] > max ? h->count[b] : max;
  printf("\n%s on %d hosts\n%13s reductions\n", names[place], row->hosts, "time from");
  for (int b = 0; b < (h->factor > 1 ? BERTH_TIME_BINS : 1); b++) {
    size_t length = (h->count[b] * longest + max - 1) / max;
    printf("%13s %10u%s", text_seconds(berth_histogram_from(h, b), from), h->count[b],
           length ? " " : "");
    for (; length > 0; length--) putchar('#');
    putchar('\n');
  }
  if (h->above) printf("%13s %10u, up to %s\n", "above", h->above, text_seconds(h->most_s, from));
}

void agents_print(const agents_view_t *v)
{
  const char *name = berth_agents_name(v->what->agents);
  print_conclusion(v);
  printf("%s of %d %s%s (%s)\n", v->what->operation, v->what->elements, v->what->type,
         text_plural(v->what->elements), *name ? name : v->file);
  print_times(v);
  if (!v->reductions) return;
  print_spread(v);
  for (int p = 0; p < BERTH_REDUCE_N_PLACES; p++) print_histogram(&v->row[v->n - 1], p);
}

/* --- JSON --- */

static void put_noise(json_out_t *j, const char *key, const berth_noise_t *noise)
{
  if (noise->length_s == 0) return;
  json_open(j, key, '{', JSON_ONE_LINE);
  json_put_number(j, "length_s", noise->length_s);
  json_put_number(j, "every_s", noise->every_s);
  json_close(j);
}

static void put_spread(json_out_t *j, const agents_result_t *r)
{
  const berth_spread_t *s = &r->spread;
  json_put_number(j, "mean_s", s->mean);
  json_put_number(j, "deviation_s", s->deviation);
  json_put_number(j, "least_s", s->least);
  json_put_number(j, "median_s", s->median);
  json_put_number(j, "most_s", s->most);
  json_open(j, "band_s", '[', JSON_ONE_LINE);
  for (int i = 0; i < 2; i++) json_put_number(j, NULL, s->band[i]);
  json_close(j);
  times_put(j, "histogram", &r->times);
}

static void put_row(json_out_t *j, const agents_view_t *v, const agents_row_t *row)
{
  json_open(j, NULL, '{', JSON_LINES);
  json_put_u64(j, "hosts", (uint64_t)row->hosts);
  for (int p = 0; p < BERTH_REDUCE_N_PLACES; p++) {
    json_open(j, names[p], '{', JSON_ONE_LINE);
    json_put_u64(j, "degree", (uint64_t)row->of[p].tree.degree);
    json_put_u64(j, "splits", (uint64_t)row->of[p].tree.splits);
    json_put_number(j, "time_s", row->of[p].time_s);
    if (v->reductions) put_spread(j, &row->of[p]);
    json_close(j);
  }
  json_close(j);
}

int agents_json(const agents_view_t *v, const char *path, berth_error_t *err)
{
  json_out_t j;
  int rc = json_begin(&j, path, "berth-reductions", err);
  if (rc) return rc;
  json_put_string(&j, "machine", berth_agents_name(v->what->agents));
  json_put_string(&j, "operation", v->what->operation);
  json_put_string(&j, "type", v->what->type);
  json_put_u64(&j, "elements", (uint64_t)v->what->elements);
  if (v->reductions) {
    put_noise(&j, "noise", &v->noise->host);
    put_noise(&j, "agent_noise", &v->noise->agent);
    json_put_u64(&j, "reductions", v->reductions);
    json_put_u64(&j, "seed", v->noise->seed);
  }
  json_open(&j, "rows", '[', JSON_LINES);
  for (size_t i = 0; i < v->n; i++) put_row(&j, v, &v->row[i]);
  json_close(&j);
  json_close(&j);
  return out_commit(j.out, err);
}
