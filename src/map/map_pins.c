/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves pinned ranks to their PUs after a mapper has placed all ranks anywhere. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "map/map_internal.h"

/* Which ranks are on a PU without being pinned to it. */
typedef struct crowd {
  const int *pinned;
  int *pu_of_rank;
  int *room;  /* free places of each PU */
  int *first; /* by PU: the first of a list of ranks that aren't pinned to it, -1: none */
  int *next;
} crowd_t;

static bool crowd_init(crowd_t *c, const berth_map_problem_t *problem, int *pu_of_rank)
{
  int pus = berth_topo_n_pus(problem->topo), ranks = berth_pattern_ranks(problem->pattern);
  *c = (crowd_t){.pinned = problem->options.pinned, .pu_of_rank = pu_of_rank};
  c->room = calloc((size_t)pus, sizeof *c->room);
  c->first = malloc((size_t)pus * sizeof *c->first);
  c->next = malloc((size_t)ranks * sizeof *c->next);
  if (!c->room || !c->first || !c->next) return false;
  for (int i = 0; i < problem->n_pus; i++) c->room[problem->pus[i]]++;
  for (int p = 0; p < pus; p++) c->first[p] = -1;
  for (int r = 0; r < ranks; r++) {
    int pu = pu_of_rank[r];
    c->room[pu]--;
    if (c->pinned[r] == pu) continue;
    c->next[r] = c->first[pu];
    c->first[pu] = r;
  }
  return true;
}

static void crowd_clear(crowd_t *c)
{
  free(c->room);
  free(c->first);
  free(c->next);
}

/* Moves a rank to its place. Listed ranks that have left are skipped: they are where they are
 * pinned to, and never come back. */
static void send_home(crowd_t *c, int rank)
{
  int here = c->pu_of_rank[rank], home = c->pinned[rank];
  c->pu_of_rank[rank] = home;
  if (c->room[home] > 0) {
    c->room[home]--;
    c->room[here]++;
    return;
  }
  int other = c->first[home];
  while (c->pu_of_rank[other] != home) other = c->next[other];
  c->first[home] = c->next[other];
  c->pu_of_rank[other] = here;
  if (c->pinned[other] == here) return;
  c->next[other] = c->first[here];
  c->first[here] = other;
}

int map_keep_pins(const berth_map_problem_t *problem, int *pu_of_rank, berth_error_t *err)
{
  crowd_t c;
  const int *pinned = problem->options.pinned;
  if (!pinned) return BERTH_OK;
  int ranks = berth_pattern_ranks(problem->pattern);
  int rc = crowd_init(&c, problem, pu_of_rank) ? BERTH_OK : no_memory(err);
  for (int r = 0; !rc && r < ranks; r++)
    if (pinned[r] >= 0 && pinned[r] != pu_of_rank[r]) send_home(&c, r);
  crowd_clear(&c);
  return rc;
}
