/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of a round, of all ranks. */
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

#endif
