/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/coll_levels.h"

#include <stdlib.h>
#include <string.h>

#include "coll/tuning/tuned.h"
#include "schedule/two_levels/choose.h"

void levels_choose_speakers(coll_comm_t *c, int root)
{
  memcpy(c->peer, c->leader, (size_t)c->n_hosts * sizeof *c->peer);
  if (root >= 0) c->peer[c->host[root]] = root;
}

schedule_blocks_t *levels_blocks(const coll_comm_t *c, schedule_op_t op, const size_t *n,
                                 size_t each)
{
  int64_t *counts = calloc((size_t)c->n_hosts, sizeof *counts);
  for (int r = 0; counts && r < c->size; r++) counts[c->host[r]] += (int64_t)(n ? n[r] : each);
  schedule_blocks_t *blocks = counts ? schedule_blocks_new(op, c->n_hosts, counts) : NULL;
  free(counts);
  return blocks;
}

bool levels_plan(const coll_comm_t *c, const levels_t *l, run_call_t *out)
{
  *out = (run_call_t){.me = c->my_host,
                      .peer = c->peer,
                      .in = l->in,
                      .out = l->out,
                      .element = l->element,
                      .reduce = l->reduce};
  out->call = (schedule_call_t){.op = l->op,
                                .size = c->n_hosts,
                                .root = l->root < 0 ? 0 : c->host[l->root],
                                .count = l->n,
                                .blocks = l->blocks,
                                .commutative = !l->reduce || l->reduce->commutative};
  if (c->choice && (out->algorithm = chosen_schedule(c->choice, &out->call, l->element))) {
    out->overlap = (size_t)c->choice->overlap;
    return true;
  }
  out->algorithm = choose_schedule(&out->call, l->element, coll_job.half);
  if (!out->algorithm) return false;
  /* Where ranks share cores, members that wake up delay their speaker: the penalty of section 4.5.
   */
  if (!wait_crowded) out->overlap = (size_t)choose_overlap(out->algorithm, &out->call, l->element);
  return true;
}

int levels_run(coll_comm_t *c, const run_call_t *run)
{
  return c->n_hosts > 1 && levels_speaks(c) ? run_schedule(&c->run, run) : MPI_SUCCESS;
}
