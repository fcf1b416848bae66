/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts that members of a team gather: sets of byte strings with a value. They go up a binomial
 * tree, each member adding its own to those of its children. The first member then tells them to
 * all.
 *
 * Every member makes the same calls, whatever becomes of it: a failure goes the way of the facts,
 * and all members return that of the lowest one. A member that cannot take what it is told fails
 * alone, and the others learn of it in the next call. */
#ifndef BERTH_TEAM_TEAM_FACTS_H
#define BERTH_TEAM_TEAM_FACTS_H

#include <berth/team.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Facts that follow one another in memory; {0} is the empty set. */
typedef struct facts {
  unsigned char *bytes;
  size_t n, cap;
  bool failed; /* memory was out; facts_agree says so */
} facts_t;

/* A fact's key is its kind and some bytes. Borrowed from the set that it is in. */
typedef struct fact {
  uint32_t kind;
  size_t key_bytes, value_bytes;
  const unsigned char *key, *value;
} fact_t;

/* Adds a fact of a key that isn't there yet. */
void facts_put(facts_t *f, uint32_t kind, const void *key, size_t key_bytes, const void *value,
               size_t value_bytes);
/* The fact at *at, which goes on to the next one from 0; false behind the last. */
bool facts_next(const facts_t *f, size_t *at, fact_t *fact);
void facts_clear(facts_t *f);

/* Adds to `into` one fact of two with the same key, of which `a` is of lower members. */
typedef void facts_combine_t(facts_t *into, const fact_t *a, const fact_t *b);

/* Makes *f the facts of all members, sorted by kind and key, at each of them or, unless
 * `everywhere`, at the first one, and empty at others. `rc` and *err are the member's until now.
 * Returns what all agree on. Without a team there is but this member; *f is emptied by a failure.
 */
int facts_agree(facts_t *f, const berth_team_t *team, facts_combine_t *combine, bool everywhere,
                int rc, berth_error_t *err);

/* The outcome of all: unlike in facts_agree, all members return the same, but for the text. */
int facts_status(const berth_team_t *team, int rc, berth_error_t *err);

#endif
