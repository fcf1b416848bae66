/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's requests of calls that agents carry out. Each is a real request of the MPI, of a
 * receive from the rank itself: it completes, in whatever call the program completes it, by a
 * message that the rank sends itself when it has taken the call's result. So requests of agents mix
 * with others in all of the MPI's functions. */
#ifndef BERTH_COLL_REQUESTS_H
#define BERTH_COLL_REQUESTS_H

#include "coll/agents/agent_call.h"

/* How many the program has, begun or not: if there are none, nothing else here needs to be asked.
 */
extern _Atomic int requests_known;

void requests_begin(void);
void requests_end(void);

/* Carries a prepared call out, without a request. Returns the MPI's code. */
int requests_run(agent_call_t *call);
/* Begins a prepared call, or keeps it for MPI_Start if it is persistent. Returns the MPI's code. */
int requests_add(const agent_call_t *call, MPI_Comm comm, bool persistent, MPI_Request *out);
/* Before MPI_Start: begins it if it is one of these. Returns the MPI's code. */
int requests_start(MPI_Request handle);
/* Before MPI_Request_free. */
void requests_forget(MPI_Request handle);

/* Before MPI_Op_free: true: a call needs the operation, which is freed when none does any more. */
bool requests_keep_op(MPI_Op op);

/* Completes all that agents have ended. */
void requests_look(void);
/* Whether one of these isn't complete. */
bool requests_under_way(int n, const MPI_Request *handles);
/* Waits until all of these are complete. */
void requests_wait(int n, const MPI_Request *handles);
/* The code of the first of these that an agent couldn't end; each is said once. */
int requests_code(int n, const MPI_Request *handles);

#endif
