/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the rounds of calls to a pattern, a phase for each. */
#ifndef BERTH_COLLECTIVES_COLL_ROUNDS_H
#define BERTH_COLLECTIVES_COLL_ROUNDS_H

#include "collectives/coll_groups.h"
#include "schedule/schedule_round.h"

typedef struct coll_rounds {
  berth_pattern_t *p;
  schedule_rules_t *rules; /* owned */
  int64_t next_phase;
  int call;     /* berth_phase_t.collective of added phases: the caller counts */
  int more_of;  /* the same for berth_phase_t.more_of */
  int stage;    /* berth_phase_t.stage: the caller counts */
  int by_hosts; /* berth_phase_t.by_hosts of added phases */
  size_t added; /* messages, by all calls */
  schedule_messages_t round;
  berth_error_t *err;
} coll_rounds_t;

/* Gets ready to add phases behind those of a finished pattern. End it, also after a failure.
 * `rules`: NULL if the caller has them. */
int coll_rounds_begin(coll_rounds_t *in, berth_pattern_t *p, const char *rules, berth_error_t *err);
void coll_rounds_end(coll_rounds_t *in);

/* Adds a phase. Messages of in->next_phase are those of the next one that is added. It has all its
 * messages if it occurs `repeats` times in each occurrence of the phase `own`, as `times`
 * consecutive rounds of a call. */
int coll_rounds_add_phase(coll_rounds_t *in, const char *name, int own, uint64_t repeats,
                          uint64_t times);

/* Counts the messages of a group's stage in *n, and stops above `most`, or if that takes too long.
 * False: memory is out. */
enum { COLL_MOST_LOOKS = 1 << 30 }; /* at ranks: some ten seconds */
bool coll_rounds_count(coll_rounds_t *in, const coll_group_t *g, const schedule_stage_t *s,
                       size_t most, size_t *n);
/* Adds the phase of a round of a group's stage, behind its messages; or with them. It occurs
 * `times` times in each call. */
int coll_rounds_name_phase(coll_rounds_t *in, const coll_group_t *g, const schedule_stage_t *s,
                           int64_t round, int64_t times);
int coll_rounds_add_round(coll_rounds_t *in, const coll_group_t *g, schedule_walk_t *walk,
                          int64_t round, int64_t times);
/* Adds the rounds of a group's stage. */
int coll_rounds_add_stage(coll_rounds_t *in, const coll_group_t *g, const schedule_stage_t *s);

/* Adds the rounds of a group's calls, which are made of n stages, as call number in->call + 1.
 * *added is false, and nothing is added, if there would be more than `most` messages, at most
 * BERTH_MAX_ROUND_MESSAGES. */
int coll_rounds_add_call(coll_rounds_t *in, const coll_group_t *g, int n,
                         const schedule_stage_t *stage, size_t most, bool *added);

/* "MPI_Bcast of 8 B, 4 ranks on 2 communicators"; NULL: memory is out. Free it. */
char *coll_rounds_call_text(const coll_group_t *g);

#endif
