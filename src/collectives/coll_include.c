/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the rounds of collective calls to a pattern as phases. */
#include <berth/collectives.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "collectives/coll_dense.h"
#include "collectives/coll_hosts.h"
#include "collectives/coll_rules.h"
#include "pattern/phase_find.h"

/* Patterns with fewer ranks have lists only: some mappers need them, and reach the limit with
 * thousands of calls only. */
enum { DENSE_FROM = 64 };

/* What is added, and how. */
typedef struct including {
  coll_rounds_t in;
  coll_hosts_t *hosts; /* calls whose rounds depend on hosts; NULL: each rank has one of its own */
  double too_many;     /* calls that have too many messages */
} including_t;

/* Adds a group's calls, unless the pattern would have more than `most` messages of calls. */
static int add_group(including_t *x, const coll_group_t *g, int stages, schedule_stage_t *stage,
                     size_t most, bool *added)
{
  coll_rounds_t *in = &x->in;
  bool by_hosts = false;
  int rc = x->hosts ? coll_hosts_takes(in, g, stages, stage, &by_hosts) : BERTH_OK;
  *added = true;
  if (rc || by_hosts) return rc ? rc : coll_hosts_add_call(x->hosts, in, g);
  rc = coll_rounds_add_call(in, g, stages, stage, most, added);
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
 * the rules have its operation. */
static int add_set(including_t *x, coll_class_t *c, size_t n, size_t groups)
{
  coll_rounds_t *in = &x->in;
  int rc = BERTH_OK;
  bool added = true;
  coll_group_t g;
  schedule_stage_t stage[SCHEDULE_STAGES];
  int stages = schedule_decide(in->rules, &c->request, stage);
  const berth_phase_t *own = pattern_phase(in->p, c->phase);
  if (stages < 0) return BERTH_OK;
  for (size_t i = 0; i < n && !rc; i += g.n, groups--) {
    g = coll_group_at(c, i, n);
    if (added) rc = add_group(x, &g, stages, stage, most_messages(in, groups), &added);
    if (!added)
      x->too_many += (double)g.first->calls * (double)g.n * (own ? (double)own->repeats : 1);
    if (i > 0) continue;
    in->more_of = in->call;
    for (size_t k = 0; k < g.n; k++) g.first[k].included = added ? in->call : 0;
  }
  in->more_of = 0;
  return rc;
}

static int add_sets(including_t *x, coll_class_t *c, size_t n)
{
  int rc = BERTH_OK;
  for (size_t i = 0, end; i < n && !rc; i = end) {
    size_t groups = 1;
    for (end = i + coll_group_at(c, i, n).n; end < n && c[end].more; groups++)
      end += coll_group_at(c, end, n).n;
    rc = add_set(x, &c[i], end - i, groups);
  }
  return rc;
}

static int include(including_t *x, bool by_hosts)
{
  size_t n = 0;
  berth_pattern_t *p = x->in.p;
  berth_error_t *err = x->in.err;
  coll_class_t *classes = coll_classes(p, &n, err);
  int rc = classes ? BERTH_OK : BERTH_MISSING;
  if (!rc && by_hosts && !(x->hosts = coll_hosts_new())) rc = no_memory(err);
  if (!rc) rc = add_sets(x, classes, n);
  if (!rc) rc = coll_classes_mark(classes, n, p, err);
  if (!rc)
    rc = berth_pattern_set_rules(p, BERTH_COLLECTIVES, schedule_rules_name(x->in.rules), err);
  if (!rc && x->hosts) {
    rc = coll_hosts_finish(x->hosts, x->in.rules, p, err);
    x->hosts = NULL;
    x->in.rules = NULL;
  }
  if (!rc) rc = berth_pattern_finish(p, err);
  coll_classes_free(classes, n);
  coll_hosts_free(x->hosts);
  return rc;
}

static int include_by(berth_pattern_t *p, const char *rules, double half, bool by_hosts,
                      double *too_many, berth_error_t *err)
{
  int nearest;
  including_t x = {0};
  if (too_many) *too_many = 0;
  if (strcmp(rules, "auto") == 0) rules = berth_collectives_rules(berth_pattern_mpi(p), &nearest);
  if (!rules) return BERTH_OK;
  int rc = coll_rounds_begin(&x.in, p, NULL, err);
  if (!rc) rc = coll_rules_load_for(p, rules, half, &x.in.rules, err);
  if (!rc) rc = include(&x, by_hosts && !coll_rules_apart(p));
  if (too_many) *too_many = x.too_many;
  coll_rounds_end(&x.in);
  return rc;
}

int berth_collectives_include(berth_pattern_t *p, const char *rules, double *too_many,
                              berth_error_t *err)
{
  return include_by(p, rules, 0, false, too_many, err);
}

int berth_collectives_include_by_hosts(berth_pattern_t *p, const char *rules, double half,
                                       double *too_many, berth_error_t *err)
{
  return include_by(p, rules, half, true, too_many, err);
}
