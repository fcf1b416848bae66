/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a team of the processes of an MPI job. */
#include "team/mpi/team_mpi.h"

#include <mpi.h>
#include <time.h>

enum { SPINS = 200, MAX_NAP_NS = 1000000, PART = 1 << 20, TAG = 1 };

/* Waits asleep. The other processes may work for minutes, on cores that this process would keep
 * busy. Naps grow from a microsecond to a millisecond. */
static void wait_asleep(MPI_Request *request)
{
  int done = 0;
  for (long looks = 0;; looks++) {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    long ns = (looks - SPINS) * 1000;
    struct timespec nap = {0, ns < MAX_NAP_NS ? ns : MAX_NAP_NS};
    if (ns > 0) nanosleep(&nap, NULL);
  }
}

/* MPI counts in int. MPI's error handler ends the processes, so no call returns an error. */
static int part(size_t left) { return left < PART ? (int)left : PART; }

static int send_bytes(void *context, int to, const void *bytes, size_t n)
{
  (void)context;
  for (size_t done = 0; done < n; done += PART) {
    MPI_Request request;
    MPI_Isend((const char *)bytes + done, part(n - done), MPI_BYTE, to, TAG, MPI_COMM_WORLD,
              &request);
    wait_asleep(&request);
  }
  return 0;
}

static char unwanted[PART];

static int receive_bytes(void *context, int from, void *bytes, size_t n)
{
  (void)context;
  for (size_t done = 0; done < n; done += PART) {
    MPI_Request request;
    MPI_Irecv(bytes ? (char *)bytes + done : unwanted, part(n - done), MPI_BYTE, from, TAG,
              MPI_COMM_WORLD, &request);
    wait_asleep(&request);
  }
  return 0;
}

void team_mpi_join(berth_team_t *team)
{
  int level; /* only the thread that starts MPI uses it */
  MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
  *team = (berth_team_t){.size = 1, .send = send_bytes, .receive = receive_bytes};
  MPI_Comm_rank(MPI_COMM_WORLD, &team->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &team->size);
}

void team_mpi_leave(void)
{
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  wait_asleep(&request);
  MPI_Finalize();
}
