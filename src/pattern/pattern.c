/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds patterns: additions, their checks, berth_pattern_finish, and access to the lists. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "pattern/message_merge.h"
#include "pattern/pattern_check.h"
#include "pattern/pattern_internal.h"
#include "pattern/pattern_packed.h"
#include "pattern/pattern_time.h"
#include "pattern/phase_find.h"

berth_pattern_t *berth_pattern_new(int ranks, berth_error_t *err)
{
  if (ranks < 1 || ranks > BERTH_MAX_RANKS) {
    berth_fail(err, BERTH_BAD_INPUT, "found %d ranks, expected 1 to %d", ranks, BERTH_MAX_RANKS);
    return NULL;
  }
  berth_pattern_t *p = calloc(1, sizeof *p);
  if (!p) return no_memory_null(err);
  p->ranks = ranks;
  p->mpi = p->created = "";
  for (int i = 0; i < BERTH_N_OPERATIONS; i++) p->rules[i] = "";
  return p;
}

void berth_pattern_free(berth_pattern_t *p)
{
  if (!p) return;
  free(p->rank);
  free(p->rank_known);
  free(p->phases.items);
  free(p->sites.items);
  free(p->comms.items);
  free(p->colls.items);
  free(p->rows.items);
  free(p->rmas.items);
  free(p->unmodelled.items);
  free(p->parameters.items);
  free(p->grids.items);
  free(p->times.items);
  free(p->packed.items);
  free(p->orders.items);
  free(p->operations.items);
  free(p->messages.items);
  free(p->dense.items);
  free(p->phase_start);
  for (int i = 0; i < p->n_by_hosts; i++) p->by_hosts[i].free(p->by_hosts[i].source);
  arena_free(&p->arena);
  free(p);
}

static int check_rank(const berth_pattern_t *p, int rank, const char *what, berth_error_t *err)
{
  return pattern_check((uint64_t)rank, (uint64_t)p->ranks - 1, what, err);
}

static int check_ids(int phase, int site, berth_error_t *err)
{
  int rc = pattern_check((uint64_t)phase, INT32_MAX, "phase", err);
  return rc ? rc : pattern_check((uint64_t)site, INT32_MAX, "site", err);
}

int berth_pattern_set_command(berth_pattern_t *p, size_t argc, const char *const *argv,
                              berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < argc && !rc; i++) rc = pattern_check_any_text(argv[i], "word", err);
  if (rc) return rc;
  p->argv = arena_strings(&p->arena, argc, argv);
  p->argc = p->argv ? argc : 0;
  return p->argv ? BERTH_OK : no_memory(err);
}

int berth_pattern_set_origin(berth_pattern_t *p, const char *mpi, const char *created,
                             berth_error_t *err)
{
  int rc = pattern_check_text(mpi, "MPI", err);
  if (!rc) rc = pattern_check_text(created, "date", err);
  if (rc) return rc;
  char *m = arena_strdup(&p->arena, mpi), *c = arena_strdup(&p->arena, created);
  if (!m || !c) return no_memory(err);
  p->mpi = m;
  p->created = c;
  return BERTH_OK;
}

/* Copies a host name. Consecutive ranks are usually on one host, so the previous copy often
 * serves. */
static const char *intern_host(berth_pattern_t *p, int rank, const char *host)
{
  if (rank > 0 && p->rank_known[rank - 1] && strcmp(p->rank[rank - 1].host, host) == 0)
    return p->rank[rank - 1].host;
  return arena_strdup(&p->arena, host);
}

int berth_pattern_set_rank(berth_pattern_t *p, int rank, const berth_rank_info_t *info,
                           berth_error_t *err)
{
  int rc = check_rank(p, rank, "rank", err);
  if (rc) return rc;
  if (!p->rank) p->rank = budget_calloc((size_t)p->ranks, sizeof *p->rank);
  if (!p->rank_known) p->rank_known = budget_calloc((size_t)p->ranks, sizeof *p->rank_known);
  if (!p->rank || !p->rank_known) return no_memory(err);
  if (p->rank_known[rank])
    return berth_fail(err, BERTH_BAD_INPUT, "found rank %d a second time", rank);
  rc = pattern_check_rank_info(info, err);
  if (rc) return rc;
  const char *host = intern_host(p, rank, info->host);
  if (!host) return no_memory(err);
  p->rank[rank] = *info;
  p->rank[rank].host = host;
  p->rank_known[rank] = true;
  p->ranks_known++;
  return BERTH_OK;
}

