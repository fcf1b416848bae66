/* SPDX-License-Identifier: BSD-3-Clause */
/* bsort - bitonic sort of blocks on a hypercube of processes
 *
 * KEYS keys per process, skewed.  Each process sorts its block, then the blocks
 * are merged and split between partners rank^1, rank^2, rank^4, ... in the
 * order of Batcher's network.
 *
 *   mpirun -np 2^k ./bsort
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 20000 };

static int rank, nprocs;
static uint64_t key[KEYS], other[KEYS], merged[KEYS];

static uint64_t mix(uint64_t z)
{
  z += 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}

static int compare(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* both have a sorted block; one keeps the lower half of all keys, one the upper */
static void merge_split(int partner, int keep_low)
{
  MPI_Sendrecv(key, KEYS, MPI_UINT64_T, partner, 0, other, KEYS, MPI_UINT64_T, partner, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (keep_low) {
    for (int i = 0, a = 0, b = 0; i < KEYS; i++)
      merged[i] = key[a] <= other[b] ? key[a++] : other[b++];
  } else {
    for (int i = KEYS - 1, a = KEYS - 1, b = KEYS - 1; i >= 0; i--)
      merged[i] = key[a] > other[b] ? key[a--] : other[b--];
  }
  memcpy(key, merged, sizeof key);
}

static void checksum(uint64_t sum[2])
{
  uint64_t mine[2] = {0, 0};
  for (int i = 0; i < KEYS; i++) {
    mine[0] += key[i];
    mine[1] += mix(key[i]);
  }
  MPI_Allreduce(mine, sum, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
  uint64_t before[2], after[2], edge = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  if (nprocs & (nprocs - 1)) {
    if (rank == 0) fprintf(stderr, "bsort: the number of processes must be a power of two\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  for (int i = 0; i < KEYS; i++) {
    uint64_t h = mix((uint64_t)rank * KEYS + i);
    key[i] = h >> (h & 15);
  }
  checksum(before);

  double t = MPI_Wtime();
  qsort(key, KEYS, sizeof *key, compare);
  for (int size = 2; size <= nprocs; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      int partner = rank ^ step, ascending = (rank & size) == 0;
      merge_split(partner, (rank < partner) == ascending);
    }
  t = MPI_Wtime() - t;

  /* my first key must not be less than my left neighbour's last */
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int right = rank < nprocs - 1 ? rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(&key[KEYS - 1], 1, MPI_UINT64_T, right, 1, &edge, 1, MPI_UINT64_T, left, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int bad = key[0] < edge, all;
  for (int i = 1; i < KEYS; i++) bad += key[i] < key[i - 1];
  MPI_Reduce(&bad, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  checksum(after);
  if (rank == 0)
    printf("bsort %d keys: %.3f s, checksum %016lx %s\n", KEYS * nprocs, t, (unsigned long)after[1],
           all == 0 && before[0] == after[0] && before[1] == after[1] ? "PASSED" : "FAILED");
  MPI_Finalize();
  return 0;
}
