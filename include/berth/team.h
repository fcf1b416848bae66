/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that work together, such as those of an MPI job. All of them have the same inputs and
 * options and make the same calls. One of them does each piece of work and tells the others the
 * result. Results equal those of a single process. */
#ifndef BERTH_TEAM_H
#define BERTH_TEAM_H

#include <berth/error.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A process's view of its team. The caller fills it in. */
typedef struct berth_team {
  int rank, size; /* this process's number, from 0; the number of processes */
  /* Sends n bytes to a member, or receives them from it, in the order of sending. A receiver must
   * ask for the same number of bytes. If the received `bytes` are NULL, they are discarded. A send
   * may wait until the receiver takes them. Return 0; another number if the members can't reach
   * each other any more. */
  int (*send)(void *context, int to, const void *bytes, size_t n);
  int (*receive)(void *context, int from, void *bytes, size_t n);
  void *context; /* for these functions */
  int failed; /* a member failed, so that members don't wait for each other any more; to continue,
                 the caller clears it in all members */
} berth_team_t;

/* Tells the others whether this process can continue (rc is BERTH_OK). Returns BERTH_OK if all can.
 * Otherwise all processes get the code of the first one that can't, and its error in *err. A
 * process that fails alone must call this, with its error in *err, because the others wait for it.
 * Without a team (NULL), or after a failure, it just returns rc. */
BERTH_API int berth_team_agree(berth_team_t *team, int rc, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
