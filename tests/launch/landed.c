/* SPDX-License-Identifier: BSD-3-Clause */
/* landed [KEYS]: every rank says where it is: "seen RANK HOST CPU CPU…", the CPUs that it may run
 * on. With KEYS, a file of `berth write split-key`, by its rank in the communicator that the keys
 * make.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The number in line `line` of a file. */
static int number_in(const char *path, int line)
{
  FILE *f = fopen(path, "r");
  int number = -1;
  for (int i = 0; f && i <= line; i++)
    if (fscanf(f, "%d", &number) != 1) MPI_Abort(MPI_COMM_WORLD, 2);
  if (!f) MPI_Abort(MPI_COMM_WORLD, 2);
  fclose(f);
  return number;
}

int main(int argc, char **argv)
{
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank, sum, ranks;
  char host[256], line[512];
  cpu_set_t cpus;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1) {
    MPI_Comm_split(MPI_COMM_WORLD, 0, number_in(argv[1], rank), &comm);
    MPI_Comm_rank(comm, &rank);
  }
  MPI_Comm_size(comm, &ranks);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm); /* all can talk to each other */
  if (sum != ranks * (ranks - 1) / 2) MPI_Abort(comm, 3);
  gethostname(host, sizeof host);
  sched_getaffinity(0, sizeof cpus, &cpus);
  int n = snprintf(line, sizeof line, "seen %d %s", rank, host);
  for (int c = 0; c < CPU_SETSIZE && n < (int)sizeof line - 16; c++)
    if (CPU_ISSET(c, &cpus)) n += sprintf(line + n, " %d", c);
  line[n++] = '\n';
  if (write(STDOUT_FILENO, line, (size_t)n) != n) MPI_Abort(comm, 4); /* whole, among the others' */
  MPI_Finalize();
  return 0;
}
