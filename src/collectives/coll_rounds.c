/* SPDX-License-Identifier: BSD-3-Clause */
#include "collectives/coll_rounds.h"

#include <berth/collectives.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "collectives/coll_rules.h"
#include "pattern/phase_find.h"

/* Calls that were added before have numbers, too. */
static int last_call(const berth_phase_t *phases, size_t n)
{
  int last = 0;
  for (size_t i = 0; i < n; i++)
    if (phases[i].collective > last) last = phases[i].collective;
  return last;
}

int coll_rounds_begin(coll_rounds_t *in, berth_pattern_t *p, const char *rules, berth_error_t *err)
{
  size_t n;
  const berth_phase_t *phases = berth_pattern_phases(p, &n);
  *in = (coll_rounds_t){.p = p,
                        .next_phase = (int64_t)phases[n - 1].id + 1,
                        .call = last_call(phases, n),
                        .err = err};
  return rules ? coll_rules_load_for(p, rules, 0, &in->rules, err) : BERTH_OK;
}

void coll_rounds_end(coll_rounds_t *in)
{
  free(in->round.message);
  schedule_rules_free(in->rules);
  *in = (coll_rounds_t){0};
}

int coll_rounds_add_phase(coll_rounds_t *in, const char *name, int own, uint64_t repeats,
                          uint64_t times)
{
  const berth_phase_t *phase = pattern_phase(in->p, own);
  if (in->next_phase > INT32_MAX)
    return berth_fail(
        in->err, BERTH_BAD_INPUT,
        "collective operations: found phase %d, expected numbers above the phases for "
        "their rounds",
        INT32_MAX);
  bool too_often = __builtin_mul_overflow(phase ? phase->repeats : 1, repeats, &repeats) ||
                   __builtin_mul_overflow(repeats, times, &repeats);
  const berth_phase_t added = {.id = (int)in->next_phase,
                               .name = name,
                               .repeats = too_often ? UINT64_MAX : repeats,
                               .collective = in->call,
                               .more_of = in->more_of,
                               .stage = in->stage,
                               .rounds = times,
                               .of_phase = own,
                               .by_hosts = in->by_hosts};
  int rc = berth_pattern_add_phase(in->p, &added, in->err);
  in->next_phase++;
  return rc;
}

static int add_messages(coll_rounds_t *in, const coll_class_t *c, int64_t element)
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

char *coll_rounds_call_text(const coll_group_t *g)
{
  char bytes[64], beside[48] = "";
  const coll_class_t *c = g->first;
  if (g->n > 1) snprintf(beside, sizeof beside, " on %zu communicators", g->n);
  describe_bytes(c, bytes);
  return text_printf("%s of %s, %d ranks%s", c->op, bytes, c->request.call.size, beside);
}

static char *name_of(const coll_group_t *g, const schedule_stage_t *s, int64_t round)
{
  char *call = coll_rounds_call_text(g);
  char *name =
      call ? text_printf("%s: %s, round %lld", call, s->algorithm->name, (long long)round + 1)
           : NULL;
  free(call);
  return name;
}

int coll_rounds_name_phase(coll_rounds_t *in, const coll_group_t *g, const schedule_stage_t *s,
                           int64_t round, int64_t times)
{
  char *name = name_of(g, s, round);
  if (!name) return no_memory(in->err);
  int rc = coll_rounds_add_phase(in, name, g->first->phase, g->first->calls, (uint64_t)times);
  free(name);
  return rc;
}

int coll_rounds_add_round(coll_rounds_t *in, const coll_group_t *g, schedule_walk_t *walk,
                          int64_t round, int64_t times)
{
  int rc = BERTH_OK;
  const schedule_stage_t *s = walk->stage;
  if (!schedule_walk_messages(walk, round, BERTH_MAX_ROUND_MESSAGES, &in->round))
    return no_memory(in->err);
  if (in->round.n == 0) return BERTH_OK;
  if (in->next_phase <= INT32_MAX)
    for (size_t i = 0; i < g->n && !rc; i++) rc = add_messages(in, &g->first[i], s->element);
  return rc ? rc : coll_rounds_name_phase(in, g, s, round, times);
}

int coll_rounds_add_stage(coll_rounds_t *in, const coll_group_t *g, const schedule_stage_t *s)
{
  int64_t times;
  schedule_walk_t walk;
  int rc = schedule_walk_begin(&walk, s) ? BERTH_OK : no_memory(in->err);
  for (int64_t i = 0; i < walk.rounds && !rc; i += times) {
    times = schedule_alike(s->algorithm, &s->call, i);
    rc = coll_rounds_add_round(in, g, &walk, i, times);
  }
  schedule_walk_clear(&walk);
  return rc;
}

bool coll_rounds_count(coll_rounds_t *in, const coll_group_t *g, const schedule_stage_t *s,
                       size_t most, size_t *n)
{
  schedule_walk_t walk;
  bool room = schedule_walk_begin(&walk, s);
  for (int64_t i = 0; i < walk.rounds && *n <= most && room;
       i += schedule_alike(s->algorithm, &s->call, i)) {
    room = schedule_walk_messages(&walk, i, most, &in->round);
    *n += walk.looked > COLL_MOST_LOOKS ? most + 1 : in->round.n * g->n;
  }
  schedule_walk_clear(&walk);
  return room;
}

int coll_rounds_add_call(coll_rounds_t *in, const coll_group_t *g, int n,
                         const schedule_stage_t *stage, size_t most, bool *added)
{
  int rc = BERTH_OK;
  size_t messages = in->added;
  for (int i = 0; i < n; i++)
    if (!coll_rounds_count(in, g, &stage[i], most, &messages)) return no_memory(in->err);
  *added = messages <= most;
  if (!*added) return BERTH_OK;
  in->added = messages;
  in->call++;
  for (int i = 0; i < n && !rc; i++) {
    in->stage = i + 1;
    rc = coll_rounds_add_stage(in, g, &stage[i]);
  }
  return rc;
}
