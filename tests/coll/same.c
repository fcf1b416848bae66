/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a number for the bits of all ranks' results of each reduction: "NAME ELEMENTS HASH". The
 * operands depend on the rank alone, are of very different size and have no exact sum. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static uint64_t mix(uint64_t x)
{
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* Between -1 and 1, times a power of two; now and then 0, -0 or as large as can be. */
static double number(size_t i, int powers)
{
  uint64_t x = mix(mix(rank + 1) + i);
  double value = (double)(int64_t)x / 9.3e18;
  if (x % 97 == 0) return x % 2 ? 0.0 : -0.0;
  return ldexp(value, (int)(x / 97 % (2 * powers + 1)) - powers);
}

/* Rank 0 gets all ranks' results one after the other. */
static void print_hash(const char *name, size_t n, const void *result, size_t bytes)
{
  uint64_t own = 0xcbf29ce484222325u, all = 0, other;
  for (size_t i = 0; i < bytes; i++)
    own = (own ^ ((const unsigned char *)result)[i]) * 0x100000001b3u;
  if (rank > 0) MPI_Send(&own, 1, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < size; r++) {
    other = own;
    if (r > 0) MPI_Recv(&other, 1, MPI_UINT64_T, r, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    all = mix(all + other);
  }
  if (rank == 0) printf("%s %zu %016llx\n", name, n, (unsigned long long)all);
}

/* a + b + a * b: neither exact nor commutative in its last bit */
static void combine(void *in, void *inout, int *n, MPI_Datatype *type)
{
  (void)type;
  for (int i = 0; i < *n; i++) {
    double a = ((double *)in)[i], b = ((double *)inout)[i];
    ((double *)inout)[i] = a + b * 0.75 + a * b * 1e-3;
  }
}

int main(int argc, char **argv)
{
  static const size_t lengths[] = {1, 7, 100, 3000, 50000};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Op user;
  MPI_Op_create(combine, 0, &user);
  const struct {
    const char *name;
    MPI_Datatype type;
    MPI_Op op;
    size_t bytes, numbers; /* of an element */
    int powers;
  } kinds[] = {{"double sum", MPI_DOUBLE, MPI_SUM, 8, 1, 40},
               {"double sum of all sizes", MPI_DOUBLE, MPI_SUM, 8, 1, 1000},
               {"float sum", MPI_FLOAT, MPI_SUM, 4, 1, 20},
               {"complex sum", MPI_C_DOUBLE_COMPLEX, MPI_SUM, 16, 2, 40},
               {"double product", MPI_DOUBLE, MPI_PROD, 8, 1, 2},
               {"double maximum", MPI_DOUBLE, MPI_MAX, 8, 1, 1},
               {"float minimum", MPI_FLOAT, MPI_MIN, 4, 1, 1},
               {"user's", MPI_DOUBLE, user, 8, 1, 2}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
      size_t n = lengths[l], bytes = n * kinds[k].bytes;
      char *in = calloc(size, bytes), *out = calloc(size, bytes), name[64];
      int *counts = calloc(size, sizeof *counts);
      for (size_t i = 0; i < n * size * kinds[k].numbers; i++) {
        double x = number(i, kinds[k].powers);
        if (kinds[k].type == MPI_FLOAT)
          ((float *)in)[i] = (float)x;
        else
          ((double *)in)[i] = x;
      }
      for (int r = 0; r < size; r++) counts[r] = r % 2 ? (int)n : (int)n / 2;
      MPI_Datatype type = kinds[k].type;
      MPI_Op op = kinds[k].op;
#define PRINT(function, all)                                                                       \
  snprintf(name, sizeof name, "%s, %s", kinds[k].name, function);                                  \
  print_hash(name, n, out, all);                                                                   \
  memset(out, 0, size *bytes);
      MPI_Allreduce(in, out, (int)n, type, op, MPI_COMM_WORLD);
      PRINT("Allreduce", bytes)
      MPI_Reduce(in, out, (int)n, type, op, size - 1, MPI_COMM_WORLD);
      PRINT("Reduce", rank == size - 1 ? bytes : 0)
      MPI_Reduce_scatter_block(in, out, (int)n, type, op, MPI_COMM_WORLD);
      PRINT("Reduce_scatter_block", bytes)
      MPI_Reduce_scatter(in, out, counts, type, op, MPI_COMM_WORLD);
      PRINT("Reduce_scatter", counts[rank] * kinds[k].bytes)
      MPI_Scan(in, out, (int)n, type, op, MPI_COMM_WORLD);
      PRINT("Scan", bytes)
      MPI_Exscan(in, out, (int)n, type, op, MPI_COMM_WORLD);
      PRINT("Exscan", rank ? bytes : 0)
      free(in);
      free(out);
      free(counts);
    }
  }
  MPI_Op_free(&user);
  MPI_Finalize();
  return 0;
}
