/* SPDX-License-Identifier: BSD-3-Clause */
/* frames KIND CALLS: so many calls of MPI_Barrier from a function whose frame is of a kind, which
 * main calls from two places in turns. */
#include <alloca.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION __attribute__((noinline, noclone)) static void
#define KEEP(x)  __asm__ volatile("" : : "r"(x) : "memory") /* the frame has to hold it */

static int calls;

FUNCTION plain(int i)
{
  KEEP(&i);
  MPI_Barrier(MPI_COMM_WORLD);
  KEEP(&i);
}

/* The size isn't known, so the frame ends at a distance from the base pointer. */
FUNCTION dynamic(int i)
{
  char *room = alloca((size_t)(i % 7 + 1) * 100);
  KEEP(room);
  MPI_Barrier(MPI_COMM_WORLD);
  KEEP(room);
}

/* The stack is aligned for a vector, so where the frame ends is kept in a slot. */
FUNCTION aligned(int i)
{
  _Alignas(64) double vector[8] = {i};
  char *room = alloca((size_t)(i % 7 + 1) * 100);
  KEEP(vector);
  KEEP(room);
  MPI_Barrier(MPI_COMM_WORLD);
  KEEP(vector);
}

FUNCTION deep(int i)
{
  if (i % 5 == 0)
    dynamic(i);
  else
    aligned(i);
  KEEP(&i);
}

int main(int argc, char **argv)
{
  static void (*const kinds[])(int) = {plain, dynamic, aligned, deep};
  static const char *const names[] = {"plain", "dynamic", "aligned", "deep"};
  MPI_Init(&argc, &argv);
  calls = atoi(argv[2]);
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < calls && strcmp(argv[1], names[k]) == 0; i += 2) {
      kinds[k](i);
      kinds[k](i + 1);
    }
  }
  MPI_Finalize();
  return 0;
}
