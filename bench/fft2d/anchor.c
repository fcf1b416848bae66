/* SPDX-License-Identifier: BSD-3-Clause */
/* anchor REPEAT N: transforms a field of N x N complex numbers by FFTW's own MPI interface, as
 * examples/fft2d does: out of place, by plans of FFTW_ESTIMATE, with a transposed result. Prints
 * the median time of the slowest rank as JSON. */
#include <complex.h>
#include <fftw3-mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPEAT = 100 };

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
  ptrdiff_t rows, first, columns, first_column;
  double seconds[REPEAT];
  int rank, ranks, repeat = argc == 3 ? atoi(argv[1]) : 0, n = argc == 3 ? atoi(argv[2]) : 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (repeat < 1 || repeat > REPEAT || n < 1) MPI_Abort(MPI_COMM_WORLD, 2);
  fftw_mpi_init();
  ptrdiff_t room = fftw_mpi_local_size_2d_transposed(n, n, MPI_COMM_WORLD, &rows, &first, &columns,
                                                     &first_column);
  fftw_complex *in = fftw_alloc_complex((size_t)room), *out = fftw_alloc_complex((size_t)room);
  if (!in || !out) MPI_Abort(MPI_COMM_WORLD, 4);
  fftw_plan plan = fftw_mpi_plan_dft_2d(n, n, in, out, MPI_COMM_WORLD, FFTW_FORWARD,
                                        FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
  for (int r = 0; r < repeat; r++) {
    for (ptrdiff_t i = 0; i < room; i++) in[i] = (double)((first * n + i) % 1013), out[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double mine = -MPI_Wtime();
    fftw_execute(plan);
    mine += MPI_Wtime();
    MPI_Reduce(&mine, &seconds[r], 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    qsort(seconds, (size_t)repeat, sizeof *seconds, compare);
    printf("{\"by\": \"fftw\", \"n\": %d, \"ranks\": %d, \"seconds\": %.9f}\n", n, ranks,
           seconds[repeat / 2]);
  }
  fftw_destroy_plan(plan);
  fftw_free(in);
  fftw_free(out);
  MPI_Finalize();
  return 0;
}
