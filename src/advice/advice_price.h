/* SPDX-License-Identifier: BSD-3-Clause */
/* What collective calls cost by algorithms that somebody chose. */
#ifndef BERTH_ADVICE_ADVICE_PRICE_H
#define BERTH_ADVICE_ADVICE_PRICE_H

#include <berth/cost.h>

#include "collectives/coll_hosts.h"

/* A group of calls, and the stages that each of them is made of. */
typedef struct advice_try {
  coll_group_t group;
  int n;
  schedule_stage_t stage[SCHEDULE_STAGES];
  bool by_hosts; /* the MPI composes the calls of other stages, by the placement's hosts */
  char *text;    /* of these: their algorithms; free it */
  double cost_s; /* of all calls; NAN: they have too many messages */
} advice_try_t;

/* A placement and what it is judged by. */
typedef struct advice_scene {
  const berth_pattern_t *p;
  const berth_topo_t *t;
  berth_model_t model;
  const int *pu_of_rank;
  schedule_rules_t *rules; /* of calls by hosts */
} advice_scene_t;

/* More messages in the rounds of one group aren't tried. */
enum { ADVICE_MOST_MESSAGES = 1 << 18 };

/* Fills the costs of n tries. */
int advice_price(const advice_scene_t *s, advice_try_t *tries, size_t n, berth_error_t *err);

#endif
