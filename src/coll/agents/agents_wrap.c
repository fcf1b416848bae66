/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of MPI that the library takes because of agents: non-blocking and persistent
 * collectives, functions that complete requests, and those that make communicators. Without agents
 * they pass their calls on. */
#include "coll/agents/requests.h"
#include "coll/coll_levels.h"
#include "coll/wrapping.h"

/* The communicator, if agents know it. What was measured is of calls that block. */
static coll_comm_t *find(MPI_Comm comm)
{
  coll_comm_t *c = coll_agents.active ? coll_find(comm) : NULL;
  if (!c || !c->agent.open) return NULL;
  c->choice = NULL;
  return c;
}

/* A prepared call becomes a request. */
static int add(const agent_call_t *a, int rc, MPI_Comm comm, bool persistent, MPI_Request *request)
{
  return rc == MPI_SUCCESS ? requests_add(a, comm, persistent, request) : rc;
}

/* Ends a function; what comes before it prepares the call. */
#define AS_REQUEST(function, way, table_name, arguments, by_agent)                                 \
  coll_comm_t *c = find(comm);                                                                     \
  int rc = PASS_ON;                                                                                \
  if (c && request) {                                                                              \
    agent_call_t call, *a = &call;                                                                 \
    chain_own_begin();                                                                             \
    rc = by_agent;                                                                                 \
    rc = add(a, rc, comm, way == COLL_PERSISTENT, request);                                        \
    chain_own_end();                                                                               \
  }                                                                                                \
  if (!wrapping_ended(way, function, comm, rc)) rc = mpi_next.table_name arguments;                \
  return rc;                                                                                       \
  }

#define COLLECTIVE(function, name, iname, init, parameters, arguments, bytes, own, by_agent)       \
  WRAP(iname, (UNPACK parameters, MPI_Request * request), (UNPACK arguments, request))             \
  AS_REQUEST(function, COLL_NONBLOCKING, iname, (UNPACK arguments, request), by_agent)             \
  PERSISTENT(function, init, parameters, arguments, by_agent)
#if HAS_PERSISTENT
#define PERSISTENT(function, init, parameters, arguments, by_agent)                                \
  WRAP_NAMED(PERSISTENT_NAME(init), init,                                                          \
             (UNPACK parameters, MPI_Info info, MPI_Request * request),                            \
             (UNPACK arguments, info, request))                                                    \
  AS_REQUEST(function, COLL_PERSISTENT, init, (UNPACK arguments, info, request), by_agent)
#else
#define PERSISTENT(function, init, parameters, arguments, by_agent)
#endif

#include "coll/each_collective.h"

/* A function that completes requests passes its call on when those of agents are complete, or not
 * under way at all. */
#define COMPLETES(name, parameters, arguments, n, requests, first)                                 \
  WRAP(name, parameters, arguments)                                                                \
  if (LIKELY(requests_known == 0)) return mpi_next.name arguments;                                 \
  chain_own_begin();                                                                               \
  first;                                                                                           \
  int code = requests_code(n, requests);                                                           \
  chain_own_end();                                                                                 \
  int rc = mpi_next.name arguments;                                                                \
  return rc == MPI_SUCCESS ? code : rc;                                                            \
  }

COMPLETES(Wait, (MPI_Request * request, MPI_Status *status), (request, status), 1, request,
          requests_wait(1, request))
COMPLETES(Waitall, (int n, MPI_Request *requests, MPI_Status *statuses), (n, requests, statuses), n,
          requests, requests_wait(n, requests))
COMPLETES(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status), 1,
          request, requests_look())
COMPLETES(Testall, (int n, MPI_Request *requests, int *flag, MPI_Status *statuses),
          (n, requests, flag, statuses), n, requests, requests_look())
COMPLETES(Testany, (int n, MPI_Request *requests, int *index, int *flag, MPI_Status *status),
          (n, requests, index, flag, status), n, requests, requests_look())
COMPLETES(Testsome, (int n, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses),
          (n, requests, done, indices, statuses), n, requests, requests_look())
COMPLETES(Request_get_status, (MPI_Request request, int *flag, MPI_Status *status),
          (request, flag, status), 1, &request, requests_look())

