/* SPDX-License-Identifier: BSD-3-Clause */
/* What was measured of the hosts that placements use, for the page: curves, noise, and messages in
 * blocks. Ratios, best kernels and crossovers are worked out here. */
#include <berth/strided.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "report/data_node.h"

/* Of a record the page has so many curves and tables with so many points. ROOM counts points, and
 * EACH for every curve. GROUPS: curves that are drawn together, such as the kernels between two
 * NUMA nodes. LARGE: with more curves nobody asks for the kernel for large copies, which takes the
 * cube of their number. */
enum { ROOM = 60000, EACH = 15, MAX_POINTS = 1000, GROUPS = 256, MAX_NOISE = 1024, LARGE = 512 };

typedef struct writer {
  json_out_t *j;
  const berth_node_t *n;
  int room;
  size_t left_out; /* curves, tables and noise for which there was no room */
} writer_t;

/* Whether so many points still fit. */
static bool take(writer_t *w, size_t points)
{
  if (points > MAX_POINTS || (int)points + EACH > w->room) {
    w->left_out++;
    return false;
  }
  w->room -= (int)points + EACH;
  return true;
}

static void put_values(json_out_t *j, const char *key, size_t n, const double *values)
{
  json_open(j, key, '[', JSON_COMPACT);
  for (size_t i = 0; i < n; i++) json_put_number(j, NULL, values[i]);
  json_close(j);
}

/* Spreads that nobody knows are null. */
static void put_measured(json_out_t *j, size_t n, const double *spread, const int *samples)
{
  json_open(j, "spread", '[', JSON_COMPACT);
  for (size_t i = 0; i < n; i++) json_put_number(j, NULL, spread[i] < 0 ? NAN : spread[i]);
  json_close(j);
  json_put_ints(j, "samples", JSON_COMPACT, samples, n);
}

static void put_numa(json_out_t *j, const char *key, int numa)
{
  json_put_number(j, key, numa < 0 ? NAN : numa);
}

static void put_curve(json_out_t *j, const char *key, const berth_node_curve_t *c)
{
  json_open(j, key, '{', JSON_ONE_LINE);
  json_put_string(j, "name", c->name);
  json_put_string(j, "state", c->state);
  put_values(j, "x", c->n, c->x);
  put_values(j, "y", c->n, c->y);
  put_measured(j, c->n, c->spread, c->samples);
  json_close(j);
}

/* --- curves that are drawn together --- */

typedef struct group {
  berth_node_what_t what;
  const char *text;
  int core_numa, memory_numa;
} group_t;

/* What the curves of a chart have in common beside NUMA nodes: the use of memory, of others the
 * state. */
static const char *common_of(const berth_node_curve_t *c)
{
  return c->what == BERTH_NODE_MEMORY ? c->name : c->state;
}

static bool is_in(const group_t *g, const berth_node_curve_t *c)
{
  return g->what == c->what && g->core_numa == c->core_numa && g->memory_numa == c->memory_numa &&
         strcmp(g->text, common_of(c)) == 0;
}

static size_t find_groups(writer_t *w, berth_node_what_t what, group_t g[GROUPS])
{
  size_t n = 0;
  for (size_t i = 0; i < berth_node_n_curves(w->n); i++) {
    const berth_node_curve_t *c = berth_node_curve_at(w->n, i);
    size_t at = 0;
    if (c->what != what) continue;
    while (at < n && !is_in(&g[at], c)) at++;
    if (at == GROUPS)
      w->left_out++;
    else if (at == n)
      g[n++] = (group_t){what, common_of(c), c->core_numa, c->memory_numa};
  }
  return n;
}

/* Opens a group with its curves. */
static void open_group(writer_t *w, const group_t *g)
{
  json_open(w->j, NULL, '{', JSON_LINES);
  json_put_string(w->j, g->what == BERTH_NODE_MEMORY ? "name" : "state", g->text);
  put_numa(w->j, "core_numa", g->core_numa);
  put_numa(w->j, "memory_numa", g->memory_numa);
  json_open(w->j, "curves", '[', JSON_LINES);
  for (size_t i = 0; i < berth_node_n_curves(w->n); i++) {
    const berth_node_curve_t *c = berth_node_curve_at(w->n, i);
    if (is_in(g, c) && take(w, c->n)) put_curve(w->j, NULL, c);
  }
  json_close(w->j);
}

