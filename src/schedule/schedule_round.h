/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of rounds, of all ranks. */
#ifndef BERTH_SCHEDULE_ROUND_H
#define BERTH_SCHEDULE_ROUND_H

#include "schedule/schedule_rules.h"

/* From one rank of the communicator to another. */
typedef struct schedule_message {
  int src, dst;
  int64_t n; /* elements */
} schedule_message_t;

/* A growing list; all zero is an empty one. Free `message` alone. */
typedef struct schedule_messages {
  schedule_message_t *message;
  size_t n, cap;
} schedule_messages_t;

/* More messages than these take more than half a GiB. */
enum { SCHEDULE_MOST_MESSAGES = 1 << 25 };

/* Replaces the list by the messages of a round, in the order of their sources, and stops at the
 * first rank behind which they are more than `most`; false: memory is out. */
bool schedule_round_messages(const schedule_stage_t *s, int64_t round, size_t most,
                             schedule_messages_t *out);

/* The pieces of a step are those from *first on, before the returned one. */
size_t schedule_step_find(const schedule_pieces_t *p, int step, size_t *first);
/* The rounds of a step, whose pieces run beside each other: as many as the piece with most has. */
int64_t schedule_step_rounds(const schedule_pieces_t *p, int step);
/* How many rounds from this one on have the same messages, at least 1. */
int64_t schedule_step_alike(const schedule_pieces_t *p, int step, int64_t round);
/* Replaces the list by the messages of a round of a step, in bytes, between ranks of the whole
 * communicator. As schedule_round_messages. */
bool schedule_step_messages(const schedule_pieces_t *p, int step, int64_t round, size_t most,
                            schedule_messages_t *out);

/* A walk over the rounds of a stage that looks only at ranks that may send. */
typedef struct schedule_walk {
  const schedule_stage_t *stage;
  int64_t rounds, round; /* all of them; the current one */
  int *first, *next;     /* by round, by rank: ranks that may send next in that round; -1: no more.
                            NULL: all may in each round */
  int64_t looked;        /* how many ranks it looked at so far */
  int *now, n_now;       /* those of the current round, in rising order */
} schedule_walk_t;

/* Begins before the first round; false: memory is out. Clear it in both cases. */
bool schedule_walk_begin(schedule_walk_t *w, const schedule_stage_t *s);
/* The same as schedule_round_messages. Rounds must rise. */
bool schedule_walk_messages(schedule_walk_t *w, int64_t round, size_t most,
                            schedule_messages_t *out);
void schedule_walk_clear(schedule_walk_t *w);

#endif
