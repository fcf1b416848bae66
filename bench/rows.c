/* SPDX-License-Identifier: BSD-3-Clause */
/* For trace_size.sh: a thousand call sites of MPI_Alltoallv, at each of which each rank sends each
 * another number of bytes. Each rank prints how long MPI_Finalize took, how much memory it had at
 * most before, and by how much that rose, in MiB. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 16 /* bytes to one rank */ };

static int rank, ranks, site;
static int *counts, *places, *in_counts;
static char *out, *in;

static void prepare(void)
{
  site++;
  for (int i = 0; i < ranks; i++) {
    counts[i] = (3 * rank + 5 * i + site) % 13 + 1;
    in_counts[i] = (3 * i + 5 * rank + site) % 13 + 1;
  }
}

#define TEN(x) x x x x x x x x x x
#define CALL                                                                                       \
  prepare();                                                                                       \
  MPI_Alltoallv(out, counts, places, MPI_BYTE, in, in_counts, places, MPI_BYTE, MPI_COMM_WORLD);

static void call_all(void) { TEN(TEN(TEN(CALL))) }

static double most_memory(void)
{
  char line[256];
  long kib = 0;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f))
    if (strncmp(line, "VmHWM:", 6) == 0) kib = atol(line + 6);
  if (f) fclose(f);
  return (double)kib / 1024;
}

int main(int argc, char **argv)
{
  struct timespec begin, end;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  counts = malloc((size_t)ranks * sizeof *counts);
  in_counts = malloc((size_t)ranks * sizeof *in_counts);
  places = malloc((size_t)ranks * sizeof *places);
  out = calloc((size_t)ranks, MOST);
  in = calloc((size_t)ranks, MOST);
  if (!counts || !in_counts || !places || !out || !in) return 1;
  for (int i = 0; i < ranks; i++) places[i] = MOST * i;
  call_all();
  MPI_Barrier(MPI_COMM_WORLD);
  double before = most_memory();
  clock_gettime(CLOCK_MONOTONIC, &begin);
  MPI_Finalize();
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("rows %d %.2f %.1f %.1f\n", rank,
         (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec), before,
         most_memory() - before);
  free(counts);
  free(in_counts);
  free(places);
  free(out);
  free(in);
  return 0;
}
