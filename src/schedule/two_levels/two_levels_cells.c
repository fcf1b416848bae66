/* SPDX-License-Identifier: BSD-3-Clause */
/* What was measured of the library's calls, and which call it is for. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "schedule/two_levels/two_levels.h"

int two_levels_take(const berth_tuning_t *t, const char *path, two_levels_t *out,
                    berth_error_t *err)
{
  const chosen_job_t job = {.has_agents = t->agents};
  out->n = 0;
  out->agents = t->agents;
  if (!(out->cell = malloc((t->n + 1) * sizeof *out->cell))) return no_memory(err);
  for (size_t i = 0; i < t->n; i++) {
    const berth_tuned_cell_t *c = &t->cell[i];
    two_levels_cell_t *to = &out->cell[out->n];
    char wrong[CHOSEN_WRONG];
    *to = (two_levels_cell_t){
        .ranks = c->ranks, .hosts = c->hosts, .digits = berth_tuning_digits(c->bytes)};
    bool taken = chosen_take(c, 0, job, &to->op, &to->choice, wrong) >= 0;
    if (*wrong) return berth_fail(err, BERTH_BAD_INPUT, "%s: cells[%zu].%s", path, i, wrong);
    out->n += taken;
  }
  return BERTH_OK;
}

/* The bytes by which a call's cell is found: of the vector, or of a rank's block on average. */
static uint64_t bytes_of(const schedule_request_t *q)
{
  const schedule_call_t *c = &q->call;
  if (c->op == SCHEDULE_BARRIER) return 0;
  return (uint64_t)((c->blocks ? c->blocks->total * q->element / c->size : c->count * q->element));
}

const chosen_t *two_levels_chosen(const two_levels_t *l, const schedule_request_t *q)
{
  if (q->way != SCHEDULE_BLOCKING) return NULL;
  int digits = l->n && q->hosts ? berth_tuning_digits(bytes_of(q)) : 0;
  for (size_t i = 0; i < l->n && q->hosts; i++) {
    const two_levels_cell_t *c = &l->cell[i];
    if (c->op == chosen_op(q->call.op) && c->ranks == q->call.size && c->hosts == q->hosts->n &&
        c->digits == digits)
      return &c->choice;
  }
  return NULL;
}
