/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate PATTERN TOPOLOGY MAPPING: what a placement costs beside the default order, how sure that
 * is, and which resource is the bottleneck. */
#include <berth/assess.h>
#include <berth/collectives.h>
#include <berth/map.h>
#include <stdio.h>
#include <stdlib.h>

/* Rank r on the r-th PU that may be used. */
static int default_order(const berth_pattern_t *p, const berth_topo_t *t, int *pu_of_rank,
                         berth_error_t *err)
{
  const char *chosen;
  berth_map_problem_t problem;
  berth_map_options_t options = berth_map_defaults();
  int rc = berth_map_problem_init(&problem, p, t, &options, err);
  if (rc) return rc;
  rc = berth_map_run(&problem, berth_mapper_find("linear"), pu_of_rank, &chosen, err);
  berth_map_problem_clear(&problem);
  return rc;
}

static int print_estimate(const berth_pattern_t *p, const berth_topo_t *t, const int *pu_of_rank,
                          const int *reference, berth_error_t *err)
{
  berth_estimate_t e[2]; /* the placement, the reference */
  berth_assess_options_t options = berth_assess_defaults();
  options.reference = reference;
  int rc = berth_assess(p, t, &options, 1, &pu_of_rank, e, err);
  if (rc) return rc;
  printf("cost: %.6f s (%.6f to %.6f s)\n", e[0].cost_s, e[0].interval.low, e[0].interval.high);
  printf("default order: %.6f s\n", e[1].cost_s);
  printf("gain: %.2f%%, %d ranks elsewhere: %s\n", 100 * e[0].gain, e[0].moved,
         berth_verdict_name(e[0].verdict));
  if (e[0].run_gain_kind == BERTH_RUN_GAIN_KNOWN)
    printf("gain of the run: %.2f%%\n", 100 * e[0].run_gain);
  else if (e[0].run_gain_kind == BERTH_RUN_GAIN_LIMIT)
    printf("gain of the run: at most %.2f%%\n", 100 * e[0].run_gain);
  else
    printf("gain of the run: unknown\n");
  return rc;
}

static int print_bottleneck(const berth_pattern_t *p, const berth_topo_t *t, const int *pu_of_rank,
                            berth_error_t *err)
{
  char text[256];
  berth_cost_result_t result;
  berth_cost_t *evaluator = berth_cost_new(p, t, err);
  if (!evaluator) return err->code;
  int rc = berth_cost_explain(evaluator, BERTH_MODEL_PORT, pu_of_rank, 0, &result, err);
  berth_cost_free(evaluator);
  if (rc) return rc;
  const berth_phase_cost_t *phase = &result.phases[result.max_cost_phase];
  if (phase->has_bottleneck)
    printf("bottleneck: %s, %.0f bytes\n",
           berth_resource_text(t, phase->bottleneck, text, sizeof text), phase->bottleneck_bytes);
  berth_cost_result_clear(&result);
  return BERTH_OK;
}

int main(int argc, char **argv)
{
  berth_error_t err = {0};
  berth_mapping_t mapping = {0};
  if (argc != 4) {
    fprintf(stderr, "usage: estimate PATTERN TOPOLOGY MAPPING\n");
    return BERTH_USAGE;
  }
  berth_pattern_t *p = berth_pattern_load(argv[1], BERTH_PATTERN_STRICT, &err);
  berth_topo_t *t = p ? berth_topo_load(argv[2], &err) : NULL;
  int *linear = t ? calloc((size_t)berth_pattern_ranks(p), sizeof *linear) : NULL;
  int rc =
      linear ? berth_mapping_load(argv[3], berth_pattern_ranks(p), t, 0, &mapping, &err) : err.code;
  if (!rc) rc = berth_collectives_include_by_hosts(p, "auto", 0, NULL, &err);
  if (!rc) rc = default_order(p, t, linear, &err);
  if (!rc) rc = print_estimate(p, t, mapping.pu_of_rank, linear, &err);
  if (!rc) rc = print_bottleneck(p, t, mapping.pu_of_rank, &err);
  if (rc) fprintf(stderr, "estimate: %s\n", err.text);
  berth_mapping_clear(&mapping);
  free(linear);
  berth_topo_free(t);
  berth_pattern_free(p);
  return rc;
}