int berth_pattern_add_phase(berth_pattern_t *p, const berth_phase_t *phase, berth_error_t *err)
{
  int rc = check_ids(phase->id, 0, err);
  if (!rc) rc = pattern_check_text(phase->name, "phase name", err);
  if (!rc) rc = pattern_check(phase->repeats, BERTH_MAX_AMOUNT, "repeats", err);
  if (rc) return rc;
  p->finished = false;
  char *name = arena_strdup(&p->arena, phase->name);
  if (!name || !ARRAY_GROW(&p->phases.items, p->phases.n, &p->phases.cap)) return no_memory(err);
  berth_phase_t *copy = &p->phases.items[p->phases.n++];
  *copy = *phase;
  copy->name = name;
  return BERTH_OK;
}

int berth_pattern_add_site(berth_pattern_t *p, const berth_site_t *site, berth_error_t *err)
{
  int rc = check_ids(0, site->id, err);
  if (!rc) rc = pattern_check_text(site->op, "operation", err);
  for (size_t i = 0; i < site->n_frames && !rc; i++)
    rc = pattern_check_any_text(site->frames[i], "frame", err);
  if (rc) return rc;
  p->finished = false;
  berth_site_t copy = {site->id, arena_strdup(&p->arena, site->op), site->n_frames,
                       arena_strings(&p->arena, site->n_frames, site->frames)};
  if (!copy.op || !copy.frames || !ARRAY_GROW(&p->sites.items, p->sites.n, &p->sites.cap))
    return no_memory(err);
  p->sites.items[p->sites.n++] = copy;
  return BERTH_OK;
}

int berth_pattern_add_comm(berth_pattern_t *p, const berth_comm_t *comm, berth_error_t *err)
{
  int rc = pattern_check((uint64_t)comm->id, INT32_MAX, "communicator", err);
  if (!rc && comm->id == 0)
    rc = berth_fail(err, BERTH_BAD_INPUT, "found communicator 0, expected at least 1");
  for (size_t i = 0; !rc && i < comm->n_ranks; i++) rc = check_rank(p, comm->ranks[i], "rank", err);
  if (!rc && comm->border && comm->border >= comm->n_ranks)
    rc = berth_fail(err, BERTH_BAD_INPUT,
                    "border: found %zu, expected less than %zu, the ranks of both groups",
                    comm->border, comm->n_ranks);
  if (rc) return rc;
  p->finished = false;
  int *ranks = arena_copy(&p->arena, comm->ranks, comm->n_ranks * sizeof *ranks);
  if (!ranks || !ARRAY_GROW(&p->comms.items, p->comms.n, &p->comms.cap)) return no_memory(err);
  p->comms.items[p->comms.n++] = (berth_comm_t){comm->id, comm->n_ranks, ranks, comm->border};
  return BERTH_OK;
}

/* Refuses counts, sizes and bytes that the format can't hold exactly. */
static int check_amount(const berth_message_t *m, berth_error_t *err)
{
  const uint64_t limit = BERTH_MAX_AMOUNT;
  int rc = pattern_check(m->size, limit, "message size", err);
  if (!rc) rc = pattern_check(m->count, limit, "message count", err);
  if (!rc && m->size && m->count > limit / m->size)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "found %llu messages of %llu bytes, expected at most 2^53 bytes in all",
                      (unsigned long long)m->count, (unsigned long long)m->size);
  return rc ? rc : pattern_check(m->bytes, limit, "bytes", err);
}

int berth_pattern_add_message(berth_pattern_t *p, const berth_message_t *m, berth_error_t *err)
{
  int rc = check_ids(m->phase, m->site, err);
  if (!rc) rc = check_rank(p, m->src, "source rank", err);
  if (!rc) rc = check_rank(p, m->dst, "destination rank", err);
  if (!rc) rc = check_amount(m, err);
  if (rc || m->count == 0) return rc;
  p->finished = false;
  if (message_merge_is_due(p->messages.n, p->messages.cap, p->merged))
    p->merged = p->messages.n = message_merge(p->messages.items, p->messages.n);
  if (!ARRAY_ADD(&p->messages.items, &p->messages.n, &p->messages.cap, *m)) return no_memory(err);
  return BERTH_OK;
}

