/* SPDX-License-Identifier: BSD-3-Clause */
/* place PATTERN TOPOLOGY RANKFILE: what `berth map` does, through the library. */
#include <berth/collectives.h>
#include <berth/map.h>
#include <stdio.h>
#include <stdlib.h>

/* Places the ranks and prices them; the mapping borrows pu_of_rank. */
static int place(const berth_pattern_t *pattern, const berth_topo_t *topo, int *pu_of_rank,
                 berth_mapping_t *out, berth_error_t *err)
{
  const char *chosen;
  berth_map_problem_t problem;
  berth_map_options_t options = berth_map_defaults();
  int rc = berth_map_problem_init(&problem, pattern, topo, &options, err);
  if (rc) return rc;
  rc = berth_map_run(&problem, berth_mapper_find("best"), pu_of_rank, &chosen, err);
  berth_map_problem_clear(&problem);
  if (rc) return rc;

  berth_cost_t *evaluator = berth_cost_new(pattern, topo, err);
  if (!evaluator) return err->code;
  double cost = berth_cost_evaluate(evaluator, options.objective, pu_of_rank);
  berth_cost_free(evaluator);
  printf("%d ranks placed by %s: %.6f s\n", berth_pattern_ranks(pattern), chosen, cost);
  *out = (berth_mapping_t){.ranks = berth_pattern_ranks(pattern),
                           .pu_of_rank = pu_of_rank,
                           .algorithm = "",
                           .model = "",
                           .topology = "",
                           .cost_s = cost};
  return BERTH_OK;
}

int main(int argc, char **argv)
{
  berth_error_t err = {0};
  berth_mapping_t mapping;
  if (argc != 4) {
    fprintf(stderr, "usage: place PATTERN TOPOLOGY RANKFILE\n");
    return BERTH_USAGE;
  }
  berth_pattern_t *pattern = berth_pattern_load(argv[1], BERTH_PATTERN_STRICT, &err);
  berth_topo_t *topo = pattern ? berth_topo_load(argv[2], &err) : NULL;
  int *pu_of_rank = topo ? calloc((size_t)berth_pattern_ranks(pattern), sizeof *pu_of_rank) : NULL;
  int rc = pu_of_rank ? berth_collectives_include_by_hosts(pattern, "auto", 0, NULL, &err)
                      : (int)err.code;
  if (!rc) rc = place(pattern, topo, pu_of_rank, &mapping, &err);
  if (!rc) rc = berth_writer_find("rankfile")->write(&mapping, topo, argv[3], &err);
  if (rc) fprintf(stderr, "place: %s\n", err.text);
  free(pu_of_rank);
  berth_topo_free(topo);
  berth_pattern_free(pattern);
  return rc;
}
