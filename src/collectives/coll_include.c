/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the rounds of collective calls to a pattern as phases. */
#include <berth/collectives.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "collectives/coll_class.h"
#include "pattern/phase_find.h"
#include "schedule/schedule_round.h"

typedef struct includer {
  berth_pattern_t *p;
  const schedule_rules_t *rules;
  int64_t next_phase;
  int call;        /* the number of the group, from 1 */
  int stage;       /* of the call, from 1 */
  size_t added;    /* messages */
  double too_many; /* calls that aren't included, as they have too many messages */
  schedule_messages_t round;
  berth_error_t *err;
} includer_t;

/* Classes of one group: equal calls on communicators without a common rank. */
typedef struct group {
  coll_class_t *first;
  size_t n;
} group_t;

static int add_messages(includer_t *in, const coll_class_t *c, int64_t element)
{
  int rc = BERTH_OK;
  const int *ranks = coll_comm_ranks(in->p, c->comm);
  for (size_t i = 0; i < in->round.n && !rc; i++) {
    const schedule_message_t *m = &in->round.message[i];
    uint64_t bytes = (uint64_t)(m->n * element);
    berth_message_t message = {.phase = (int)in->next_phase,
                               .src = ranks ? ranks[m->src] : m->src,
                               .dst = ranks ? ranks[m->dst] : m->dst,
                               .size = bytes,
                               .count = 1,
                               .bytes = bytes};
    rc = berth_pattern_add_message(in->p, &message, in->err);
  }
  return rc;
}

/* The bytes of a call as people read them: those of a block, or of all blocks that differ. */
static void describe_bytes(const coll_class_t *c, char out[64])
{
  char bytes[TEXT_NUMBER];
  const schedule_call_t *call = &c->request.call;
  double elements = c->blocks ? (double)c->blocks->total : (double)call->count;
  snprintf(out, 64, "%s%s", text_bytes(elements * (double)c->request.element, bytes),
           c->blocks ? " in all blocks" : "");
}

/* The phase of a round that occurs so often in each call. */
static int add_phase(includer_t *in, const group_t *g, const schedule_stage_t *s, int64_t round,
                     int64_t times)
{
  char bytes[64], beside[48] = "";
  const coll_class_t *c = g->first;
  const berth_phase_t *own = pattern_phase(in->p, c->phase);
  uint64_t repeats = own ? own->repeats : 1;
  if (g->n > 1) snprintf(beside, sizeof beside, " on %zu communicators", g->n);
  describe_bytes(c, bytes);
  char *name = text_printf("%s of %s, %d ranks%s: %s, round %lld", c->op, bytes,
                           c->request.call.size, beside, s->algorithm->name, (long long)round + 1);
  if (!name) return no_memory(in->err);
  bool too_often = __builtin_mul_overflow(repeats, c->calls, &repeats) ||
                   __builtin_mul_overflow(repeats, (uint64_t)times, &repeats);
  berth_phase_t phase = {.id = (int)in->next_phase,
                         .name = name,
                         .repeats = too_often ? UINT64_MAX : repeats,
                         .collective = in->call,
                         .stage = in->stage,
                         .rounds = (uint64_t)times};
  int rc = berth_pattern_add_phase(in->p, &phase, in->err);
  free(name);
  return rc;
}

static int add_round(includer_t *in, const group_t *g, const schedule_stage_t *s, int64_t round,
                     int64_t times)
{
  if (!schedule_round_messages(s, round, BERTH_MAX_ROUND_MESSAGES, &in->round))
    return no_memory(in->err);
  if (in->round.n == 0) return BERTH_OK;
  if (in->next_phase > INT32_MAX)
    return berth_fail(
        in->err, BERTH_BAD_INPUT,
        "collective operations: found phase %d, expected numbers above the phases for "
        "their rounds",
        INT32_MAX);
  int rc = add_phase(in, g, s, round, times);
  for (size_t i = 0; i < g->n && !rc; i++) rc = add_messages(in, &g->first[i], s->element);
  in->next_phase++;
  return rc;
}