int berth_pattern_add_coll(berth_pattern_t *p, const berth_coll_t *coll, berth_error_t *err)
{
  int rc = check_ids(coll->phase, coll->site, err);
  if (!rc) rc = pattern_check((uint64_t)coll->comm, INT32_MAX, "communicator", err);
  if (!rc && coll->root != -1) rc = check_rank(p, coll->root, "root", err);
  if (!rc) rc = pattern_check_text(coll->op, "operation", err);
  if (!rc) rc = pattern_check(coll->bytes, BERTH_MAX_AMOUNT, "bytes", err);
  if (!rc) rc = pattern_check(coll->count, BERTH_MAX_AMOUNT, "calls", err);
  if (!rc) rc = pattern_check(coll->element, BERTH_MAX_AMOUNT, "bytes of an element", err);
  if (rc) return rc;
  p->finished = false;
  berth_coll_t copy = *coll;
  rc = pattern_copy_shares(p, copy.n_shares, &copy.shares, err);
  if (rc) return rc;
  copy.op = arena_strdup(&p->arena, coll->op);
  if (!copy.op || !ARRAY_GROW(&p->colls.items, p->colls.n, &p->colls.cap)) return no_memory(err);
  p->colls.items[p->colls.n++] = copy;
  return BERTH_OK;
}

int berth_pattern_add_rma(berth_pattern_t *p, const berth_rma_t *rma, berth_error_t *err)
{
  int rc = check_ids(rma->phase, rma->site, err);
  if (!rc) rc = check_rank(p, rma->src, "source rank", err);
  for (size_t i = 0; !rc && i < rma->n_msgs; i++) {
    rc = check_rank(p, rma->msgs[i].dst, "target rank", err);
    if (!rc) rc = check_amount(&rma->msgs[i], err);
  }
  if (!rc) rc = pattern_check((uint64_t)rma->win, INT32_MAX, "window", err);
  if (!rc) rc = pattern_check((uint64_t)rma->comm, INT32_MAX, "communicator", err);
  if (!rc) rc = pattern_check(rma->epochs, BERTH_MAX_AMOUNT, "epochs", err);
  if (!rc) rc = pattern_check_text(rma->sync, "synchronisation", err);
  if (!rc) rc = pattern_check_text(rma->op, "operation", err);
  if (rc) return rc;
  p->finished = false;
  berth_rma_t copy = *rma;
  copy.sync = arena_strdup(&p->arena, rma->sync);
  copy.op = arena_strdup(&p->arena, rma->op);
  copy.msgs = arena_copy(&p->arena, rma->msgs, rma->n_msgs * sizeof *rma->msgs);
  if (!copy.sync || !copy.op || !copy.msgs || !ARRAY_GROW(&p->rmas.items, p->rmas.n, &p->rmas.cap))
    return no_memory(err);
  p->rmas.items[p->rmas.n++] = copy;
  return BERTH_OK;
}

int berth_pattern_add_unmodelled(berth_pattern_t *p, const berth_unmodelled_t *calls,
                                 berth_error_t *err)
{
  int rc = pattern_check(calls->calls, BERTH_MAX_AMOUNT, "calls", err);
  if (!rc) rc = pattern_check_text(calls->op, "function", err);
  if (rc) return rc;
  p->finished = false;
  const char *op = arena_strdup(&p->arena, calls->op);
  if (!op || !ARRAY_GROW(&p->unmodelled.items, p->unmodelled.n, &p->unmodelled.cap))
    return no_memory(err);
  p->unmodelled.items[p->unmodelled.n++] = (berth_unmodelled_t){op, calls->calls};
  return BERTH_OK;
}

ORDER_BY(phase_order, berth_phase_t, RISING(id))
ORDER_BY(site_order, berth_site_t, RISING(id))
ORDER_BY(comm_order, berth_comm_t, RISING(id))
ORDER_BY(dense_order, dense_phase_t, RISING(phase))

ORDER_BY(coll_order, berth_coll_t,
         RISING(phase) RISING(comm) RISING(site) RISING_TEXT(op) RISING(bytes) RISING(root)
             RISING(user_operation) RISING(uncommutative))

ORDER_BY(rma_order, berth_rma_t,
         RISING(phase) RISING(src) RISING(win) RISING(site) RISING_TEXT(op) RISING_TEXT(sync))

ORDER_BY(unmodelled_order, berth_unmodelled_t, RISING_TEXT(op))

/* qsort refuses NULL, which an empty list may be. */
static void sort(void *items, size_t n, size_t size, int (*order)(const void *, const void *))
{
  if (n > 1) qsort(items, n, size, order);
}