static void put_groups(writer_t *w, const char *key, berth_node_what_t what,
                       void (*more)(writer_t *w, const group_t *g))
{
  group_t g[GROUPS];
  size_t n = find_groups(w, what, g);
  json_open(w->j, key, '[', JSON_LINES);
  for (size_t i = 0; i < n; i++) {
    open_group(w, &g[i]);
    more(w, &g[i]);
    json_close(w->j);
  }
  json_close(w->j);
}

/* --- copies --- */

/* The curve of a group with most points, whose sizes the others have, too. */
static const berth_node_curve_t *longest_of(const writer_t *w, const group_t *g)
{
  const berth_node_curve_t *longest = NULL;
  for (size_t i = 0; i < berth_node_n_curves(w->n); i++) {
    const berth_node_curve_t *c = berth_node_curve_at(w->n, i);
    if (is_in(g, c) && c->n <= MAX_POINTS && (!longest || c->n > longest->n)) longest = c;
  }
  return longest;
}

/* The best kernel at each size, and how many times as fast as memcpy it is. */
static void put_best(writer_t *w, const group_t *g)
{
  const berth_node_curve_t *sizes = longest_of(w, g);
  if (sizes && !take(w, sizes->n)) sizes = NULL;
  const berth_node_curve_t *plain =
      berth_node_find(w->n, g->what, "memcpy", g->text, g->core_numa, g->memory_numa);
  json_open(w->j, "best", '[', JSON_LINES);
  for (size_t i = 0; sizes && i < sizes->n; i++) {
    const berth_node_curve_t *best = NULL;
    double rate =
        berth_node_best_copy(w->n, g->text, g->core_numa, g->memory_numa, sizes->x[i], &best);
    json_open(w->j, NULL, '{', JSON_ONE_LINE);
    json_put_number(w->j, "bytes", sizes->x[i]);
    json_put_string(w->j, "name", best ? best->name : NULL);
    json_put_number(w->j, "rate", rate);
    json_put_number(w->j, "times_memcpy", plain ? rate / berth_node_at(plain, sizes->x[i]) : NAN);
    json_close(w->j);
  }
  json_close(w->j);
}

/* The kernel that libraries take for large copies. */
static void put_large(const writer_t *w)
{
  double from = 0;
  bool few = berth_node_n_curves(w->n) <= LARGE;
  const char *name = few ? berth_node_large_copy(w->n, &from) : NULL;
  json_open(w->j, "large_copy", '{', JSON_ONE_LINE);
  json_put_string(w->j, "name", name);
  json_put_number(w->j, "from", name ? from : NAN);
  json_put_bool(w->j, "known", few);
  json_close(w->j);
}

/* --- memory --- */

/* What one core's rate would be times the number of cores, and what all cores have of it. */
static void put_scaling(writer_t *w, const group_t *g)
{
  json_open(w->j, "scaling", '[', JSON_LINES);
  for (size_t i = 0; i < berth_node_n_curves(w->n); i++) {
    const berth_node_curve_t *c = berth_node_curve_at(w->n, i);
    if (!is_in(g, c) || c->n > MAX_POINTS || c->x[0] < 1) continue;
    double one = c->y[0] / c->x[0], cores = c->x[c->n - 1], all = c->y[c->n - 1];
    json_open(w->j, NULL, '{', JSON_ONE_LINE);
    json_put_string(w->j, "state", c->state);
    json_put_number(w->j, "cores", cores);
    json_put_number(w->j, "rate", all);
    json_put_number(w->j, "times", all / one);
    json_open(w->j, "linear", '[', JSON_COMPACT);
    for (size_t k = 0; k < c->n; k++) json_put_number(w->j, NULL, one * c->x[k]);
    json_close(w->j);
    json_close(w->j);
  }
  json_close(w->j);
}

/* --- computing beside a core that sends --- */

