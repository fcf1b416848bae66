/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls as an agent's ranks order them: what each gives, and what it must get. Elements
 * are int64_t; reductions add. */
#ifndef BERTH_TESTS_AGENTS_PLANS_H
#define BERTH_TESTS_AGENTS_PLANS_H

#include "agent/desk.h"
#include "schedule/schedule.h"

enum { PLAN_WORDS = 1 << 16 }; /* of an input or a result, at most */

typedef struct plan {
  schedule_op_t op;
  int root;
  int64_t count; /* elements of a block or the vector; if blocks differ, at most */
  int degree;
  uint64_t salt; /* of the values */
} plan_t;

typedef enum plan_kind {
  PLAN_ANY,
  PLAN_DOWN,   /* broadcasts and scatters, one root: nobody answers */
  PLAN_UP,     /* reductions and gathers, one root */
  PLAN_ROOTED, /* both, any root */
  PLAN_MEET,   /* all wait for all */
  PLAN_KINDS   /* their number */
} plan_kind_t;

/* A call of a group of `all` ranks. */
plan_t plan_make(plan_kind_t kind, int all, uint64_t (*random)(uint64_t n));
const char *plan_name(const plan_t *p);
/* Without what depends on the rank. */
desk_order_t plan_order(const plan_t *p);
/* What the rank at a place gives, and gets: PLAN_WORDS of room. They return its words. */
size_t plan_input(const plan_t *p, int all, int place, int64_t *to);
size_t plan_result(const plan_t *p, int all, int place, int64_t *to);

#endif