static int merge_messages(berth_pattern_t *p, berth_error_t *err)
{
  berth_message_t *m = p->messages.items;
  p->messages.n = message_merge(m, p->messages.n);
  for (size_t i = 0; i < p->messages.n; i++) {
    berth_message_t sum = m[i];
    if (i > 0 && message_order(&m[i - 1], &m[i]) == 0) { /* merging them would exceed the limit */
      sum.count += m[i - 1].count;
      sum.bytes += m[i - 1].bytes;
    }
    int rc = check_amount(&sum, err);
    if (rc) return rc;
  }
  return BERTH_OK;
}

static int merge_unmodelled(berth_pattern_t *p, berth_error_t *err)
{
  berth_unmodelled_t *u = p->unmodelled.items;
  size_t kept = 0;
  sort(u, p->unmodelled.n, sizeof *u, unmodelled_order);
  for (size_t i = 0; i < p->unmodelled.n; i++) {
    if (kept && strcmp(u[kept - 1].op, u[i].op) == 0)
      u[kept - 1].calls += u[i].calls;
    else
      u[kept++] = u[i];
    int rc = pattern_check(u[kept - 1].calls, BERTH_MAX_AMOUNT, "calls", err);
    if (rc) return rc;
  }
  p->unmodelled.n = kept;
  return BERTH_OK;
}

/* Adds the phases that messages name without a line of their own: no name, one occurrence. */
static int add_missing_phases(berth_pattern_t *p, berth_error_t *err)
{
  size_t k = 0, lines = p->phases.n;
  int last = -1;
  for (size_t i = 0; i < p->messages.n; i++) {
    int id = p->messages.items[i].phase;
    if (id == last) continue;
    last = id;
    while (k < lines && p->phases.items[k].id < id) k++;
    berth_phase_t unnamed = {id, "", 1};
    int rc = k < lines && p->phases.items[k].id == id ? BERTH_OK
                                                      : berth_pattern_add_phase(p, &unnamed, err);
    if (rc) return rc;
  }
  berth_phase_t only = {0, "", 1};
  return p->phases.n ? BERTH_OK : berth_pattern_add_phase(p, &only, err);
}

static int index_phases(berth_pattern_t *p, berth_error_t *err)
{
  free(p->phase_start);
  p->phase_start = malloc((p->phases.n + 1) * sizeof *p->phase_start);
  if (!p->phase_start) return no_memory(err);
  size_t i = 0;
  for (size_t k = 0; k < p->phases.n; k++) {
    p->phase_start[k] = i;
    while (i < p->messages.n && p->messages.items[i].phase == p->phases.items[k].id) i++;
  }
  p->phase_start[p->phases.n] = i;
  return BERTH_OK;
}

/* Refuses two entries of one identity in a sorted list. */
#define CHECK_UNIQUE(list, what)                                                                   \
  for (size_t i = 1; i < (list).n; i++)                                                            \
    if ((list).items[i].id == (list).items[i - 1].id)                                              \
      return berth_fail(err, BERTH_BAD_INPUT, "found " what " %d a second time",                   \
                        (list).items[i].id);

void berth_pattern_set_included(berth_pattern_t *p, size_t coll, int collective)
{
  p->colls.items[coll].included = collective;
}

void berth_pattern_set_rma_included(berth_pattern_t *p, size_t rma)
{
  p->rmas.items[rma].included = 1;
}

int berth_pattern_set_rules(berth_pattern_t *p, berth_operations_t of, const char *rules,
                            berth_error_t *err)
{
  int rc = pattern_check_text(rules, "rules", err);
  const char *copy = rc ? NULL : arena_strdup(&p->arena, rules);
  if (copy) p->rules[of] = copy;
  return rc || copy ? rc : no_memory(err);
}

int berth_pattern_finish(berth_pattern_t *p, berth_error_t *err)
{
  p->finished = false;
  sort(p->phases.items, p->phases.n, sizeof *p->phases.items, phase_order);
  sort(p->sites.items, p->sites.n, sizeof *p->sites.items, site_order);
  sort(p->comms.items, p->comms.n, sizeof *p->comms.items, comm_order);
  sort(p->colls.items, p->colls.n, sizeof *p->colls.items, coll_order);
  sort(p->rmas.items, p->rmas.n, sizeof *p->rmas.items, rma_order);
  sort(p->dense.items, p->dense.n, sizeof *p->dense.items, dense_order);
  CHECK_UNIQUE(p->phases, "phase")
  CHECK_UNIQUE(p->sites, "site")
  CHECK_UNIQUE(p->comms, "communicator")
  int rc = merge_messages(p, err);
  if (!rc) rc = merge_unmodelled(p, err);
  if (!rc) rc = pattern_finish_times(p, err);
  if (!rc) rc = pattern_finish_packed(p, err);
  if (!rc) rc = pattern_finish_shares(p, err);
  if (!rc) rc = pattern_finish_orders(p, err);
  if (!rc) rc = add_missing_phases(p, err);
  sort(p->phases.items, p->phases.n, sizeof *p->phases.items, phase_order);
  if (!rc) rc = index_phases(p, err);
  p->finished = !rc;
  return rc;
}

