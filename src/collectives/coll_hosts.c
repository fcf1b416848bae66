/* SPDX-License-Identifier: BSD-3-Clause */
#include "collectives/coll_hosts.h"

#include <berth/collectives.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "collectives/coll_rules.h"
#include "pattern/by_hosts.h"
#include "pattern/phase_find.h"

struct coll_hosts {
  schedule_rules_t *rules;
  size_t n, cap;
  coll_class_t *items; /* group by group; `included` is the number of the group's calls */
  size_t n_phases, cap_phases;
  int *phase; /* by group: what stands for it */
};

coll_hosts_t *coll_hosts_new(void) { return calloc(1, sizeof(coll_hosts_t)); }

void coll_hosts_free(coll_hosts_t *h)
{
  if (!h) return;
  schedule_rules_free(h->rules);
  for (size_t i = 0; i < h->n; i++) free(h->items[i].blocks);
  free(h->items);
  free(h->phase);
  free(h);
}

/* --- phases that stand for calls --- */

/* A tree takes one a rank. */
size_t coll_hosts_local_messages(const coll_group_t *g)
{
  return 2 * g->n * (size_t)g->first->request.call.size;
}

int coll_hosts_takes(coll_rounds_t *in, const coll_group_t *g, int n, const schedule_stage_t *stage,
                     bool *takes)
{
  size_t messages = in->added + coll_hosts_local_messages(g);
  *takes = schedule_is_by_hosts(in->rules, &g->first->request);
  for (int i = 0; i < n && *takes; i++)
    if (!coll_rounds_count(in, g, &stage[i], BERTH_MAX_ROUND_MESSAGES, &messages))
      return no_memory(in->err);
  *takes = *takes && messages <= BERTH_MAX_ROUND_MESSAGES;
  if (*takes) in->added = messages;
  return BERTH_OK;
}

/* Adds a class with blocks of its own. */
static bool keep_class(coll_hosts_t *h, const coll_class_t *from, int number)
{
  coll_class_t c = *from;
  const schedule_call_t *call = &c.request.call;
  c.included = number;
  c.op = schedule_op_name(call->op); /* the name given may not live as long */
  if (c.blocks) {
    size_t bytes = schedule_blocks_bytes(call->op, call->size);
    if (!(c.blocks = malloc(bytes))) return false;
    memcpy(c.blocks, from->blocks, bytes);
    c.request.call.blocks = c.blocks;
  }
  if (ARRAY_ADD(&h->items, &h->n, &h->cap, c)) return true;
  free(c.blocks);
  return false;
}

static bool keep(coll_hosts_t *h, const coll_group_t *g, int phase, int number)
{
  if (!ARRAY_ADD(&h->phase, &h->n_phases, &h->cap_phases, phase)) return false;
  for (size_t i = 0; i < g->n; i++)
    if (!keep_class(h, &g->first[i], number)) return false;
  return true;
}

int coll_hosts_add_call(coll_hosts_t *h, coll_rounds_t *in, const coll_group_t *g)
{
  char *call = coll_rounds_call_text(g);
  char *name = call ? text_printf("%s: by hosts", call) : NULL;
  free(call);
  in->call++;
  in->stage = 1;
  in->by_hosts = 1;
  int phase = (int)in->next_phase;
  int rc = name ? coll_rounds_add_phase(in, name, g->first->phase, g->first->calls, 1)
                : no_memory(in->err);
  in->by_hosts = 0;
  free(name);
  return rc || keep(h, g, phase, in->call) ? rc : no_memory(in->err);
}

/* --- their rounds --- */

/* The pieces of one communicator's call, and its ranks. */
typedef struct composed {
  schedule_hosts_t *hosts;
  schedule_pieces_t pieces;
  const int *ranks;
} composed_t;

static void clear(composed_t *c, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    schedule_pieces_clear(&c[i].pieces);
    free(c[i].hosts);
  }
  free(c);
}

static int compose(const schedule_rules_t *rules, const coll_class_t *class,
                   const berth_pattern_t *comms, const int *host_of_rank, composed_t *out,
                   berth_error_t *err)
{
  schedule_request_t q = class->request;
  int *host = malloc((size_t)q.call.size * sizeof *host);
  out->ranks = coll_comm_ranks(comms, class->comm);
  for (int i = 0; host && i < q.call.size; i++)
    host[i] = host_of_rank[out->ranks ? out->ranks[i] : i];
  if (host) out->hosts = schedule_hosts_new(q.call.size, host);
  free(host);
  if (!out->hosts) return no_memory(err);
  q.hosts = out->hosts;
  return schedule_decide_by_hosts(rules, &q, &out->pieces, err);
}

static int add_messages(coll_rounds_t *in, const composed_t *c)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < in->round.n && !rc; i++) {
    const schedule_message_t *m = &in->round.message[i];
    berth_message_t message = {.phase = (int)in->next_phase,
                               .src = c->ranks ? c->ranks[m->src] : m->src,
                               .dst = c->ranks ? c->ranks[m->dst] : m->dst,
                               .size = (uint64_t)m->n,
                               .count = 1,
                               .bytes = (uint64_t)m->n};
    rc = berth_pattern_add_message(in->p, &message, in->err);
  }
  in->added += in->round.n;
  if (rc || in->added <= SCHEDULE_MOST_MESSAGES) return rc;
  return berth_fail(in->err, BERTH_MISSING,
                    "collective operations by hosts: found more than %d messages, expected at most "
                    "as many",
                    SCHEDULE_MOST_MESSAGES);
}

