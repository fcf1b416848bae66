/* SPDX-License-Identifier: BSD-3-Clause */
/* With how many bytes a message goes to a target before the epoch ends. The choice is left open by
 * Zhao (2012, chapter 5: by the system's parameters, and by the history of operations); here:
 *
 * An epoch with S bytes for a target takes S * fill + (S / b) * begin + b * byte, if messages have
 * b bytes, and operations come slower than the network carries them. `begin` is what a message
 * takes of the processes, `byte` of the network. If they come faster, the network waits for the
 * first message only: b * fill + (S / b) * begin + S * byte. Both are least for
 * b = sqrt(S * begin / min(fill, byte)).
 *
 * If the program computes between its last operation and the epoch's end, the last message goes
 * with that operation: with as many bytes as there were in the epoch before.
 *
 * The caller has the lock of rma_progress.h. */
#ifndef BERTH_RMA_THRESHOLD_H
#define BERTH_RMA_THRESHOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Messages with fewer bytes cost more than they save. So epochs with fewer than two of them are one
 * message. */
enum { THRESHOLD_LEAST = 1024, THRESHOLD_EPOCH = 2 * THRESHOLD_LEAST };

typedef struct threshold {
  uint32_t enough; /* bytes of a message, or that come back for it */
  uint64_t came;   /* bytes of this epoch so far */
  uint64_t before; /* bytes of the epoch before */
  double fill;     /* seconds for each byte to come; 0: unknown */
  double rest;     /* seconds from the last operation to the end of the epoch */
  double opened;   /* when the message was opened; 0: it isn't looked at */
  double reached;  /* when as much had come as in the epoch before; 0: not yet */
  bool early;      /* the last message goes with the last operation, */
  bool went;       /* and has gone in this epoch */
} threshold_t;

/* What the origin takes for a message, in seconds; measured now and then. */
void threshold_learn(double begin);
double threshold_message(void);

void threshold_new(threshold_t *t);
/* An earlier job had epochs of so many bytes, and messages of so many. */
void threshold_know(threshold_t *t, double bytes, uint64_t enough);
/* Whether the epochs are large enough for more than one message. */
bool threshold_matters(const threshold_t *t);
/* A message is opened; so many bytes of an operation are in it, or come back for it; with so many
 * bytes it goes; the epoch ends. */
void threshold_opened(threshold_t *t);
void threshold_add(threshold_t *t, size_t bytes);
void threshold_gone(threshold_t *t, size_t bytes);
void threshold_end(threshold_t *t);

/* Whether a message that has so many bytes, or for which so many come back, has enough. */
bool threshold_is_enough(threshold_t *t, size_t bytes);

#endif
