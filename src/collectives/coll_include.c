/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the rounds of collective calls to a pattern as phases. */
#include <berth/collectives.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "collectives/coll_class.h"
#include "collectives/coll_rounds.h"
#include "pattern/phase_find.h"

/* Adds all stages of a group's calls, unless they have too many messages; then counts the calls in
 * *too_many. */
static int add_stages(coll_rounds_t *in, const coll_group_t *g, int n,
                      const schedule_stage_t *stage, double *too_many)
{
  int rc = BERTH_OK;
  size_t added = in->added;
  const berth_phase_t *own = pattern_phase(in->p, g->first->phase);
  for (int i = 0; i < n; i++)
    if (!coll_rounds_count(in, g, &stage[i], &added)) return no_memory(in->err);
  if (added > BERTH_MAX_ROUND_MESSAGES) {
    *too_many += (double)g->first->calls * (double)g->n * (own ? (double)own->repeats : 1);
    return BERTH_OK;
  }
  in->added = added;
  in->call++;
  for (int i = 0; i < n && !rc; i++) {
    in->stage = i + 1;
    rc = coll_rounds_add_stage(in, g, &stage[i]);
  }
  for (size_t i = 0; i < g->n; i++) g->first[i].included = true;
  return rc;
}

static int add_groups(coll_rounds_t *in, coll_class_t *c, size_t n, double *too_many)
{
  int rc = BERTH_OK;
  schedule_stage_t stage[SCHEDULE_STAGES];
  for (size_t i = 0, k; i < n && !rc; i = k) {
    for (k = i + 1; k < n && c[k].group == c[i].group; k++) {
    }
    int stages = schedule_decide(in->rules, &c[i].request, stage);
    if (stages >= 0) rc = add_stages(in, &(coll_group_t){&c[i], k - i}, stages, stage, too_many);
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
