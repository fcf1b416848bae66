/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the rounds of epochs to a pattern as phases. */
#include <berth/collectives.h>
#include <berth/one_sided.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "base/text.h"
#include "collectives/coll_hosts.h"
#include "collectives/coll_rounds.h"
#include "one_sided/epoch_messages.h"
#include "pattern/phase_find.h"

enum { FENCE_STAGES = 2 * SCHEDULE_STAGES, MOST_ROUND_PHASES = 1 << 16 };

typedef struct includer {
  coll_rounds_t rounds;
  const epoch_rules_t *rules;
  coll_hosts_t *hosts;   /* ends of fences that depend on hosts; NULL: there are none */
  epoch_messages_t list; /* of an epoch */
  double too_many;       /* operations that aren't included, as epochs have too many messages */
} includer_t;

/* The epochs of a window in a phase, with the collective operations that end a fence. */
typedef struct epochs {
  epoch_group_t group;
  epoch_window_t window;
  coll_class_t call[2];
  size_t n_calls;
  uint64_t first, n; /* epochs that are alike, while they are looked at */
} epochs_t;

/* --- names --- */

static const char *const round_names[EPOCH_ROUNDS] = {
    "posts", "locks", "grants", "operations", "replies", "ends", "acknowledgements"};

/* The first operation of an epoch, by name, behind that one; NULL: there is none. */
static const char *next_operation(const epochs_t *e, const char *last)
{
  const char *next = NULL;
  for (size_t i = 0; i < e->group.n; i++) {
    const char *op = e->group.item[i].op->op;
    if (epoch_item_operations(&e->group.item[i], e->first) == 0) continue;
    if (strcmp(op, last) > 0 && (!next || strcmp(op, next) < 0)) next = op;
  }
  return next;
}

/* "MPI_Get and MPI_Put", "MPI_Accumulate, MPI_Get and 2 others" */
static void describe_operations(const epochs_t *e, char out[120])
{
  int n = 0;
  const char *first = next_operation(e, ""), *second = first ? next_operation(e, first) : NULL;
  for (const char *op = first; op; op = next_operation(e, op)) n++;
  if (n == 1)
    snprintf(out, 120, "%s", first);
  else if (n == 2)
    snprintf(out, 120, "%s and %s", first, second);
  else
    snprintf(out, 120, "%s, %s and %d other%s", first, second, n - 2, text_plural(n - 2));
}

/* "MPI_Put, window 0, fence", and which epochs if they differ. NULL: memory is out. */
static char *name_of(const epochs_t *e)
{
  char operations[120], epochs[80] = "";
  const epoch_item_t *item = e->group.item;
  describe_operations(e, operations);
  if (e->group.n_edges > 2)
    snprintf(epochs, sizeof epochs, " (epochs %llu to %llu)", (unsigned long long)e->first + 1,
             (unsigned long long)(e->first + e->n));
  return text_printf("%s, window %d%s%s%s", operations, item->win, *item->sync ? ", " : "",
                     item->sync, epochs);
}

/* --- the end of a fence --- */

static void add_call(epochs_t *e, schedule_op_t op, int64_t count)
{
  schedule_call_t call = {.op = op, .size = e->window.n, .count = count, .commutative = true};
  e->call[e->n_calls++] = (coll_class_t){.phase = e->group.item->phase,
                                         .comm = e->group.item->comm,
                                         .request = {.call = call, .element = 4}};
}

/* False: the pattern doesn't say which ranks the window has, and they must be known. */
static bool find_window(const berth_pattern_t *p, const epoch_sync_t *s, epochs_t *e)
{
  const epoch_item_t *item = e->group.item;
  e->window.ranks = coll_comm_ranks(p, item->comm);
  e->window.n = coll_comm_size(p, item->comm);
  if (s->counts) add_call(e, SCHEDULE_REDUCE_SCATTER_BLOCK, 1);
  if (s->barrier) add_call(e, SCHEDULE_BARRIER, 0);
  return e->window.n > 0 || (!s->with_all && e->n_calls == 0);
}

/* --- counting --- */

