/* SPDX-License-Identifier: BSD-3-Clause */
/* Call sites: from functions, an inlined function, a callback of the C library, a library that is
 * loaded, unloaded and loaded again. The line that each site has to have is marked by a comment.
 * Most are used several times, from here and from there in turns.
 *   sites PLUGIN */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

static int rank;
static char out[64], in[64];

__attribute__((noinline)) static void own(int size)
{
  MPI_Request r;
  MPI_Irecv(in, 64, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &r);
  MPI_Send(out, size, MPI_BYTE, rank, 0, MPI_COMM_WORLD); /* SITE own */
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void outer(void)
{
  own(1); /* SITE outer */
  own(2); /* SITE outer again */
}

__attribute__((always_inline)) static inline void inlined(void)
{
  MPI_Request r;
  MPI_Isend(out, 3, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &r); /* SITE inlined */
  MPI_Recv(in, 64, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static int compare(const void *a, const void *b)
{
  (void)a, (void)b;
  MPI_Sendrecv(out, 4, MPI_BYTE, rank, 0, in, 64, MPI_BYTE, rank, 0, MPI_COMM_WORLD, /* SITE cb */
               MPI_STATUS_IGNORE);
  return 0;
}

static void from_plugin(const char *path)
{
  for (int i = 0; i < 3; i++) {
    void *library = dlopen(path, RTLD_NOW);
    if (!library) MPI_Abort(MPI_COMM_WORLD, 1);
    void (*run)(int) = (void (*)(int))dlsym(library, "plugin_run");
    run(rank); /* SITE plugin */
    dlclose(library);
  }
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (volatile int round = 0; round < 3; round++) {
    outer();   /* SITE main outer */
    inlined(); /* SITE main inlined */
    int two[2] = {1, 2};
    qsort(two, 2, sizeof *two, compare); /* SITE main qsort */
  }
  if (argc > 1) from_plugin(argv[1]);  /* SITE main plugin */
  MPI_Finalize();
  return 0;
}
