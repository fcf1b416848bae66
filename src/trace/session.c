/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces programs that use MPI 4's sessions instead of MPI_Init.
 *
 * Recording starts with the first communicator of all processes, where all of them are sure to
 * meet. It ends with the last session. */
#include "trace/tracer.h"

#if MPI_VERSION >= 4
enum { MAX_SESSIONS = 64 }; /* open sessions that are known */

static MPI_Session sessions[MAX_SESSIONS];
static int n_open;           /* access to it and the list needs the lock */
static _Atomic bool started; /* by a session, not by MPI_Init */

static int place_of(MPI_Session session)
{
  int i = 0;
  while (i < n_open && sessions[i] != session) i++;
  return i;
}

/* Fortran's functions call this too, and may call C's. */
void session_begun(MPI_Session session)
{
  tracer_lock();
  if (place_of(session) == n_open && n_open < MAX_SESSIONS) sessions[n_open++] = session;
  tracer_unlock();
}

/* Whether a communicator has all processes, in their order. */
static bool is_everyone(MPI_Comm comm)
{
  MPI_Group all, members;
  int result = MPI_UNEQUAL;
  tracer_lock();
  MPI_Session any = n_open ? sessions[0] : MPI_SESSION_NULL;
  tracer_unlock();
  if (any == MPI_SESSION_NULL ||
      mpi.Group_from_session_pset(any, "mpi://WORLD", &all) != MPI_SUCCESS)
    return false;
  if (mpi.Comm_group(comm, &members) == MPI_SUCCESS) {
    mpi.Group_compare(all, members, &result);
    mpi.Group_free(&members);
  }
  mpi.Group_free(&all);
  return result == MPI_IDENT;
}

void session_comm(MPI_Comm comm)
{
  if (atomic_load(&tracer.state) == TRACER_OFF && is_everyone(comm) && tracer_start(comm))
    atomic_store(&started, true);
}

void session_ends(MPI_Session session)
{
  tracer_lock();
  int i = place_of(session);
  if (i < n_open) sessions[i] = sessions[--n_open];
  bool last = n_open == 0;
  tracer_unlock();
  int initialized = 0; /* if so, MPI_Finalize ends the trace */
  if (mpi.Initialized(&initialized) != MPI_SUCCESS || initialized) return;
  if (last && atomic_exchange(&started, false)) tracer_finish();
}
#endif
