/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes patterns of rounds alone, as berth_collectives_include would add them, and estimates them.
 */
#include "advice/advice_price.h"

#include <math.h>
#include <stdlib.h>

#include "base/no_memory.h"

enum { BATCH_MESSAGES = 1 << 17 }; /* of one pattern, unless a single try has more */

/* A pattern with the ranks, the communicators and the program's own phases of another one. NULL: an
 * error. */
static berth_pattern_t *empty_like(const berth_pattern_t *p, berth_error_t *err)
{
  int rc = BERTH_OK;
  size_t n_phases, n_comms;
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  const berth_comm_t *comms = berth_pattern_comms(p, &n_comms);
  berth_pattern_t *q = berth_pattern_new(berth_pattern_ranks(p), err);
  if (!q) return NULL;
  for (size_t i = 0; i < n_phases && !rc; i++)
    if (!phases[i].collective) rc = berth_pattern_add_phase(q, &phases[i], err);
  for (size_t i = 0; i < n_comms && !rc; i++) rc = berth_pattern_add_comm(q, &comms[i], err);
  if (!rc) rc = berth_pattern_finish(q, err);
  if (!rc) return q;
  berth_pattern_free(q);
  return NULL;
}

/* Adds the costs of call k's rounds to those of try number k; call numbers begin with 1. */
static void sum_up(const berth_pattern_t *q, const berth_cost_result_t *r,
                   advice_try_t *const *try_of_call)
{
  size_t n;
  const berth_phase_t *phases = berth_pattern_phases(q, &n);
  for (size_t i = 0; i < n; i++)
    if (phases[i].collective)
      try_of_call[phases[i].collective]->cost_s += r->phases[i].repeats * r->phases[i].cost_s;
}

static int estimate(const advice_scene_t *s, const berth_pattern_t *q,
                    advice_try_t *const *try_of_call, berth_error_t *err)
{
  berth_cost_result_t result;
  berth_cost_t *cost = berth_cost_new(q, s->t, err);
  if (!cost) return err->code;
  int rc = berth_cost_explain(cost, s->model, s->pu_of_rank, 0, &result, err);
  if (!rc) sum_up(q, &result, try_of_call);
  if (!rc) berth_cost_result_clear(&result);
  berth_cost_free(cost);
  return rc;
}

/* Adds a group's calls as the MPI composes them on the placement's hosts. */
static int add_by_hosts(const advice_scene_t *s, coll_rounds_t *in, advice_try_t *t)
{
  const coll_class_t *c = t->group.first;
  int n = berth_pattern_ranks(s->p), *host = malloc((size_t)n * sizeof *host);
  if (!host) return no_memory(in->err);
  for (int r = 0; r < n; r++) host[r] = berth_topo_pu(s->t, s->pu_of_rank[r])->host;
  in->rules = s->rules;
  int rc = coll_hosts_add_rounds(in, &t->group, s->p, host, c->phase, c->calls, &t->text);
  in->rules = NULL;
  free(host);
  return rc;
}

/* Adds tries until the batch is full; *done of them were looked at. */
static int fill(const advice_scene_t *s, coll_rounds_t *in, advice_try_t *tries, size_t n,
                advice_try_t **try_of_call, size_t *done)
{
  int rc = BERTH_OK;
  for (*done = 0; *done < n && !rc && in->added < BATCH_MESSAGES; ++*done) {
    bool added = true;
    advice_try_t *t = &tries[*done];
    rc = t->by_hosts ? add_by_hosts(s, in, t)
                     : coll_rounds_add_call(in, &t->group, t->n, t->stage,
                                            in->added + ADVICE_MOST_MESSAGES, &added);
    t->cost_s = added ? 0 : NAN;
    if (!rc && added) try_of_call[in->call] = t;
  }
  return rc;
}

static int price_batch(const advice_scene_t *s, advice_try_t *tries, size_t n,
                       advice_try_t **try_of_call, size_t *done, berth_error_t *err)
{
  coll_rounds_t in;
  berth_pattern_t *q = empty_like(s->p, err);
  if (!q) return err->code;
  int rc = coll_rounds_begin(&in, q, NULL, err);
  if (!rc) rc = fill(s, &in, tries, n, try_of_call, done);
  if (!rc) rc = berth_pattern_finish(q, err);
  if (!rc) rc = estimate(s, q, try_of_call, err);
  coll_rounds_end(&in);
  berth_pattern_free(q);
  return rc;
}

int advice_price(const advice_scene_t *s, advice_try_t *tries, size_t n, berth_error_t *err)
{
  int rc = BERTH_OK;
  size_t done = 0;
  advice_try_t **try_of_call = calloc(n + 1, sizeof *try_of_call);
  if (!try_of_call) return no_memory(err);
  for (size_t i = 0; i < n && !rc; i += done)
    rc = price_batch(s, tries + i, n - i, try_of_call, &done, err);
  free(try_of_call);
  return rc;
}
