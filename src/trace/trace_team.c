/* SPDX-License-Identifier: BSD-3-Clause */
/* A team (team/team.h) of the job's ranks, by MPI messages. */
#include "trace/trace_team.h"

#include "trace/tracer.h"

/* Messages go in pieces, so that a rank without memory for one can still receive it. */
enum { TAG = 1, PIECE = 1 << 16 };

static char scrap[PIECE];

static int piece(size_t left) { return left < PIECE ? (int)left : PIECE; }

static int send_bytes(void *context, int to, const void *bytes, size_t n)
{
  (void)context;
  for (size_t at = 0; at < n; at += PIECE)
    if (mpi.Send((const char *)bytes + at, piece(n - at), mpi.byte, to, TAG, tracer.comm) !=
        MPI_SUCCESS)
      return 1;
  return 0;
}

static int receive_bytes(void *context, int from, void *bytes, size_t n)
{
  (void)context;
  for (size_t at = 0; at < n; at += PIECE)
    if (mpi.Recv(bytes ? (char *)bytes + at : scrap, piece(n - at), mpi.byte, from, TAG,
                 tracer.comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      return 1;
  return 0;
}

berth_team_t team_of_ranks(void)
{
  return (berth_team_t){
      .rank = tracer.rank, .size = tracer.ranks, .send = send_bytes, .receive = receive_bytes};
}

bool team_all(MPI_Comm comm, bool good)
{
  uint64_t mine = good, minimum = 0;
  return mpi.Allreduce(&mine, &minimum, 1, mpi.uint64, mpi.min, comm) == MPI_SUCCESS && minimum;
}