int berth_pattern_ranks(const berth_pattern_t *p) { return p->ranks; }
const char *berth_pattern_mpi(const berth_pattern_t *p) { return p->mpi; }
const char *berth_pattern_rules(const berth_pattern_t *p, berth_operations_t of)
{
  return p->rules[of];
}
const char *berth_operations_name(berth_operations_t of)
{
  return of == BERTH_COLLECTIVES ? "collectives" : "one_sided";
}
const char *berth_pattern_created(const berth_pattern_t *p) { return p->created; }

const char *const *berth_pattern_command(const berth_pattern_t *p, size_t *n)
{
  *n = p->argc;
  return p->argv;
}

#define LOOK(name, type, list)                                                                     \
  const type *name(const berth_pattern_t *p, size_t *n)                                            \
  {                                                                                                \
    *n = p->list.n;                                                                                \
    return p->list.items;                                                                          \
  }
LOOK(berth_pattern_phases, berth_phase_t, phases)
LOOK(berth_pattern_sites, berth_site_t, sites)
LOOK(berth_pattern_comms, berth_comm_t, comms)
LOOK(berth_pattern_colls, berth_coll_t, colls)
LOOK(berth_pattern_rows, berth_row_t, rows)
LOOK(berth_pattern_rmas, berth_rma_t, rmas)
LOOK(berth_pattern_unmodelled, berth_unmodelled_t, unmodelled)
LOOK(berth_pattern_parameters, berth_parameter_t, parameters)
LOOK(berth_pattern_grids, berth_grid_t, grids)
LOOK(berth_pattern_orders, berth_order_t, orders)

const berth_message_t *berth_pattern_messages(const berth_pattern_t *p, size_t phase, size_t *n)
{
  *n = p->finished ? p->phase_start[phase + 1] - p->phase_start[phase] : 0;
  return *n ? p->messages.items + p->phase_start[phase] : NULL;
}

size_t pattern_n_messages(const berth_pattern_t *p) { return p->messages.n; }

#define FIND(name, type, list, order)                                                              \
  const type *name(const berth_pattern_t *p, int id)                                               \
  {                                                                                                \
    type key = {.id = id};                                                                         \
    return p->list.n ? bsearch(&key, p->list.items, p->list.n, sizeof key, order) : NULL;          \
  }
FIND(berth_pattern_site, berth_site_t, sites, site_order)
FIND(pattern_phase, berth_phase_t, phases, phase_order)
FIND(pattern_comm, berth_comm_t, comms, comm_order)

const berth_rank_info_t *berth_pattern_rank(const berth_pattern_t *p, int rank)
{
  return p->rank_known && p->rank_known[rank] ? &p->rank[rank] : NULL;
}

/* A time, given by its place in berth_rank_info_t, as a share of all ranks' run time. */
static double share_of_times(const berth_pattern_t *p, size_t place)
{
  double wall = 0, part = 0;
  if (p->ranks_known != p->ranks) return -1;
  for (int r = 0; r < p->ranks; r++) {
    double time_s = *(const double *)((const char *)&p->rank[r] + place);
    if (p->rank[r].wall_s < 0 || time_s < 0) return -1;
    wall += p->rank[r].wall_s;
    part += time_s;
  }
  return wall > 0 ? part / wall : -1;
}

double berth_pattern_mpi_share(const berth_pattern_t *p)
{
  return share_of_times(p, offsetof(berth_rank_info_t, mpi_s));
}

double berth_pattern_unsure_share(const berth_pattern_t *p)
{
  return share_of_times(p, offsetof(berth_rank_info_t, unsure_s));
}

double berth_pattern_core_wait_share(const berth_pattern_t *p)
{
  return share_of_times(p, offsetof(berth_rank_info_t, core_wait_s));
}