static int add_stage(includer_t *in, const group_t *g, const schedule_stage_t *s)
{
  int rc = BERTH_OK;
  int64_t rounds = s->algorithm->rounds(&s->call), times;
  for (int64_t i = 0; i < rounds && !rc; i += times) {
    times = schedule_alike(s->algorithm, &s->call, i);
    rc = add_round(in, g, s, i, times);
  }
  return rc;
}

/* Counts a stage's messages in *n, and stops above the limit. False: memory is out. */
static bool count_messages(includer_t *in, const group_t *g, const schedule_stage_t *s, size_t *n)
{
  int64_t rounds = s->algorithm->rounds(&s->call);
  for (int64_t i = 0; i < rounds && *n <= BERTH_MAX_ROUND_MESSAGES;
       i += schedule_alike(s->algorithm, &s->call, i)) {
    if (!schedule_round_messages(s, i, BERTH_MAX_ROUND_MESSAGES, &in->round)) return false;
    *n += in->round.n * g->n;
  }
  return true;
}

/* Adds all stages of a group's calls, unless they have too many messages. */
static int add_stages(includer_t *in, const group_t *g, int n, const schedule_stage_t *stage)
{
  int rc = BERTH_OK;
  size_t added = in->added;
  const berth_phase_t *own = pattern_phase(in->p, g->first->phase);
  for (int i = 0; i < n; i++)
    if (!count_messages(in, g, &stage[i], &added)) return no_memory(in->err);
  if (added > BERTH_MAX_ROUND_MESSAGES) {
    in->too_many += (double)g->first->calls * (double)g->n * (own ? (double)own->repeats : 1);
    return BERTH_OK;
  }
  in->added = added;
  in->call++;
  for (int i = 0; i < n && !rc; i++) {
    in->stage = i + 1;
    rc = add_stage(in, g, &stage[i]);
  }
  for (size_t i = 0; i < g->n; i++) g->first[i].included = true;
  return rc;
}

static int add_group(includer_t *in, const group_t *g)
{
  schedule_stage_t stage[SCHEDULE_STAGES];
  int n = schedule_decide(in->rules, &g->first->request, stage);
  return n < 0 ? BERTH_OK : add_stages(in, g, n, stage);
}

static int add_groups(includer_t *in, coll_class_t *c, size_t n)
{
  int rc = BERTH_OK;
  for (size_t i = 0, k; i < n && !rc; i = k) {
    for (k = i + 1; k < n && c[k].group == c[i].group; k++) {
    }
    rc = add_group(in, &(group_t){&c[i], k - i});
  }
  return rc;
}

int berth_collectives_include(berth_pattern_t *p, const char *rules, double *too_many,
                              berth_error_t *err)
{
  size_t n;
  int nearest;
  schedule_rules_t *loaded = NULL;
  if (too_many) *too_many = 0;
  if (strcmp(rules, "auto") == 0) rules = berth_collectives_rules(berth_pattern_mpi(p), &nearest);
  if (!rules) return BERTH_OK;
  int rc = schedule_rules_load(rules, &loaded, err);
  if (rc) return rc;
  const berth_phase_t *phases = berth_pattern_phases(p, &n);
  includer_t in = {
      .p = p, .rules = loaded, .next_phase = (int64_t)phases[n - 1].id + 1, .err = err};
  coll_class_t *classes = coll_classes(p, &n, err);
  rc = classes ? add_groups(&in, classes, n) : BERTH_MISSING;
  if (!rc) rc = coll_classes_mark(classes, n, p, err);
  if (!rc) rc = berth_pattern_finish(p, err);
  if (too_many) *too_many = in.too_many;
  coll_classes_free(classes, n);
  free(in.round.message);
  schedule_rules_free(loaded);
  return rc;
}