/* What computing cores have of the rate that as many have alone. */
static void put_kept(json_out_t *j, const berth_node_curve_t *c, const berth_node_curve_t *alone)
{
  json_open(j, "kept", '[', JSON_COMPACT);
  for (size_t i = 0; i < c->n; i++)
    json_put_number(j, NULL, alone ? c->y[i] / berth_node_at(alone, c->x[i]) : NAN);
  json_close(j);
}

static void put_beside(writer_t *w)
{
  json_open(w->j, "beside", '[', JSON_LINES);
  for (size_t i = 0; i < berth_node_n_curves(w->n); i++) {
    const berth_node_curve_t *c = berth_node_curve_at(w->n, i);
    if (c->what != BERTH_NODE_BESIDE || !take(w, 2 * c->n)) continue;
    const berth_node_curve_t *sends =
        berth_node_find(w->n, BERTH_NODE_SENDING, c->name, c->state, c->core_numa, c->memory_numa);
    json_open(w->j, NULL, '{', JSON_LINES);
    json_put_string(w->j, "name", c->name);
    put_curve(w->j, "computing", c);
    put_kept(
        w->j, c,
        berth_node_find(w->n, BERTH_NODE_MEMORY, c->name, c->state, c->core_numa, c->memory_numa));
    if (sends && sends->n <= MAX_POINTS)
      put_curve(w->j, "sending", sends);
    else
      json_put_string(w->j, "sending", NULL);
    json_close(w->j);
  }
  json_close(w->j);
}

/* --- granules of work --- */

/* The dynamic schedule that takes the smallest share of the static one's time. */
static void put_best_schedule(writer_t *w, const group_t *g)
{
  static const char *const names[] = {"dynamic", "locked"};
  const berth_node_curve_t *fixed =
      berth_node_find(w->n, g->what, "static", g->text, g->core_numa, g->memory_numa);
  double share = INFINITY, granules = NAN;
  const char *name = NULL;
  for (int k = 0; fixed && k < 2; k++) {
    const berth_node_curve_t *c =
        berth_node_find(w->n, g->what, names[k], g->text, g->core_numa, g->memory_numa);
    for (size_t i = 0; c && i < c->n; i++) {
      double here = c->y[i] / berth_node_at(fixed, c->x[i]);
      if (here >= share) continue;
      share = here;
      granules = c->x[i];
      name = names[k];
    }
  }
  json_open(w->j, "best", '{', JSON_ONE_LINE);
  json_put_string(w->j, "name", name);
  json_put_number(w->j, "granules", granules);
  json_put_number(w->j, "share", share); /* null if there is none */
  json_close(w->j);
}

/* --- timers --- */

static void put_timers(const writer_t *w)
{
  const berth_node_curve_t *clock = berth_node_find(w->n, BERTH_NODE_TIMER, "clock", "", -1, -1);
  const berth_node_curve_t *sleep = berth_node_find(w->n, BERTH_NODE_TIMER, "sleep", "", -1, -1);
  json_open(w->j, "timers", '{', JSON_ONE_LINE);
  json_put_number(w->j, "clock_s", clock ? clock->y[0] : NAN);
  json_put_number(w->j, "sleep_asked_s", sleep ? sleep->x[0] : NAN);
  json_put_number(w->j, "sleep_s", sleep ? sleep->y[0] : NAN);
  json_close(w->j);
}

/* --- noise --- */

/* Interruptions of each length, as many as there are in a second. */
static void put_interruptions(json_out_t *j, const berth_node_noise_t *z)
{
  put_values(j, "at_least_s", z->n, z->at_least_s);
  put_values(j, "count", z->n, z->count);
  json_open(j, "per_second", '[', JSON_COMPACT);
  for (size_t i = 0; i < z->n; i++) json_put_number(j, NULL, z->count[i] / z->seconds);
  json_close(j);
}

static void put_noise_of(json_out_t *j, const berth_node_noise_t *z)
{
  json_open(j, NULL, '{', JSON_ONE_LINE);
  json_put_u64(j, "pu", (uint64_t)z->pu);
  put_numa(j, "idle", z->idle);
  json_put_number(j, "seconds", z->seconds);
  json_put_number(j, "lost", z->lost);
  json_put_number(j, "longest_s", z->longest_s);
  json_put_number(j, "period_s", z->period_s > 0 ? z->period_s : NAN);
  put_interruptions(j, z);
  json_close(j);
}

