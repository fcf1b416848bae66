/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/cost_phases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/print/progress.h"

/* Whether phase k is among the `most` most expensive; of equals the earlier ones. */
static bool is_wanted(const double *weight, size_t n, size_t k, size_t most)
{
  size_t above = 0;
  for (size_t i = 0; i < n && above < most; i++)
    above += weight[i] > weight[k] || (weight[i] == weight[k] && i < k);
  return above < most;
}

/* Maps for the phase that `problem` has as its pattern. */
static int find_one(const berth_map_problem_t *problem, const berth_mapper_t *mapper,
                    berth_cost_t *whole, berth_sharing_t *sharing, int *pu_of_rank, alone_t *out,
                    berth_error_t *err)
{
  int rc = berth_map_run(problem, mapper, pu_of_rank, &out->algorithm, err);
  if (rc) return rc;
  berth_cost_t *evaluator = berth_cost_new(problem->pattern, problem->topo, err);
  if (!evaluator) return err->code;
  out->cost_s = berth_cost_evaluate(evaluator, problem->options.objective, pu_of_rank);
  rc = berth_cost_ran_out(evaluator, err);
  berth_cost_free(evaluator);
  out->pattern_cost_s = berth_cost_evaluate(whole, problem->options.objective, pu_of_rank) +
                        berth_sharing_evaluate(sharing, pu_of_rank);
  out->known = true;
  return rc ? rc : berth_cost_ran_out(whole, err);
}

static void say(size_t done, size_t n, const char *name)
{
  char text[64];
  snprintf(text, sizeof text, "placing ranks for each phase alone, %zu of %zu", done + 1, n);
  progress(text, name);
}

int phases_alone_find(const inputs_t *in, const alone_question_t *question, const double *weight,
                      alone_t *out, berth_error_t *err)
{
  size_t n, done = 0;
  berth_map_problem_t problem;
  const berth_phase_t *phases = berth_pattern_phases(in->pattern, &n);
  size_t asked = question->max < n ? question->max : n;
  int rc = berth_map_problem_init(&problem, in->pattern, in->topo, &in->map, err);
  if (rc) return rc == BERTH_BAD_INPUT ? BERTH_OK : rc;
  int *pu_of_rank = malloc((size_t)berth_pattern_ranks(in->pattern) * sizeof *pu_of_rank);
  berth_sharing_t *sharing = berth_sharing_new(in->pattern, in->topo, in->map.objective, err);
  berth_cost_t *evaluator = sharing ? berth_cost_new(in->pattern, in->topo, err) : NULL;
  if (!evaluator) rc = err->code;
  if (!pu_of_rank) rc = no_memory(err);
  for (size_t k = 0; k < n && !rc; k++) {
    if (!is_wanted(weight, n, k, asked)) continue;
    say(done++, asked, phases[k].name);
    problem.pattern = berth_pattern_of_phase(in->pattern, k, err);
    rc = problem.pattern
             ? find_one(&problem, question->mapper, evaluator, sharing, pu_of_rank, &out[k], err)
             : BERTH_MISSING;
    berth_pattern_of_phase_free(problem.pattern);
    if (rc != BERTH_USAGE) continue;
    progress(NULL, NULL);
    fprintf(stderr, "berth cost: phases alone: %s\n", err->text); /* costs don't depend on it */
    rc = BERTH_OK;
    break;
  }
  progress(NULL, NULL);
  free(pu_of_rank);
  berth_sharing_free(sharing);
  berth_cost_free(evaluator);
  berth_map_problem_clear(&problem);
  return rc;
}

char *phases_alone_command(const inputs_t *in, const berth_mapper_t *mapper, int phase_id)
{
  char id[16], file[32], reserve[16], ranks_per_pu[16];
  snprintf(id, sizeof id, "%d", phase_id);
  snprintf(file, sizeof file, "phase-%d.json", phase_id);
  snprintf(reserve, sizeof reserve, "%d", in->map.reserve);
  snprintf(ranks_per_pu, sizeof ranks_per_pu, "%d", in->map.ranks_per_pu);
  const char *first[] = {"berth",          "map",        "--pattern",
                         in->pattern_path, "--topology", in->topology_path};
  const char **argv = cli_checked(calloc(32 + 2 * in->pins.n, sizeof *argv));
  if (!argv) return NULL;
  int n = sizeof first / sizeof *first;
  memcpy(argv, first, sizeof first);
#define ADD(option, value) (argv[n++] = (option), argv[n++] = (value))
  if (in->truncated) argv[n++] = "--truncated";
  if (in->map.hosts) ADD("--hosts", in->map.hosts);
  if (in->map.reserve) ADD("--reserve", reserve);
  if (in->map.ranks_per_pu > 1) ADD("--ranks-per-pu", ranks_per_pu);
  if (in->map.any_thread) argv[n++] = "--any-thread";
  for (size_t i = 0; i < in->pins.n; i++) ADD("--pin", in->pins.item[i]);
  if (in->map.objective != berth_map_defaults().objective)
    ADD("--objective", berth_model_name(in->map.objective));
  if (mapper != berth_mapper_find("best")) ADD("--algorithm", mapper->name);
  if (in->map.quality == BERTH_QUALITY_FAST) ADD("--quality", "fast");
  ADD("--phase", id);
  ADD("--mapping", file);
#undef ADD
  char *text = NULL;
  size_t length;
  FILE *to = open_memstream(&text, &length);
  if (to) cli_print_command(to, argv);
  free(argv);
  return cli_checked(text_end(to, &text));
}
