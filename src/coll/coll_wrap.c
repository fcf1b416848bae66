/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of MPI that the library takes. The MPIs' Fortran libraries call these, too. */
#include "coll/agents/agent_call.h"
#include "coll/agents/requests.h"
#include "coll/block_calls.h"
#include "coll/calls.h"
#include "coll/coll_levels.h"
#include "coll/job.h"
#include "coll/packing.h"
#include "coll/pair_calls.h"
#include "coll/reduced_blocks.h"
#include "coll/tuning/tuned.h"
#include "coll/varied_calls.h"
#include "coll/wrapping.h"

#define COLL_NAME(name)    COLL_NAME_AS(name)
#define COLL_NAME_AS(name) "MPI_" #name

/* Calls that agents carry out, if all calls are theirs. */
static inline bool has_agents(const coll_comm_t *c)
{
  return UNLIKELY(c->agent.open && coll_job.settings.agents_all);
}

static int run_by_agents(agent_call_t *a, coll_function_t function)
{
  int rc = requests_run(a);
  atomic_fetch_add_explicit(&coll_counts[COLL_BLOCKING][function].by_agents, 1,
                            memory_order_relaxed);
  return rc;
}

/* A collective function of a communicator: berth's own, if it serves the call. */
#define COLLECTIVE(function, name, iname, init, parameters, arguments, bytes, own, by_agent)       \
  WRAP(name, parameters, arguments)                                                                \
  coll_comm_t *c = coll_find(comm);                                                                \
  if (UNLIKELY(c && c->early)) c = coll_start(c, comm, bytes);                                     \
  int rc = PASS_ON;                                                                                \
  if (LIKELY(c != NULL)) {                                                                         \
    chain_own_begin();                                                                             \
    c->begun = false;                                                                              \
    c->choice = NULL;                                                                              \
    wait_call = (wait_call_t){COLL_NAME(name), CALLER, c->member};                                 \
    bool agents = has_agents(c);                                                                   \
    if (!agents) {                                                                                 \
      rc = own;                                                                                    \
      agents = rc == PASS_ON && tuned_to_agents(c);                                                \
    }                                                                                              \
    if (UNLIKELY(agents)) {                                                                        \
      agent_call_t call, *a = &call;                                                               \
      rc = by_agent;                                                                               \
      rc = rc == MPI_SUCCESS ? run_by_agents(a, function) : own;                                   \
    }                                                                                              \
    chain_own_end();                                                                               \
  }                                                                                                \
  if (!wrapping_ended(COLL_BLOCKING, function, comm, rc)) rc = mpi_next.name arguments;            \
  if (UNLIKELY(c && c->tuned)) tuned_stop_clock(c);                                                \
  return rc;                                                                                       \
  }

#include "coll/each_collective.h"

WRAP(Init, (int *argc, char ***argv), (argc, argv))
int rc = mpi_next.Init(argc, argv);
if (rc == MPI_SUCCESS) coll_job_begin();
return rc;
}

WRAP(Init_thread, (int *argc, char ***argv, int required, int *provided),
     (argc, argv, required, provided))
int rc = mpi_next.Init_thread(argc, argv, required, provided);
if (rc == MPI_SUCCESS) coll_job_begin();
return rc;
}

WRAP(Finalize, (void), ())
coll_job_end();
return mpi_next.Finalize();
}
