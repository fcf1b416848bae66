/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of an epoch, by rounds. */
#ifndef BERTH_ONE_SIDED_EPOCH_MESSAGES_H
#define BERTH_ONE_SIDED_EPOCH_MESSAGES_H

#include "one_sided/epoch_items.h"

typedef enum epoch_round {
  EPOCH_POST,
  EPOCH_LOCK,
  EPOCH_GRANT,
  EPOCH_OPERATIONS,
  EPOCH_REPLIES,
  EPOCH_CLOSE,
  EPOCH_CLOSED,
  EPOCH_ROUNDS /* their number */
} epoch_round_t;

typedef struct epoch_message {
  epoch_round_t round;
  int src, dst, site;
  uint64_t size, count;
} epoch_message_t;

/* A growing list; all zero is an empty one. Free `message` alone. */
typedef struct epoch_messages {
  epoch_message_t *message;
  size_t n, cap;
  bool lost;     /* memory ran out, so messages are missing */
  bool too_much; /* the list isn't whole: it is longer than BERTH_MAX_ROUND_MESSAGES, or its
                    messages are, or have, more than 2^53 bytes */
  uint64_t bytes, count;
} epoch_messages_t;

/* The ranks of a window's communicator; NULL: all ranks from 0 on. */
typedef struct epoch_window {
  const int *ranks;
  int n;
} epoch_window_t;

/* Replaces the list by the messages of an epoch of the group. */
void epoch_messages(const epoch_rules_t *rules, const epoch_group_t *g, const epoch_window_t *w,
                    uint64_t epoch, epoch_messages_t *out);

#endif
