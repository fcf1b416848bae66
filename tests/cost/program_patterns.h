/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns of recorded programs, for tests of model flow. */
#ifndef BERTH_TESTS_PROGRAM_PATTERNS_H
#define BERTH_TESTS_PROGRAM_PATTERNS_H

#include "cost/flow_machines.h"

#define ANY BERTH_ANY_RANK

/* Counts what an order sends, as messages. */
static void add_messages(berth_pattern_t *p, int src, const berth_step_t *s, size_t n,
                         uint64_t repeats)
{
  for (size_t i = 0; i < n; i++) {
    if (s[i].kind == BERTH_STEP_LOOP) {
      add_messages(p, src, s + i + 1, s[i].steps, repeats * s[i].times);
      i += s[i].steps;
    } else if (s[i].kind == BERTH_STEP_SEND) {
      uint64_t count = s[i].times * repeats;
      berth_message_t m = {0, 0, src, s[i].peer, s[i].size, count, s[i].size * count};
      assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
    }
  }
}

static void add_program(berth_pattern_t *p, int src, const berth_step_t *s, size_t n)
{
  berth_error_t err = {0};
  berth_order_t order = {0, src, 1, n, s};
  add_messages(p, src, s, n, 1);
  if (berth_pattern_add_order(p, &order, &err)) fail_msg("%s", err.text);
}

/* Communicator 1 has the ranks 0 to 3. */
static berth_pattern_t *new_pattern(void)
{
  static const int first_four[] = {3, 1, 0, 2};
  berth_pattern_t *p = berth_pattern_new(RANKS, NULL);
  assert_int_equal(berth_pattern_add_comm(p, &(berth_comm_t){1, 4, first_four}, NULL), BERTH_OK);
  return p;
}

#endif