/* The mean and the longest of all cores, with a core left idle or with none. */
static void put_noise_sum(const writer_t *w, const char *key, bool idle)
{
  double lost = 0, longest = 0;
  size_t cores = 0;
  for (size_t i = 0; i < berth_node_n_noise(w->n); i++) {
    const berth_node_noise_t *z = berth_node_noise_at(w->n, i);
    if ((z->idle >= 0) != idle) continue;
    cores++;
    lost += z->lost;
    longest = fmax(longest, z->longest_s);
  }
  json_open(w->j, key, '{', JSON_ONE_LINE);
  json_put_u64(w->j, "cores", cores);
  json_put_number(w->j, "lost", cores ? lost / (double)cores : NAN);
  json_put_number(w->j, "longest_s", cores ? longest : NAN);
  json_close(w->j);
}

static void put_noise(writer_t *w)
{
  size_t n = berth_node_n_noise(w->n);
  put_noise_sum(w, "noise_all", false);
  put_noise_sum(w, "noise_spare", true);
  json_open(w->j, "noise", '[', JSON_LINES);
  for (size_t i = 0; i < n && i < MAX_NOISE; i++) put_noise_of(w->j, berth_node_noise_at(w->n, i));
  json_close(w->j);
  if (n > MAX_NOISE) w->left_out += n - MAX_NOISE;
}

/* --- messages in blocks --- */

/* A contiguous message's time; NAN if it wasn't measured. */
static double contiguous_s(const berth_strided_t *contiguous, double bytes)
{
  for (size_t i = 0; i < contiguous->n; i++)
    if (contiguous->bytes[i] == bytes) return contiguous->seconds[i];
  return NAN;
}

static void put_table(json_out_t *j, const berth_strided_t *t, const berth_strided_t *contiguous)
{
  json_open(j, NULL, '{', JSON_ONE_LINE);
  json_put_string(j, "by", berth_packer_name(t->by));
  put_values(j, "block", t->n, t->block);
  put_values(j, "bytes", t->n, t->bytes);
  put_values(j, "seconds", t->n, t->seconds);
  put_measured(j, t->n, t->spread, t->samples);
  json_open(j, "ratio", '[', JSON_COMPACT);
  for (size_t i = 0; i < t->n; i++)
    json_put_number(j, NULL, t->seconds[i] / contiguous_s(contiguous, t->bytes[i]));
  json_close(j);
  json_close(j);
}

/* From which block on the datatype is no slower: null if it never is. */
static void put_crossovers(const writer_t *w, const berth_strided_t *contiguous, berth_side_t side)
{
  json_open(w->j, "sizes", '[', JSON_LINES);
  for (size_t i = 0; i < contiguous->n; i++) {
    double from = berth_node_crossover(w->n, contiguous->mpi, side, contiguous->bytes[i]);
    json_open(w->j, NULL, '{', JSON_ONE_LINE);
    json_put_number(w->j, "bytes", contiguous->bytes[i]);
    json_put_number(w->j, "contiguous_s", contiguous->seconds[i]);
    json_put_bool(w->j, "known", !isnan(from));
    json_put_number(w->j, "crossover", from);
    json_close(w->j);
  }
  json_close(w->j);
}

static void put_side(writer_t *w, const berth_strided_t *contiguous, berth_side_t side)
{
  json_open(w->j, NULL, '{', JSON_LINES);
  json_put_string(w->j, "side", berth_side_name(side));
  put_crossovers(w, contiguous, side);
  json_open(w->j, "tables", '[', JSON_LINES);
  for (berth_packer_t by = BERTH_PACKER_NOBODY + 1; by < BERTH_PACKERS; by++) {
    const berth_strided_t *t = berth_node_find_strided(w->n, contiguous->mpi, by, side, 1, 0);
    if (t && take(w, 2 * t->n)) put_table(w->j, t, contiguous);
  }
  json_close(w->j);
  json_close(w->j);
}