/* Counts the messages of the calls behind an epoch in *n. False: memory is out. */
static bool count_calls(includer_t *in, epochs_t *e, size_t *n)
{
  bool enough = true;
  schedule_stage_t stage[SCHEDULE_STAGES];
  for (size_t i = 0; i < e->n_calls && enough; i++) {
    const coll_group_t group = {&e->call[i], 1};
    int stages = schedule_decide(in->rounds.rules, &e->call[i].request, stage);
    if (in->hosts) *n += coll_hosts_local_messages(&group);
    for (int k = 0; k < stages && enough; k++)
      enough = coll_rounds_count(&in->rounds, &group, &stage[k], BERTH_MAX_ROUND_MESSAGES, n);
  }
  return enough;
}

static void set_epochs(epochs_t *e, size_t edge)
{
  e->first = e->group.edge[edge];
  e->n = e->group.edge[edge + 1] - e->first;
}

/* Whether all messages of the epochs may be added; *added are those that are there already, and
 * becomes all of them. */
static bool have_room(includer_t *in, epochs_t *e, size_t *added)
{
  enum { MOST_LOOKS = 1 << 28 }; /* at operations of an epoch */
  const berth_phase_t *own = pattern_phase(in->rounds.p, e->group.item->phase);
  size_t calls = 0;
  uint64_t repeats = own ? own->repeats : 1;
  uint64_t epochs = e->group.edge[e->group.n_edges - 1];
  if (e->group.n > MOST_LOOKS / e->group.n_edges ||
      (repeats > 0 && epochs > BERTH_MAX_AMOUNT / repeats) ||
      in->rounds.next_phase > INT32_MAX - MOST_ROUND_PHASES)
    return false;
  if (!count_calls(in, e, &calls)) return in->list.lost = true;
  for (size_t i = 0; i + 1 < e->group.n_edges; i++) {
    set_epochs(e, i);
    epoch_messages(in->rules, &e->group, &e->window, e->first, &in->list);
    *added += in->list.n + calls;
    if (in->list.lost) return true;
    if (in->list.too_much || *added > BERTH_MAX_ROUND_MESSAGES) return false;
  }
  return true;
}

/* --- adding --- */

static int add_round(includer_t *in, const epochs_t *e, epoch_round_t round, const char *name)
{
  int rc = BERTH_OK;
  coll_rounds_t *to = &in->rounds;
  for (size_t i = 0; i < in->list.n && !rc; i++) {
    const epoch_message_t *m = &in->list.message[i];
    if (m->round != round) continue;
    const berth_message_t message = {.phase = (int)to->next_phase,
                                     .site = m->site,
                                     .src = m->src,
                                     .dst = m->dst,
                                     .size = m->size,
                                     .count = m->count,
                                     .bytes = m->size * m->count};
    rc = berth_pattern_add_message(to->p, &message, to->err);
  }
  return rc ? rc : coll_rounds_add_phase(to, name, e->group.item->phase, e->n, 1);
}

static bool has_round(const epoch_messages_t *list, epoch_round_t round)
{
  size_t i = 0;
  while (i < list->n && list->message[i].round != round) i++;
  return i < list->n;
}

static int add_rounds(includer_t *in, const epochs_t *e, const char *name)
{
  int rc = BERTH_OK, n = 0;
  in->rounds.stage = 1;
  for (int round = 0; round < EPOCH_ROUNDS && !rc; round++) {
    if (!has_round(&in->list, (epoch_round_t)round)) continue;
    char *full = text_printf("%s, round %d: %s", name, ++n, round_names[round]);
    rc = full ? add_round(in, e, (epoch_round_t)round, full) : no_memory(in->rounds.err);
    free(full);
  }
  return rc;
}

static int add_stages(coll_rounds_t *to, const coll_group_t *g)
{
  int rc = BERTH_OK;
  schedule_stage_t stage[SCHEDULE_STAGES];
  int n = schedule_decide(to->rules, &g->first->request, stage);
  for (int i = 0; i < n && !rc; i++) {
    to->stage++;
    rc = coll_rounds_add_stage(to, g, &stage[i]);
  }
  return rc;
}

