/* SPDX-License-Identifier: BSD-3-Clause */
/* Which call sites the rounds of collective calls come from. */
#ifndef BERTH_COST_COST_SITES_H
#define BERTH_COST_COST_SITES_H

#include <berth/pattern.h>
#include <stdbool.h>

/* Whether a phase stands for rounds of calls or epochs. */
static inline bool cost_is_of_calls(const berth_phase_t *phase)
{
  return phase->collective || phase->by_hosts;
}

/* Whether the messages of a phase have no call sites of their own, but share those of collective
 * calls. Puts and gets in epochs have their own. */
bool cost_shares_sites(const berth_pattern_t *p, const berth_phase_t *phase);

/* Weighs the call sites of the calls whose rounds a phase stands for, by the bytes that ranks gave
 * there: by index in berth_pattern_sites, and last what has no known call site. Returns the sum,
 * which is above 0. */
double cost_weigh_sites(const berth_pattern_t *p, const berth_phase_t *phase, double *weight);

#endif
