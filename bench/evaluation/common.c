/* SPDX-License-Identifier: BSD-3-Clause */
#include "common.h"

#include <errno.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void app_fail(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  MPI_Abort(MPI_COMM_WORLD, 2);
  abort();
}

void *app_alloc(size_t n, size_t size)
{
  void *memory = calloc(n ? n : 1, size);
  if (!memory) app_fail("no memory for %zu values of %zu bytes", n, size);
  return memory;
}

int app_argument(int argc, char **argv, int i, int value, int low, int high)
{
  if (i >= argc) return value;
  char *end;
  errno = 0;
  long number = strtol(argv[i], &end, 10);
  if (errno || end == argv[i] || *end || number < low || number > high)
    app_fail("%s: argument %d is '%s', expected a whole number from %d to %d", argv[0], i, argv[i],
             low, high);
  return (int)number;
}

/* The finaliser of the SplitMix64 generator (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x)
{
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

double app_random(uint64_t key) { return (double)(mix(key) >> 11) * 0x1p-53; }

uint64_t app_term(uint64_t number, double value)
{
  uint64_t bits;
  value += 0.0; /* -0 becomes 0 */
  memcpy(&bits, &value, sizeof bits);
  return mix(bits ^ mix(number));
}

void app_print(const char *name, uint64_t checksum, double began, const char *format, ...)
{
  int me, tasks;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &tasks);
  uint64_t sum = 0;
  double slowest = 0;
  MPI_Reduce(&checksum, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  double seconds = MPI_Wtime() - began;
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (me) return;
  va_list arguments;
  printf("%s: %d tasks, ", name, tasks);
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  printf(", checksum %016llx, %.3f s\n", (unsigned long long)sum, slowest);
}
