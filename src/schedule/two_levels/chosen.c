/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/two_levels/chosen.h"

#include <stdio.h>
#include <string.h>

#define AGENTS "agents"

static schedule_op_t varied_op(schedule_op_t op)
{
  switch (op) {
  case SCHEDULE_GATHER:
    return SCHEDULE_GATHERV;
  case SCHEDULE_SCATTER:
    return SCHEDULE_SCATTERV;
  case SCHEDULE_ALLGATHER:
    return SCHEDULE_ALLGATHERV;
  case SCHEDULE_ALLTOALL:
    return SCHEDULE_ALLTOALLV;
  default:
    return op;
  }
}

/* Hosts of a scan do what they do for an exclusive one. */
static schedule_op_t op_of_hosts(schedule_op_t op)
{
  return op == SCHEDULE_SCAN ? SCHEDULE_EXSCAN : op;
}

static bool is_told(const char *algorithm) { return strncmp(algorithm, "mpi:", 4) == 0; }

static const schedule_setting_t *setting_named(const char *rules, schedule_op_t op,
                                               const char *algorithm)
{
  size_t n;
  const schedule_setting_t *all = schedule_settings(rules, &n);
  for (size_t i = 0; i < n; i++)
    if (all[i].op == op && strcmp(all[i].algorithm, algorithm) == 0) return &all[i];
  return NULL;
}

const schedule_setting_t *chosen_setting(const char *rules, schedule_op_t op, const char *algorithm)
{
  static const char *const all[] = {"openmpi-4.1", "mpich-4.0"};
  const schedule_setting_t *found = NULL;
  if (!is_told(algorithm)) return NULL;
  for (size_t i = 0; i < sizeof all / sizeof *all && !found; i++)
    if (!rules || strcmp(rules, all[i]) == 0) found = setting_named(all[i], op, algorithm + 4);
  return found;
}

/* 0: they choose. */
static bool is_degree_of_agents(int degree)
{
  return degree == 0 || (degree >= 2 && degree <= UINT16_MAX);
}

bool chosen_of(schedule_op_t op, const berth_tuned_choice_t *named, chosen_t *out)
{
  const char *algorithm = named->algorithm;
  *out = (chosen_t){.segment = (int64_t)named->segment,
                    .degree = named->degree,
                    .overlap = (int64_t)named->overlap};
  if (strcmp(algorithm, "mpi") == 0) return out->mpi = true;
  if (is_told(algorithm)) return out->mpi = out->told = chosen_setting(NULL, op, algorithm) != NULL;
  if (strcmp(algorithm, AGENTS) == 0) return out->agents = is_degree_of_agents(named->degree);
  if (strcmp(algorithm, "host") == 0) return true;
  if (strcmp(algorithm, "direct") == 0) return out->direct = op == SCHEDULE_ALLTOALL;
  out->equal = schedule_find(op_of_hosts(op), algorithm);
  out->varied = schedule_find(varied_op(op_of_hosts(op)), algorithm);
  return out->equal != NULL;
}

bool chosen_of_cell(const berth_tuned_cell_t *c, int k, schedule_op_t *op, chosen_t *out,
                    char wrong[CHOSEN_WRONG])
{
  const char *algorithm = c->choice[k].algorithm;
  if (!schedule_op_find(c->operation, op)) {
    snprintf(wrong, CHOSEN_WRONG, "operation: found %s, expected one that `berth schedule` lists",
             c->operation);
    return false;
  }
  if (chosen_of(*op, &c->choice[k], out)) return true;
  if (strcmp(algorithm, AGENTS) == 0) {
    snprintf(wrong, CHOSEN_WRONG,
             "choices[%d].degree: found %d, expected 0, or a number from 2 to %d", k,
             c->choice[k].degree, UINT16_MAX);
    return false;
  }
  snprintf(wrong, CHOSEN_WRONG,
           "choices[%d].algorithm: found %s, expected one that `berth schedule %s` lists", k,
           algorithm, c->operation);
  return false;
}

static bool holds(const berth_tuned_choice_t *c, chosen_job_t job)
{
  if (strcmp(c->algorithm, AGENTS) == 0) return job.has_agents;
  return job.is_told || !is_told(c->algorithm);
}

int chosen_take(const berth_tuned_cell_t *c, int from, chosen_job_t job, schedule_op_t *op,
                chosen_t *out, char wrong[CHOSEN_WRONG])
{
  int k = from;
  *wrong = '\0';
  while (k < c->n_choices && !holds(&c->choice[k], job)) k++;
  if (k == c->n_choices || c->hosts == 0) return -1;
  return chosen_of_cell(c, k, op, out, wrong) ? k : -1;
}

const schedule_algorithm_t *chosen_schedule(const chosen_t *c, schedule_call_t *call,
                                            size_t element)
{
  schedule_call_t own = *call;
  if (!c->equal) return NULL;
  const schedule_algorithm_t *a = c->equal->op == call->op ? c->equal : c->varied;
  if (!a || a->op != call->op) return NULL;
  if (a->needs & SCHEDULE_SEGMENTS && c->segment > 0) {
    own.segment = c->segment / (int64_t)element;
    if (own.segment == 0) own.segment = 1;
  }
  own.degree = c->degree;
  if (a->needs & SCHEDULE_DEGREE && own.degree < 1) return NULL;
  if (!schedule_serves(a, &own)) return NULL;
  *call = own;
  return a;
}

schedule_op_t chosen_op(schedule_op_t op)
{
  return op == SCHEDULE_REDUCE_SCATTER_BLOCK ? SCHEDULE_REDUCE_SCATTER : op;
}