/* Whether all tables of an MPI have few points: a crossover takes the square of their number. */
static bool are_small(const writer_t *w, const char *mpi)
{
  for (size_t i = 0; i < berth_node_n_strided(w->n); i++) {
    const berth_strided_t *t = berth_node_strided_at(w->n, i);
    if (t->n > MAX_POINTS && strcmp(t->mpi, mpi) == 0) return false;
  }
  return true;
}

/* Exchanges under each MPI, which has them if it has contiguous ones. */
static void put_packing(writer_t *w)
{
  const berth_strided_t *t;
  json_open(w->j, "packing", '[', JSON_LINES);
  for (size_t k = 0; (t = berth_node_exchanges(w->n, k)); k++) {
    if (!take(w, are_small(w, t->mpi) ? t->n : SIZE_MAX)) continue;
    json_open(w->j, NULL, '{', JSON_LINES);
    json_put_string(w->j, "mpi", t->mpi);
    json_open(w->j, "sides", '[', JSON_LINES);
    for (berth_side_t side = 0; side < BERTH_SIDES; side++) put_side(w, t, side);
    json_close(w->j);
    json_close(w->j);
  }
  json_close(w->j);
}

/* --- all of a record --- */

int report_node_type(const berth_report_t *r)
{
  int first = -1;
  for (size_t i = 0; i < r->n; i++)
    for (int rank = 0; rank < berth_pattern_ranks(r->pattern); rank++) {
      const berth_pu_t *pu = berth_topo_pu(r->topo, r->placement[i].is.pu_of_rank[rank]);
      int type = berth_topo_element(r->topo, berth_topo_host(r->topo, pu->host)->element)->type;
      if (berth_topo_type(r->topo, type)->node && (first < 0 || type < first)) first = type;
    }
  return first;
}

/* How many hosts of each type have ranks under some placement. */
static int *count_hosts(const berth_report_t *r, berth_error_t *err)
{
  int *count = calloc((size_t)berth_topo_n_types(r->topo) + 1, sizeof *count);
  char *used = calloc((size_t)berth_topo_n_hosts(r->topo) + 1, 1);
  for (size_t i = 0; used && i < r->n; i++)
    for (int rank = 0; rank < berth_pattern_ranks(r->pattern); rank++)
      used[berth_topo_pu(r->topo, r->placement[i].is.pu_of_rank[rank])->host] = 1;
  for (int h = 0; count && used && h < berth_topo_n_hosts(r->topo); h++)
    count[berth_topo_element(r->topo, berth_topo_host(r->topo, h)->element)->type] += used[h];
  if (!count || !used) {
    free(count);
    count = NULL;
    no_memory(err);
  }
  free(used);
  return count;
}

static void put_record(writer_t *w, const berth_topo_t *t, int type, int hosts)
{
  json_open(w->j, NULL, '{', JSON_LINES);
  json_put_string(w->j, "type", berth_topo_type(t, type)->name);
  json_put_u64(w->j, "hosts", (uint64_t)hosts);
  json_put_string(w->j, "processor", berth_node_processor(w->n));
  json_put_string(w->j, "date", berth_node_date(w->n));
  json_put_bool(w->j, "complete", berth_node_is_complete(w->n));
  put_timers(w);
  report_put_node_host(w->j, t, type);
  put_groups(w, "copies", BERTH_NODE_COPY, put_best);
  put_large(w);
  put_groups(w, "memory", BERTH_NODE_MEMORY, put_scaling);
  put_beside(w);
  put_groups(w, "granules", BERTH_NODE_GRANULES, put_best_schedule);
  put_noise(w);
  put_packing(w);
  json_put_u64(w->j, "left_out", w->left_out);
  json_close(w->j);
}

int report_put_nodes(json_out_t *j, const berth_report_t *r, berth_error_t *err)
{
  int *hosts = count_hosts(r, err);
  if (!hosts) return BERTH_MISSING;
  json_open(j, "nodes", '[', JSON_LINES);
  for (int i = 0; i < berth_topo_n_types(r->topo); i++) {
    writer_t w = {.j = j, .n = berth_topo_type(r->topo, i)->node, .room = ROOM};
    if (w.n && hosts[i] > 0) put_record(&w, r->topo, i, hosts[i]);
  }
  json_close(j);
  free(hosts);
  return BERTH_OK;
}
