/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts that a team's members gather: sets of byte strings with values. Facts go up a binomial
 * tree; each member adds its own to its children's. The first member then sends the result to all.
 *
 * All members make the same calls, even after a failure. A failure travels in place of the
 * facts, and all members return the lowest member's. If a member can't receive the result, it
 * fails alone; the others learn of it in the next call. */
#ifndef BERTH_TEAM_TEAM_FACTS_H
#define BERTH_TEAM_TEAM_FACTS_H

#include <berth/team.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Facts, one after another in memory. {0} is the empty set. */
typedef struct facts {
  unsigned char *bytes;
  size_t n, cap;
  bool failed; /* memory was out; facts_agree reports it */
} facts_t;

/* The key is the kind and some bytes. All pointers belong to the set. */
typedef struct fact {
  uint32_t kind;
  size_t key_bytes, value_bytes;
  const unsigned char *key, *value;
} fact_t;

/* Adds a fact whose key isn't in the set yet. */
void facts_put(facts_t *f, uint32_t kind, const void *key, size_t key_bytes, const void *value,
               size_t value_bytes);
/* Reads the fact at *at, which begins at 0, and moves *at to the next one. Returns false at the
 * end. */
bool facts_next(const facts_t *f, size_t *at, fact_t *fact);
void facts_clear(facts_t *f);

/* Adds one fact to `into` for two with the same key. `a` is from lower members. */
typedef void facts_combine_t(facts_t *into, const fact_t *a, const fact_t *b);

/* Sets *f to the facts of all members, sorted by kind and key. All members get them, or the
 * first one only, unless `everywhere`; the others' sets are then empty. `rc` and *err are the
 * member's state so far. Returns the common outcome. Without a team, this member is all. A
 * failure empties *f. */
int facts_agree(facts_t *f, const berth_team_t *team, facts_combine_t *combine, bool everywhere,
                int rc, berth_error_t *err);

/* facts_agree about one value of n bytes, which becomes the result. A member that doesn't `know` it
 * has no fact of its own. */
int facts_agree_on(const berth_team_t *team, facts_combine_t *combine, void *value, size_t n,
                   bool knows, int rc, berth_error_t *err);

/* Exchanges outcomes. Unlike in facts_agree, all members return the same code; texts may differ. */
int facts_status(const berth_team_t *team, int rc, berth_error_t *err);

#endif
