/* SPDX-License-Identifier: BSD-3-Clause */
/* Which PUs a mapper may use. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "map/map_internal.h"

berth_map_options_t berth_map_defaults(void)
{
  return (berth_map_options_t){.objective = BERTH_MODEL_PORT,
                               .seed = 1,
                               .threads = 1,
                               .quality = BERTH_QUALITY_ECO,
                               .min_gain = 0.01,
                               .ranks_per_pu = 1};
}

static double clock_s(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool map_time_is_up(const berth_map_problem_t *problem, double share)
{
  double limit = problem->options.time_limit_s;
  return limit > 0 && clock_s() - problem->started_s > share * limit;
}

/* Marks the hosts of a list such as node[01-16],login1. */
static int select_hosts(const berth_topo_t *t, const char *list, bool *wanted, berth_error_t *err)
{
  size_t n;
  berth_error_t why = {0};
  const char **names = berth_hostlist(list, &n, &why);
  if (!names) return berth_fail(err, BERTH_USAGE, "--hosts: %s", why.text);
  int rc = BERTH_OK;
  for (size_t i = 0; i < n && !rc; i++) {
    int h = berth_topo_find_host(t, names[i]);
    if (h < 0)
      rc = berth_fail(err, BERTH_USAGE, "--hosts: found '%s', expected a host of topology '%s'",
                      names[i], berth_topo_name(t));
    else
      wanted[h] = true;
  }
  free(names);
  return rc;
}

/* A usable PU while the choice is made. */
typedef struct choice {
  int pu, host, core;
  bool second; /* another PU of its core comes before it */
} choice_t;

static int by_core(const void *a, const void *b)
{
  const choice_t *x = a, *y = b;
  if (x->host != y->host) return x->host < y->host ? -1 : 1;
  if (x->core != y->core) return x->core < y->core ? -1 : 1;
  return (x->pu > y->pu) - (x->pu < y->pu);
}

static int by_pu(const void *a, const void *b)
{
  return (((const choice_t *)a)->pu > ((const choice_t *)b)->pu) -
         (((const choice_t *)a)->pu < ((const choice_t *)b)->pu);
}

/* Drops the last `reserve` cores of the host whose choices are c[0 … n - 1], sorted by core, and
 * marks the second PUs of a core; returns how many choices stay. */
static int trim_host(choice_t *c, int n, int reserve)
{
  while (n > 0 && reserve > 0) {
    int core = c[n - 1].core;
    while (n > 0 && c[n - 1].core == core) n--;
    reserve--;
  }
  for (int i = 0; i < n; i++) c[i].second = i > 0 && c[i - 1].core == c[i].core;
  return n;
}

/* Applies trim_host to each host of the sorted choices. */
static int trim_hosts(choice_t *c, int n, int reserve)
{
  int kept = 0;
  for (int i = 0, end; i < n; i = end) {
    end = i;
    while (end < n && c[end].host == c[i].host) end++;
    int stay = trim_host(c + i, end - i, reserve);
    memmove(c + kept, c + i, (size_t)stay * sizeof *c);
    kept += stay;
  }
  return kept;
}

/* Leaves the second hardware threads out where the ranks fit on the first ones. */
static int first_threads(choice_t *c, int n, int ranks)
{
  int firsts = 0, kept = 0;
  for (int i = 0; i < n; i++) firsts += !c[i].second;
  if (firsts < ranks) return n;
  for (int i = 0; i < n; i++)
    if (!c[i].second) c[kept++] = c[i];
  return kept;
}

static int choose(berth_map_problem_t *problem, const bool *wanted, choice_t *c, berth_error_t *err)
{
  const berth_topo_t *t = problem->topo;
  int n = 0, ranks = berth_pattern_ranks(problem->pattern), all = berth_topo_n_pus(t);
  for (int p = 0; p < all; p++) {
    const berth_pu_t *pu = berth_topo_pu(t, p);
    if (wanted[pu->host]) c[n++] = (choice_t){p, pu->host, pu->core, false};
  }
  qsort(c, (size_t)n, sizeof *c, by_core);
  n = trim_hosts(c, n, problem->options.reserve);
  if (n < ranks)
    return berth_fail(
        err, BERTH_BAD_INPUT,
        "found %d ranks in the pattern, expected at most %d, the usable PUs of topology "
        "'%s' (%d in all, --reserve %d%s%.100s)",
        ranks, n, berth_topo_name(t), all, problem->options.reserve,
        problem->options.hosts ? ", --hosts " : "",
        problem->options.hosts ? problem->options.hosts : "");
  n = first_threads(c, n, ranks);
  qsort(c, (size_t)n, sizeof *c, by_pu);
  problem->pus = malloc(((size_t)n + 1) * sizeof *problem->pus);
  if (!problem->pus) return map_no_memory(err);
  for (int i = 0; i < n; i++) problem->pus[i] = c[i].pu;
  problem->n_pus = n;
  return BERTH_OK;
}

int berth_map_problem_init(berth_map_problem_t *problem, const berth_pattern_t *p,
                           const berth_topo_t *t, const berth_map_options_t *options,
                           berth_error_t *err)
{
  *problem = (berth_map_problem_t){.pattern = p, .topo = t, .options = *options, .started_s = clock_s()};
  size_t hosts = (size_t)berth_topo_n_hosts(t);
  bool *wanted = malloc(hosts * sizeof *wanted);
  choice_t *choices = malloc((size_t)berth_topo_n_pus(t) * sizeof *choices);
  int rc = wanted && choices ? BERTH_OK : map_no_memory(err);
  for (size_t h = 0; !rc && h < hosts; h++) wanted[h] = !options->hosts;
  if (!rc && options->hosts) rc = select_hosts(t, options->hosts, wanted, err);
  if (!rc) rc = choose(problem, wanted, choices, err);
  free(wanted);
  free(choices);
  return rc;
}

void berth_map_problem_clear(berth_map_problem_t *problem)
{
  free(problem->pus);
  *problem = (berth_map_problem_t){0};
}
