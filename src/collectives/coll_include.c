/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the rounds of collective calls to a pattern as phases. */
#include <berth/collectives.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "collectives/coll_class.h"
#include "collectives/coll_dense.h"
#include "collectives/coll_rounds.h"
#include "pattern/phase_find.h"

/* Patterns with fewer ranks have lists only: some mappers need them, and reach the limit with
 * thousands of calls only. */
enum { DENSE_FROM = 64 };

/* Adds a group's calls, unless they have too many messages; then counts them in *too_many. */
static int add_group(coll_rounds_t *in, const coll_group_t *g, double *too_many)
{
  bool added;
  schedule_stage_t stage[SCHEDULE_STAGES];
  int stages = schedule_decide(in->rules, &g->first->request, stage);
  if (stages < 0) return BERTH_OK;
  const berth_phase_t *own = pattern_phase(in->p, g->first->phase);
  double calls = (double)g->first->calls * (double)g->n * (own ? (double)own->repeats : 1);
  int rc = coll_rounds_add_call(in, g, stages, stage, BERTH_MAX_ROUND_MESSAGES, &added);
  if (!rc && !added && berth_pattern_ranks(in->p) >= DENSE_FROM)
    rc = coll_dense_add_call(in, g, stages, stage, &added);
  if (rc) return rc;
  for (size_t i = 0; i < g->n; i++) g->first[i].included = added ? in->call : 0;
  if (!added) *too_many += calls;
  return BERTH_OK;
}

static int add_groups(coll_rounds_t *in, coll_class_t *c, size_t n, double *too_many)
{
  int rc = BERTH_OK;
  coll_group_t g;
  for (size_t i = 0; i < n && !rc; i += g.n) {
    g = coll_group_at(c, i, n);
    rc = add_group(in, &g, too_many);
  }
  return rc;
}

int berth_collectives_include(berth_pattern_t *p, const char *rules, double *too_many,
                              berth_error_t *err)
{
  int nearest;
  size_t n = 0;
  double left_out = 0;
  coll_rounds_t in;
  coll_class_t *classes = NULL;
  if (too_many) *too_many = 0;
  if (strcmp(rules, "auto") == 0) rules = berth_collectives_rules(berth_pattern_mpi(p), &nearest);
  if (!rules) return BERTH_OK;
  int rc = coll_rounds_begin(&in, p, rules, err);
  if (!rc && !(classes = coll_classes(p, &n, err))) rc = BERTH_MISSING;
  if (!rc) rc = add_groups(&in, classes, n, &left_out);
  if (!rc) rc = coll_classes_mark(classes, n, p, err);
  if (!rc) rc = berth_pattern_set_rules(p, BERTH_COLLECTIVES, schedule_rules_name(in.rules), err);
  if (!rc) rc = berth_pattern_finish(p, err);
  if (too_many) *too_many = left_out;
  coll_classes_free(classes, n);
  coll_rounds_end(&in);
  return rc;
}
