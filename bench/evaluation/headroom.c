/* SPDX-License-Identifier: BSD-3-Clause */
/* headroom PATTERN TOPOLOGY [SAMPLES]: how far the mappers are from what there is to gain. Prices
 * linear, `best`, SAMPLES (default 2000) random placements, and what swaps of two PUs, taken while
 * one makes it cheaper, make of the 20 cheapest random ones. Prints milliseconds by the port model:
 *   linear best cheapest-sample cheapest-after-swaps */
#include <berth/map.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 20 };

typedef struct study {
  berth_cost_t *cost;
  int ranks, pus;
} study_t;

/* A placement: place[0 … ranks - 1] are the PUs of the ranks, the rest are free ones. */
typedef struct placement {
  double cost;
  int *place;
} placement_t;

static uint64_t state = 1;

static int below(int n) /* xorshift64*, Vigna 2016 */
{
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (int)((state * 0x2545f4914f6cdd1du >> 33) % (uint64_t)n);
}

static double price(const study_t *s, const int *place)
{
  return berth_cost_evaluate(s->cost, BERTH_MODEL_PORT, place);
}

static void swap(int *place, int i, int k)
{
  int pu = place[i];
  place[i] = place[k];
  place[k] = pu;
}

static void climb(const study_t *s, placement_t *p)
{
  for (int better = 1; better;) {
    better = 0;
    for (int i = 0; i < s->ranks; i++)
      for (int k = i + 1; k < s->pus; k++) {
        swap(p->place, i, k);
        double cost = price(s, p->place);
        if (cost < p->cost)
          better = 1, p->cost = cost;
        else
          swap(p->place, i, k);
      }
  }
}

static int by_cost(const void *a, const void *b)
{
  const placement_t *p = a, *q = b;
  return (p->cost > q->cost) - (p->cost < q->cost);
}

static void sample(const study_t *s, int samples, double *drawn, double *climbed)
{
  size_t bytes = (size_t)s->pus * sizeof(int);
  placement_t *all = calloc((size_t)samples, sizeof *all);
  int *order = malloc(bytes);
  for (int i = 0; i < s->pus; i++) order[i] = i;
  for (int n = 0; n < samples; n++) {
    for (int i = s->pus - 1; i > 0; i--) swap(order, i, below(i + 1));
    all[n].place = memcpy(malloc(bytes), order, bytes);
    all[n].cost = price(s, order);
  }
  qsort(all, (size_t)samples, sizeof *all, by_cost);
  *drawn = *climbed = all[0].cost;
  for (int n = 0; n < samples; n++) {
    if (n < KEPT) climb(s, &all[n]);
    if (all[n].cost < *climbed) *climbed = all[n].cost;
    free(all[n].place);
  }
  free(all);
  free(order);
}

static double of_mapper(const study_t *s, const berth_map_problem_t *problem, const char *name)
{
  berth_error_t err;
  const char *chosen;
  int *place = calloc((size_t)s->pus, sizeof *place);
  int rc = berth_map_run(problem, berth_mapper_find(name), place, &chosen, &err);
  double cost = rc ? -1 : price(s, place);
  if (rc) fprintf(stderr, "headroom: %s: %s\n", name, err.text);
  free(place);
  return cost;
}

int main(int argc, char **argv)
{
  berth_error_t err = {0};
  berth_pattern_t *pattern = NULL;
  berth_topo_t *topo = NULL;
  berth_map_problem_t problem = {0};
  berth_map_options_t options = berth_map_defaults();
  int samples = argc > 3 ? atoi(argv[3]) : 2000;
  if (argc < 3 || argc > 4 || samples < 1) {
    fputs("usage: headroom PATTERN TOPOLOGY [SAMPLES]\n", stderr);
    return 2;
  }
  study_t s = {0};
  if (!(pattern = berth_pattern_load(argv[1], 0, &err)) ||
      !(topo = berth_topo_load(argv[2], &err)) ||
      berth_map_problem_init(&problem, pattern, topo, &options, &err) ||
      !(s.cost = berth_cost_new(pattern, topo, &err))) {
    fprintf(stderr, "headroom: %s\n", err.text);
    return 3;
  }
  s.ranks = berth_pattern_ranks(pattern);
  s.pus = berth_topo_n_pus(topo);
  double linear = of_mapper(&s, &problem, "linear"), best = of_mapper(&s, &problem, "best");
  double drawn, climbed;
  sample(&s, samples, &drawn, &climbed);
  printf("%.3f %.3f %.3f %.3f\n", linear * 1e3, best * 1e3, drawn * 1e3, climbed * 1e3);
  berth_cost_free(s.cost);
  berth_map_problem_clear(&problem);
  berth_topo_free(topo);
  berth_pattern_free(pattern);
  return 0;
}