/* Adds the messages of a round of all communicators, as one phase. */
static int add_round(coll_rounds_t *in, const composed_t *c, size_t n, int64_t round, int own,
                     uint64_t repeats, int64_t times)
{
  int rc = BERTH_OK, step = in->stage - 1;
  size_t before = in->added;
  for (size_t i = 0; i < n && !rc; i++) {
    if (step >= c[i].pieces.steps) continue;
    if (!schedule_step_messages(&c[i].pieces, step, round, SCHEDULE_MOST_MESSAGES, &in->round))
      return no_memory(in->err);
    rc = add_messages(in, &c[i]);
  }
  if (rc || in->added == before) return rc;
  return coll_rounds_add_phase(in, "", own, repeats, (uint64_t)times);
}

/* How many rounds the longest of the communicators has in a step; for how many of them all send the
 * same as in the given one. */
static int64_t rounds_of(const composed_t *c, size_t n, int step)
{
  int64_t most = 0;
  for (size_t i = 0; i < n; i++) {
    int64_t rounds = step < c[i].pieces.steps ? schedule_step_rounds(&c[i].pieces, step) : 0;
    if (rounds > most) most = rounds;
  }
  return most;
}

static int64_t alike(const composed_t *c, size_t n, int step, int64_t round)
{
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < n; i++) {
    if (step >= c[i].pieces.steps || round >= schedule_step_rounds(&c[i].pieces, step)) continue;
    int64_t own = schedule_step_alike(&c[i].pieces, step, round);
    if (own < least) least = own;
  }
  return least;
}

static int add_steps(coll_rounds_t *in, const composed_t *c, size_t n, int own, uint64_t repeats)
{
  int rc = BERTH_OK, steps = 0;
  for (size_t i = 0; i < n; i++)
    if (c[i].pieces.steps > steps) steps = c[i].pieces.steps;
  for (int step = 0; step < steps && !rc; step++) {
    int64_t rounds = rounds_of(c, n, step), times;
    in->stage = step + 1;
    for (int64_t round = 0; round < rounds && !rc; round += times) {
      times = alike(c, n, step, round);
      rc = add_round(in, c, n, round, own, repeats, times);
    }
  }
  return rc;
}

/* The algorithms of a call's steps, each once if it follows itself. */
static char *algorithms_of(const composed_t *c)
{
  const schedule_pieces_t *p = &c->pieces;
  char *text = strdup("");
  const char *last = "";
  for (size_t i = 0; i < p->n && text; i++) {
    const char *name = p->piece[i].stage.algorithm->name;
    if (strcmp(name, last) == 0) continue;
    char *longer = text_printf("%s%s%s", text, *text ? " + " : "", name);
    free(text);
    text = longer;
    last = name;
  }
  return text;
}

int coll_hosts_add_rounds(coll_rounds_t *in, const coll_group_t *g, const berth_pattern_t *comms,
                          const int *host_of_rank, int own, uint64_t repeats, char **text)
{
  int rc = BERTH_OK;
  composed_t *c = calloc(g->n, sizeof *c);
  if (!c) return no_memory(in->err);
  for (size_t i = 0; i < g->n && !rc; i++)
    rc = compose(in->rules, &g->first[i], comms, host_of_rank, &c[i], in->err);
  in->call++;
  if (!rc) rc = add_steps(in, c, g->n, own, repeats);
  if (!rc && text && !(*text = algorithms_of(&c[0]))) rc = no_memory(in->err);
  clear(c, g->n);
  return rc;
}

/* --- the source of a pattern's rounds --- */

static int add_groups(const coll_hosts_t *h, const berth_pattern_t *comms, const int *host_of_rank,
                      coll_rounds_t *in)
{
  int rc = BERTH_OK;
  size_t end, group = 0;
  for (size_t i = 0; i < h->n && !rc; i = end, group++) {
    for (end = i; end < h->n && h->items[end].included == h->items[i].included;) end++;
    const coll_group_t g = {&h->items[i], end - i};
    if (!pattern_phase(comms, h->phase[group])) continue; /* it is a part of the whole pattern */
    rc = coll_hosts_add_rounds(in, &g, comms, host_of_rank, h->phase[group], 1, NULL);
  }
  return rc;
}

static int add_to(const void *source, const berth_pattern_t *p, const int *host_of_rank,
                  berth_pattern_t *to, berth_error_t *err)
{
  const coll_hosts_t *h = source;
  coll_rounds_t in;
  int rc = coll_rounds_begin(&in, to, NULL, err);
  if (rc) return rc;
  in.rules = h->rules;
  rc = add_groups(h, p, host_of_rank, &in);
  in.rules = NULL;
  coll_rounds_end(&in);
  return rc;
}

static void free_source(void *source) { coll_hosts_free(source); }

int coll_hosts_finish(coll_hosts_t *h, schedule_rules_t *rules, berth_pattern_t *p,
                      berth_error_t *err)
{
  h->rules = rules;
  return pattern_set_by_hosts(p, (by_hosts_t){h, add_to, free_source}, err);
}
