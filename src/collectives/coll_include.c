/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the rounds of collective calls to a pattern as phases. */
#include <berth/collectives.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "collectives/coll_dense.h"
#include "collectives/coll_rounds.h"
#include "pattern/phase_find.h"

/* Patterns with fewer ranks have lists only: some mappers need them, and reach the limit with
 * thousands of calls only. */
enum { DENSE_FROM = 64 };

/* Adds a group's calls, unless the pattern would have more than `most` messages of calls. */
static int add_group(coll_rounds_t *in, const coll_group_t *g, int stages, schedule_stage_t *stage,
                     size_t most, bool *added)
{
  int rc = coll_rounds_add_call(in, g, stages, stage, most, added);
  if (!rc && !*added && berth_pattern_ranks(in->p) >= DENSE_FROM)
    rc = coll_dense_add_call(in, g, stages, stage, added);
  return rc;
}

/* The number of messages up to which a group is added as a list, so that there is room for the next
 * groups, of at most as many messages. */
static size_t most_messages(const coll_rounds_t *in, size_t groups)
{
  size_t left = BERTH_MAX_ROUND_MESSAGES > in->added ? BERTH_MAX_ROUND_MESSAGES - in->added : 0;
  return in->added + left / groups;
}

/* Adds a group whose communicators run beside each other, and those that have more of its calls, if
 * the rules have its operation.
 * Counts in *too_many the calls of groups that have too many messages. */
static int add_set(coll_rounds_t *in, coll_class_t *c, size_t n, size_t groups, double *too_many)
{
  int rc = BERTH_OK;
  bool added = true;
  coll_group_t g;
  schedule_stage_t stage[SCHEDULE_STAGES];
  int stages = schedule_decide(in->rules, &c->request, stage);
  const berth_phase_t *own = pattern_phase(in->p, c->phase);
  if (stages < 0) return BERTH_OK;
  for (size_t i = 0; i < n && !rc; i += g.n, groups--) {
    g = coll_group_at(c, i, n);
    if (added) rc = add_group(in, &g, stages, stage, most_messages(in, groups), &added);
    if (!added)
      *too_many += (double)g.first->calls * (double)g.n * (own ? (double)own->repeats : 1);
    if (i > 0) continue;
    in->more_of = in->call;
    for (size_t k = 0; k < g.n; k++) g.first[k].included = added ? in->call : 0;
  }
  in->more_of = 0;
  return rc;
}

static int add_sets(coll_rounds_t *in, coll_class_t *c, size_t n, double *too_many)
{
  int rc = BERTH_OK;
  for (size_t i = 0, end; i < n && !rc; i = end) {
    size_t groups = 1;
    for (end = i + coll_group_at(c, i, n).n; end < n && c[end].more; groups++)
      end += coll_group_at(c, end, n).n;
    rc = add_set(in, &c[i], end - i, groups, too_many);
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
  if (!rc) rc = add_sets(&in, classes, n, &left_out);
  if (!rc) rc = coll_classes_mark(classes, n, p, err);
  if (!rc) rc = berth_pattern_set_rules(p, BERTH_COLLECTIVES, schedule_rules_name(in.rules), err);
  if (!rc) rc = berth_pattern_finish(p, err);
  if (too_many) *too_many = left_out;
  coll_classes_free(classes, n);
  coll_rounds_end(&in);
  return rc;
}
