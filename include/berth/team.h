/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that place the ranks of one pattern together, as those of an MPI job. They all hold the
 * same inputs and options and make the same calls; what takes long is done by one of them each, and
 * what it finds is told to all. What they find is what one process would have found with the same
 * work. */
#ifndef BERTH_TEAM_H
#define BERTH_TEAM_H

#include <berth/error.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One process's view of the team; the caller fills it in. The functions return when it is this
 * process's turn to go on; one that can't do what it should has to end the processes. */
typedef struct berth_team {
  int rank, size; /* this process's number, from 0; how many there are */
  /* Every process gives a number; the largest is returned to all. */
  uint64_t (*largest)(struct berth_team *team, uint64_t number);
  /* All get the bytes that process `from` has in data. */
  void (*broadcast)(struct berth_team *team, int from, void *data, size_t bytes);
  void *context; /* for these functions */
  int failed;    /* one process said that it failed: nobody waits for the others any more. To be
                    cleared by the caller where all of them are to go on */
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