/* Waits for one of several, which may be the MPI's: looks again and again. */
#define ONE_OF(name, test, parameters, arguments, test_arguments, over)                            \
  WRAP(name, parameters, arguments)                                                                \
  if (LIKELY(requests_known == 0)) return mpi_next.name arguments;                                 \
  chain_own_begin();                                                                               \
  int rc = MPI_SUCCESS, flag = 0, code = requests_code(n, requests);                               \
  bool under_way = requests_under_way(n, requests);                                                \
  chain_own_end();                                                                                 \
  if (!under_way) {                                                                                \
    rc = mpi_next.name arguments;                                                                  \
    return rc == MPI_SUCCESS ? code : rc;                                                          \
  }                                                                                                \
  for (int turn = 0; rc == MPI_SUCCESS; turn++) {                                                  \
    chain_own_begin();                                                                             \
    double looked = wait_now();                                                                    \
    requests_look();                                                                               \
    if (code == MPI_SUCCESS) code = requests_code(n, requests);                                    \
    chain_own_end();                                                                               \
    rc = mpi_next.test test_arguments;                                                             \
    if (over) break;                                                                               \
    chain_own_begin();                                                                             \
    wait_turn(turn, WAIT_NOBODY, looked);                                                          \
    chain_own_end();                                                                               \
  }                                                                                                \
  return rc == MPI_SUCCESS ? code : rc;                                                            \
  }

ONE_OF(Waitany, Testany, (int n, MPI_Request *requests, int *index, MPI_Status *status),
       (n, requests, index, status), (n, requests, index, &flag, status), flag)
ONE_OF(Waitsome, Testsome,
       (int n, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses),
       (n, requests, done, indices, statuses), (n, requests, done, indices, statuses),
       *done != 0 || flag)

WRAP(Start, (MPI_Request * request), (request))
int rc = MPI_SUCCESS;
if (UNLIKELY(requests_known > 0) && request) {
  chain_own_begin();
  rc = requests_start(*request);
  chain_own_end();
}
return rc == MPI_SUCCESS ? mpi_next.Start(request) : rc;
}

WRAP(Startall, (int n, MPI_Request *requests), (n, requests))
int rc = MPI_SUCCESS;
if (UNLIKELY(requests_known > 0) && requests) {
  chain_own_begin();
  for (int i = 0; i < n && rc == MPI_SUCCESS; i++) rc = requests_start(requests[i]);
  chain_own_end();
}
return rc == MPI_SUCCESS ? mpi_next.Startall(n, requests) : rc;
}

WRAP(Request_free, (MPI_Request * request), (request))
if (UNLIKELY(requests_known > 0) && request) {
  chain_own_begin();
  requests_forget(*request);
  chain_own_end();
}
return mpi_next.Request_free(request);
}

WRAP(Op_free, (MPI_Op * op), (op))
if (UNLIKELY(requests_known > 0) && op) {
  chain_own_begin();
  bool kept = requests_keep_op(*op);
  chain_own_end();
  if (kept) {
    *op = mpi.op_null;
    return MPI_SUCCESS;
  }
}
return mpi_next.Op_free(op);
}

/* A function that makes a communicator, at all of its ranks at once. */
#define MAKES_COMM(name, parameters, arguments)                                                    \
  WRAP(name, parameters, arguments)                                                                \
  int rc = mpi_next.name arguments;                                                                \
  if (UNLIKELY(coll_agents.active) && rc == MPI_SUCCESS) {                                         \
    chain_own_begin();                                                                             \
    coll_open(*made);                                                                              \
    chain_own_end();                                                                               \
  }                                                                                                \
  return rc;                                                                                       \
  }

MAKES_COMM(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
MAKES_COMM(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made))
MAKES_COMM(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made),
           (comm, color, key, made))
MAKES_COMM(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
           (comm, type, key, info, made))
MAKES_COMM(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
MAKES_COMM(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made),
           (comm, group, tag, made))
MAKES_COMM(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made), (comm, high, made))
MAKES_COMM(Cart_create,
           (MPI_Comm comm, int n, const int *dims, const int *periods, int reorder, MPI_Comm *made),
           (comm, n, dims, periods, reorder, made))
MAKES_COMM(Cart_sub, (MPI_Comm comm, const int *remain, MPI_Comm *made), (comm, remain, made))
MAKES_COMM(Graph_create,
           (MPI_Comm comm, int n, const int *index, const int *edges, int reorder, MPI_Comm *made),
           (comm, n, index, edges, reorder, made))
MAKES_COMM(Dist_graph_create,
           (MPI_Comm comm, int n, const int *nodes, const int *degrees, const int *targets,
            const int *weights, MPI_Info info, int reorder, MPI_Comm *made),
           (comm, n, nodes, degrees, targets, weights, info, reorder, made))
MAKES_COMM(Dist_graph_create_adjacent,
           (MPI_Comm comm, int in, const int *sources, const int *source_weights, int out,
            const int *targets, const int *target_weights, MPI_Info info, int reorder,
            MPI_Comm *made),
           (comm, in, sources, source_weights, out, targets, target_weights, info, reorder, made))
