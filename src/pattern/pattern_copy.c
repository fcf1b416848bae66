/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies patterns by the functions that build them. What was added for estimates stays out. */
#include "pattern/pattern_copy.h"

#include "pattern/pattern_check.h"
#include "pattern/pattern_internal.h"

int pattern_copy_run(const berth_pattern_t *p, berth_pattern_t *to, berth_error_t *err)
{
  int rc = berth_pattern_set_command(to, p->argc, p->argv, err);
  if (!rc) rc = berth_pattern_set_origin(to, p->mpi, p->created, err);
  for (size_t i = 0; !rc && i < p->grids.n; i++)
    rc = berth_pattern_add_grid(to, &p->grids.items[i], err);
  for (int r = 0; !rc && r < p->ranks; r++) {
    const berth_rank_info_t *info = berth_pattern_rank(p, r);
    if (info) rc = berth_pattern_set_rank(to, r, info, err);
  }
  return rc;
}

/* Operations are no longer included: their messages aren't copied. */
static int copy_operations(const berth_pattern_t *p, berth_pattern_t *to, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; !rc && i < p->colls.n; i++) {
    berth_coll_t coll = p->colls.items[i];
    coll.included = 0;
    rc = berth_pattern_add_coll(to, &coll, err);
  }
  for (size_t i = 0; !rc && i < p->rmas.n; i++) {
    berth_rma_t rma = p->rmas.items[i];
    rma.included = 0;
    rc = berth_pattern_add_rma(to, &rma, err);
  }
  for (size_t i = 0; !rc && i < p->parameters.n; i++) {
    berth_parameter_t parameter = p->parameters.items[i];
    parameter.unfollowed = 0;
    rc = berth_pattern_add_parameter(to, &parameter, err);
  }
  return rc;
}

static int copy_messages(const berth_pattern_t *p, berth_pattern_t *to, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t k = 0; !rc && k < p->phases.n; k++) {
    if (p->phases.items[k].collective) continue;
    for (size_t i = p->phase_start[k]; !rc && i < p->phase_start[k + 1]; i++)
      rc = berth_pattern_add_message(to, &p->messages.items[i], err);
  }
  return rc;
}

int pattern_copy_traffic(const berth_pattern_t *p, berth_pattern_t *to, berth_error_t *err)
{
  int rc = copy_messages(p, to, err);
#define COPY(kind, list)                                                                           \
  for (size_t i = 0; !rc && i < p->list.n; i++)                                                    \
    rc = berth_pattern_add_##kind(to, &p->list.items[i], err);
  COPY(comm, comms)
  if (!rc) rc = copy_operations(p, to, err);
  COPY(row, rows)
  COPY(unmodelled, unmodelled)
  COPY(time, times)
  COPY(packed, packed)
  COPY(order, orders)
  return rc;
}

static int copy_all(const berth_pattern_t *p, berth_pattern_t *to, berth_error_t *err)
{
  int rc = pattern_copy_run(p, to, err);
  COPY(site, sites)
  for (size_t k = 0; !rc && k < p->phases.n; k++)
    if (!p->phases.items[k].collective) rc = berth_pattern_add_phase(to, &p->phases.items[k], err);
  if (!rc) rc = pattern_copy_traffic(p, to, err);
  if (!rc && p->baseline) rc = berth_pattern_set_baseline(to, p->baseline, err);
  if (!rc) rc = berth_pattern_finish(to, err);
  if (!rc && p->cut) rc = pattern_set_cut(to, p->cut->lines, p->cut->why, err);
  return rc;
}

berth_pattern_t *berth_pattern_copy(const berth_pattern_t *p, berth_error_t *err)
{
  if (pattern_check_finished(p, err)) return NULL;
  berth_pattern_t *to = berth_pattern_new(p->ranks, err);
  if (!to || !copy_all(p, to, err)) return to;
  berth_pattern_free(to);
  return NULL;
}
