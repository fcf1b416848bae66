/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks for placements of single phases, and prints the command that makes one. */
#include "cli/cost_phases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/print/progress.h"

/* Whether phase k is among the `max` most expensive of the program's own; of equals the earlier
 * ones. */
static bool is_wanted(const berth_phase_t *phases, const double *weight, size_t n, size_t k,
                      size_t max)
{
  size_t above = 0;
  if (phases[k].collective) return false;
  for (size_t i = 0; i < n && above < max; i++)
    above += !phases[i].collective && (weight[i] > weight[k] || (weight[i] == weight[k] && i < k));
  return above < max;
}

/* The phases that are asked for, by their places. */
typedef struct asked {
  const berth_phase_t *phases;
  size_t *place, n;
} asked_t;

static void say(void *context, size_t i)
{
  const asked_t *asked = context;
  const char *name = asked->phases[asked->place[i]].name;
  progress_parts("placing ranks for each phase alone", i, asked->n, name);
}

static int find(const berth_map_problem_t *problem, const berth_mapper_t *mapper,
                const asked_t *asked, berth_alone_t *out, berth_error_t *err)
{
  berth_alone_t *found = calloc(asked->n + 1, sizeof *found);
  if (!found) return no_memory(err);
  int rc = berth_map_alone(problem, mapper, asked->n, asked->place, say, (void *)(uintptr_t)asked,
                           found, err);
  progress(NULL, NULL);
  for (size_t i = 0; i < asked->n; i++) out[asked->place[i]] = found[i];
  free(found);
  if (rc != BERTH_USAGE) return rc;
  fprintf(stderr, "berth cost: phases alone: %s\n", err->text); /* costs don't depend on it */
  return BERTH_OK;
}

int phases_alone_find(const inputs_t *in, const alone_question_t *question, const double *weight,
                      berth_alone_t *out, berth_error_t *err)
{
  size_t n;
  berth_map_problem_t problem;
  asked_t asked = {.phases = berth_pattern_phases(in->pattern, &n)};
  int rc = berth_map_problem_init(&problem, in->pattern, in->topo, &in->map, err);
  if (rc) return rc == BERTH_BAD_INPUT ? BERTH_OK : rc;
  asked.place = malloc((n + 1) * sizeof *asked.place);
  for (size_t k = 0; asked.place && k < n; k++)
    if (is_wanted(asked.phases, weight, n, k, question->max)) asked.place[asked.n++] = k;
  rc = asked.place ? find(&problem, question->mapper, &asked, out, err) : no_memory(err);
  free(asked.place);
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
  if (in->collectives) ADD("--collectives", in->collectives);
  if (in->one_sided) ADD("--one-sided", in->one_sided);
  if (in->truncated) argv[n++] = "--truncated";
  if (in->map.hosts) ADD("--hosts", in->map.hosts);
  if (in->map.reserve) ADD("--reserve", reserve);
  if (in->map.ranks_per_pu > 1) ADD("--ranks-per-pu", ranks_per_pu);
  if (in->map.any_thread) argv[n++] = "--any-thread";
  for (size_t i = 0; i < in->pins.n; i++) ADD("--pin", in->pins.item[i]);
  if (in->map.objective != berth_map_defaults().objective)
    ADD("--model", berth_model_name(in->map.objective));
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
