/* SPDX-License-Identifier: BSD-3-Clause */
/* core_wait CASE FOLDER: two ranks that share a core.
 *   alike   both compute for 0.3 s of it
 *   meets   rank 0 does, rank 1 waits for its message
 * What the system says that a rank waited for the core outside of MPI calls goes to FOLDER/RANK, as
 * nanoseconds: at least, from MPI_Init's return to MPI_Finalize's call, and at most, from before
 * the one to behind the other; -1 -1 if the system doesn't say. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static long long waited(void)
{
  long long ran, wait, turns = 0;
  FILE *f = fopen("/proc/thread-self/schedstat", "r");
  if (f && fscanf(f, "%lld %lld %lld", &ran, &wait, &turns) != 3) turns = 0;
  if (f) fclose(f);
  return turns > 0 ? wait : -1;
}

static double cpu_s(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute(void)
{
  for (double end = cpu_s() + 0.3; cpu_s() < end;) continue;
}

int main(int argc, char **argv)
{
  char path[4096], byte = 0;
  int rank;
  long long before = waited(), in_call = 0;
  MPI_Init(&argc, &argv);
  long long begun = waited();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int meets = strcmp(argv[1], "meets") == 0;
  snprintf(path, sizeof path, "%s/%d", argv[2], rank);
  if (rank == 0 || !meets) compute();
  if (meets && rank == 0) MPI_Send(&byte, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  if (meets && rank == 1) {
    in_call = waited();
    MPI_Recv(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    in_call = waited() - in_call;
  }
  long long ended = waited();
  MPI_Finalize();
  long long after = waited();
  FILE *f = fopen(path, "w");
  fprintf(f, "%lld %lld\n", begun < 0 ? -1 : ended - begun - in_call,
          begun < 0 ? -1 : after - before - in_call);
  return fclose(f) != 0;
}