/* A collective operation behind the epoch. */
static int add_end(includer_t *in, const epochs_t *e, coll_class_t call, const char *name)
{
  const coll_group_t group = {&call, 1};
  char *op = text_printf("%s: %s", name, schedule_op_name(call.request.call.op));
  if (!op) return no_memory(in->rounds.err);
  call.op = op;
  call.calls = e->n;
  int rc = in->hosts ? coll_hosts_add_call(in->hosts, &in->rounds, &group)
                     : add_stages(&in->rounds, &group);
  free(op);
  return rc;
}

static int add_epoch(includer_t *in, const epochs_t *e)
{
  char *name = name_of(e);
  if (!name) return no_memory(in->rounds.err);
  in->rounds.call++;
  int rc = add_rounds(in, e, name);
  for (size_t i = 0; i < e->n_calls && !rc; i++) rc = add_end(in, e, e->call[i], name);
  free(name);
  return rc;
}

static int add_epochs(includer_t *in, epochs_t *e)
{
  int rc = BERTH_OK;
  size_t added = in->rounds.added;
  if (!find_window(in->rounds.p, epoch_sync_find(in->rules, e->group.item->sync), e))
    return BERTH_OK;
  bool room = have_room(in, e, &added);
  if (in->list.lost) return no_memory(in->rounds.err);
  if (!room) {
    const berth_phase_t *own = pattern_phase(in->rounds.p, e->group.item->phase);
    for (size_t i = 0; i < e->group.n; i++)
      in->too_many += (double)e->group.item[i].count * (own ? (double)own->repeats : 1);
    return BERTH_OK;
  }
  in->rounds.added = added;
  for (size_t i = 0; i + 1 < e->group.n_edges && !rc; i++) {
    set_epochs(e, i);
    epoch_messages(in->rules, &e->group, &e->window, e->first, &in->list);
    if (in->list.lost) return no_memory(in->rounds.err);
    rc = add_epoch(in, e);
  }
  for (size_t i = 0; i < e->group.n && !rc; i++)
    berth_pattern_set_rma_included(in->rounds.p, e->group.item[i].line);
  return rc;
}

static int add_groups(includer_t *in, const epoch_item_t *items, size_t n)
{
  int rc = BERTH_OK;
  for (size_t i = 0, next; i < n && !rc; i = next) {
    epochs_t e = {0};
    if (!epoch_group_of(&items[i], n - i, &e.group)) return no_memory(in->rounds.err);
    next = i + e.group.n;
    rc = add_epochs(in, &e);
    free(e.group.edge);
  }
  return rc;
}

static int include_items(includer_t *in, berth_pattern_t *p, const epoch_item_t *items, size_t n,
                         berth_error_t *err)
{
  int rc = coll_rounds_begin(&in->rounds, p, in->rules->name, err);
  if (!rc && in->rules->by_hosts && !(in->hosts = coll_hosts_new())) rc = no_memory(err);
  if (!rc) rc = add_groups(in, items, n);
  if (!rc && in->hosts) {
    rc = coll_hosts_finish(in->hosts, in->rounds.rules, p, err);
    in->hosts = NULL;
    in->rounds.rules = NULL;
  }
  if (!rc) rc = berth_pattern_finish(p, err);
  coll_hosts_free(in->hosts);
  coll_rounds_end(&in->rounds);
  free(in->list.message);
  return rc;
}

/* A pattern without such operations isn't sorted again: it may be large. */
static int include(includer_t *in, berth_pattern_t *p, berth_error_t *err)
{
  size_t n;
  epoch_item_t *items = epoch_items(p, in->rules, &n);
  if (!items) return no_memory(err);
  int rc = n > 0 ? include_items(in, p, items, n, err) : BERTH_OK;
  free(items);
  return rc;
}

int berth_one_sided_include(berth_pattern_t *p, const char *rules, double *too_many,
                            berth_error_t *err)
{
  includer_t in = {.rules = epoch_rules_find(rules)};
  if (too_many) *too_many = 0;
  if (!in.rules)
    return berth_fail(err, BERTH_USAGE,
                      "rules of one-sided operations: found '%.60s', expected %s, %s or %s", rules,
                      epoch_rules_openmpi.name, epoch_rules_mpich.name, epoch_rules_berth.name);
  int rc = include(&in, p, err);
  if (!rc) rc = berth_pattern_set_rules(p, BERTH_ONE_SIDED, rules, err);
  if (too_many) *too_many = in.too_many;
  return rc;
}
