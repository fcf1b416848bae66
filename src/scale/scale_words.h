/* SPDX-License-Identifier: BSD-3-Clause */
/* What was found, in words. All functions return text of the arena, NULL when memory is out. */
#ifndef BERTH_SCALE_WORDS_H
#define BERTH_SCALE_WORDS_H

#include "scale/scale_internal.h"

enum { WORDS_LAWS = 16 }; /* more different laws aren't named */

/* Who sends to whom: "6 neighbours, around the edges". */
const char *scale_words_pairs(arena_t *arena, const scale_unit_t *u, const scale_explanation_t *e,
                              const grid_t *grid);
/* How their amounts depend on the number of ranks: "the same". */
const char *scale_words_amounts(arena_t *arena, const scale_explanation_t *e);

/* The same of collective calls: "lines of ranks (dimension 2)". */
const char *scale_words_callers(arena_t *arena, const scale_call_rule_t *rule, const grid_t *grid);
const char *scale_words_calls(arena_t *arena, const scale_call_rule_t *rule);

#endif
