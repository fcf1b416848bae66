/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out which collective calls of a program the pattern has messages of. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "cost/flow/flow_program.h"
#include "pattern/dense.h"

/* A meeting, the calls that it may be (berth_coll_t.included; 0: none), and their lines. */
typedef struct candidate {
  int meeting, number, lines;
} candidate_t;

typedef struct search {
  flow_program_t *p;
  const berth_pattern_t *pattern;
  int phase; /* its identity */
  const berth_coll_t *coll;
  size_t n_colls;
  candidate_t *of;   /* by meeting, then sorted by number */
  flow_call_t *call; /* those that were found */
  int n;
} search_t;

/* Whether the root, a rank of MPI_COMM_WORLD, is the line's. */
static bool same_root(const flow_meeting_t *m, int root)
{
  if (m->kind == BERTH_STEP_MEET) return root == -1;
  return root >= 0 && root < m->n && flow_meeting_member(m, root) == m->root;
}

static bool is_line_of(const search_t *x, const berth_coll_t *c, const flow_meeting_t *m)
{
  return *m->op && c->phase == x->phase && c->comm == m->comm && strcmp(c->op, m->op) == 0 &&
         same_root(m, c->root);
}

/* Lines of operations whose amounts vary, such as MPI_Alltoallv, have the mean, and steps have 0.
 */
static bool same_bytes(const berth_coll_t *c, const flow_meeting_t *m)
{
  char last = m->op[strlen(m->op) - 1];
  return c->bytes == m->size || (m->size == 0 && (last == 'v' || last == 'w'));
}

/* The calls that a meeting is, if there are such ones of one number, and each of them is a visit.
 */
static candidate_t candidate_of(const search_t *x, int meeting)
{
  int number = 0, lines = 0;
  double calls = 0;
  const candidate_t none = {.meeting = meeting};
  const flow_meeting_t *m = &x->p->meeting[meeting];
  if (m->later) return none;
  for (size_t i = 0; i < x->n_colls; i++) {
    const berth_coll_t *c = &x->coll[i];
    if (!is_line_of(x, c, m) || !same_bytes(c, m)) continue;
    if (c->included == 0 || (number && c->included != number)) return none;
    number = c->included;
    calls += (double)c->count;
    lines++;
  }
  return calls == m->times ? (candidate_t){meeting, number, lines} : none;
}

static int count_lines(const search_t *x, int number)
{
  int n = 0;
  for (size_t i = 0; i < x->n_colls; i++) n += x->coll[i].included == number;
  return n;
}

/* Finds the phases of a call. Those of calls that only some of its communicators make follow. */
static flow_call_t phases_of(const search_t *x, int number)
{
  size_t n, first = 0, end, more;
  const berth_phase_t *phase = berth_pattern_phases(x->pattern, &n);
  while (first < n && phase[first].collective != number) first++;
  for (end = first; end < n && phase[end].collective == number;) end++;
  for (more = end; more < n && phase[more].more_of == number;) more++;
  return (flow_call_t){first, (int)(end - first), (int)(more - first)};
}

/* Whether all messages of the phases are listed, wherever ranks run. */
static bool are_listed(const search_t *x, flow_call_t call)
{
  size_t n;
  const berth_phase_t *phase = berth_pattern_phases(x->pattern, &n);
  for (size_t k = call.first_phase; k < call.first_phase + (size_t)call.n_phases; k++)
    if (phase[k].by_hosts || pattern_dense(x->pattern, k)) return false;
  return true;
}

ORDER_BY(by_number, candidate_t, RISING(number) RISING(meeting))

/* Calls of a number are played if all of them are meetings, on each communicator. */
static void take(search_t *x)
{
  int end, lines;
  qsort(x->of, (size_t)x->p->n_meetings, sizeof *x->of, by_number);
  for (int i = 0; i < x->p->n_meetings; i = end) {
    int number = x->of[i].number;
    lines = 0;
    for (end = i; end < x->p->n_meetings && x->of[end].number == number;)
      lines += x->of[end++].lines;
    if (number == 0 || lines != count_lines(x, number)) continue;
    flow_call_t call = phases_of(x, number);
    if (!are_listed(x, call)) continue;
    for (int k = i; k < end; k++) x->p->meeting[x->of[k].meeting].call = x->n;
    x->call[x->n++] = call;
  }
}

static int find(search_t *x, berth_error_t *err)
{
  int n = x->p->n_meetings;
  x->of = malloc(((size_t)n + 1) * sizeof *x->of);
  x->call = malloc(((size_t)n + 1) * sizeof *x->call);
  if (!x->of || !x->call) return no_memory(err);
  for (int h = 0; h < n; h++) x->of[h] = candidate_of(x, h);
  take(x);
  return BERTH_OK;
}

int flow_program_find_calls(flow_program_t *p, const berth_pattern_t *pattern, size_t phase,
                            berth_error_t *err)
{
  size_t n;
  search_t x = {.p = p, .pattern = pattern, .phase = berth_pattern_phases(pattern, &n)[phase].id};
  x.coll = berth_pattern_colls(pattern, &x.n_colls);
  int rc = p->n_meetings ? find(&x, err) : BERTH_OK;
  free(x.of);
  if (rc || x.n == 0 || flow_calls_messages(pattern, x.call, x.n) > FLOW_MOST_CALL_MESSAGES) {
    free(x.call);
    flow_program_drop_calls(p);
    return rc;
  }
  rc = flow_calls_make(&p->calls, pattern, x.call, x.n, err);
  if (rc) flow_program_drop_calls(p);
  return rc;
}

void flow_program_drop_calls(flow_program_t *p)
{
  flow_calls_clear(&p->calls);
  for (int h = 0; h < p->n_meetings; h++) p->meeting[h].call = -1;
}
