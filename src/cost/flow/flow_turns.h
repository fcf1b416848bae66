/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns in the orders of ranks: what a rank does with a message that it took because it came first.
 * On another network, others come first. */
#ifndef BERTH_COST_FLOW_FLOW_TURNS_H
#define BERTH_COST_FLOW_FLOW_TURNS_H

#include <berth/pattern.h>
#include <stdbool.h>

/* Steps of the turn that n steps begin with: a message is taken because it came first, and all that
 * follows concerns its source. Or of a message of any rank, which isn't answered. Or of a loop of
 * such turns. 0: they begin with something else. */
size_t flow_turn_steps(const berth_step_t *s, size_t n);

/* Whether a turn is for a message of any rank, which nobody knows: it can be taken at any time. */
bool flow_turn_is_of_any(const berth_step_t *s);

/* Steps of the turns, of two known sources or more, that n steps begin with. The first and the last
 * one are of a known source. 0: there are none. */
size_t flow_turns_in(const berth_step_t *s, size_t n);

#endif
