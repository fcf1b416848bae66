/* SPDX-License-Identifier: BSD-3-Clause */
/* berth_mapper: a mapping by one of berth's mappers, through the library.
 *
 *   berth_mapper list                                                  (names, one a line)
 *   berth_mapper PATTERN TOPOLOGY MAPPER OBJECTIVE QUALITY SEED MAPPING
 *
 * Timed: everything from the loaded pattern and topology on. The gain that `best` asks for before
 * it leaves linear is set to nothing, since quality is what is compared. */
#include <berth/map.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"

enum { NOT_SERVED = 3 }; /* exit code where the mapper doesn't serve such a problem */

static berth_quality_t quality_of(const char *name)
{
  static const char *const names[] = {"fast", "eco", "strong"};
  for (int i = 0; i < 3; i++)
    if (strcmp(name, names[i]) == 0) return (berth_quality_t)i;
  fail("found quality '%s', expected fast, eco or strong", name);
}

static int list(void)
{
  size_t n;
  const berth_mapper_t *mappers = berth_mappers(&n);
  for (size_t i = 0; i < n; i++) puts(mappers[i].name);
  return 0;
}

/* The objective by its name; `both` is half busiest port, half sum. */
static bool choose_objective(const char *name, berth_map_options_t *o)
{
  bool both = strcmp(name, "both") == 0;
  if (both) o->sum_share = 0.5;
  return berth_model_find(both ? "port" : name, &o->objective) == BERTH_OK;
}

int main(int argc, char **argv)
{
  if (argc == 2 && strcmp(argv[1], "list") == 0) return list();
  if (argc != 8) fail("usage: berth_mapper PATTERN TOPOLOGY MAPPER OBJECTIVE QUALITY SEED MAPPING");
  berth_error_t err = {0};
  berth_pattern_t *p = berth_pattern_load(argv[1], BERTH_PATTERN_STRICT, &err);
  if (!p) fail("%s", err.text);
  berth_topo_t *t = berth_topo_load(argv[2], &err);
  if (!t) fail("%s", err.text);
  const berth_mapper_t *mapper = berth_mapper_find(argv[3]);
  berth_map_options_t o = berth_map_defaults();
  if (!mapper || !choose_objective(argv[4], &o))
    fail("found mapper '%s' and objective '%s', expected names that berth knows", argv[3], argv[4]);
  o.quality = quality_of(argv[5]);
  o.seed = strtoull(argv[6], NULL, 10);
  o.min_gain = 0;
  int ranks = berth_pattern_ranks(p);
  int *pu_of_rank = allocate((size_t)ranks, sizeof *pu_of_rank);
  berth_map_problem_t problem;
  const char *chosen;
  double before = cpu_seconds();
  int rc = berth_map_problem_init(&problem, p, t, &o, &err);
  if (!rc) rc = berth_map_run(&problem, mapper, pu_of_rank, &chosen, &err);
  if (rc == BERTH_USAGE) return NOT_SERVED;
  if (rc) fail("%s", err.text);
  write_result(argv[7], pu_of_rank, ranks, cpu_seconds() - before);
  return 0;
}
