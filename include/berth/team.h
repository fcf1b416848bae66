/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that work together, as those of an MPI job do. They all hold the same inputs and
 * options and make the same calls. One of them does each piece of work and tells all what it found:
 * the same as one process would have found alone. */
#ifndef BERTH_TEAM_H
#define BERTH_TEAM_H

#include <berth/error.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One process's view of its team. The caller fills it in. */
typedef struct berth_team {
  int rank, size; /* this process's number, from 0; how many there are */
  /* Sends n bytes to a member, or receives them from it, in the order in which they were sent; a
   * receiver asks for as many bytes as were sent. They return 0, or another number when the members
   * can't reach each other any more. Received bytes go nowhere where `bytes` is NULL. A send may
   * wait until the receiver takes the bytes. */
  int (*send)(void *context, int to, const void *bytes, size_t n);
  int (*receive)(void *context, int from, void *bytes, size_t n);
  void *context; /* of these functions */
  int failed;    /* a member failed: nobody waits for the others any more. The caller clears it in
                    all members if they are to go on */
} berth_team_t;

/* Tells the others whether this process can go on (rc is BERTH_OK), and returns BERTH_OK if all
 * can; else the code, with the error in *err, of the first process that can't, in all of them. A
 * process that fails where others don't has to call this, or they wait for it: *err then holds its
 * error. With NULL for the team, or after a failure, nobody is asked and rc returned. */
BERTH_API int berth_team_agree(berth_team_t *team, int rc, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
