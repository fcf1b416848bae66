/* SPDX-License-Identifier: BSD-3-Clause */
/* fft [TIMES]: transforms a field of 64 x 64 x 64 complex numbers forth and back by FFTW's MPI
 * interface, ten times or as often as it is told, and prints how far the result is from what it
 * began with. */
#include <complex.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 64 };

int main(int argc, char **argv)
{
  ptrdiff_t n, first;
  int rank, times = argc > 1 ? atoi(argv[1]) : 10;
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ptrdiff_t room = fftw_mpi_local_size_3d(SIDE, SIDE, SIDE, MPI_COMM_WORLD, &n, &first);
  fftw_complex *x = fftw_alloc_complex((size_t)room);
  fftw_plan forth =
      fftw_mpi_plan_dft_3d(SIDE, SIDE, SIDE, x, x, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_plan back =
      fftw_mpi_plan_dft_3d(SIDE, SIDE, SIDE, x, x, MPI_COMM_WORLD, FFTW_BACKWARD, FFTW_ESTIMATE);
  for (ptrdiff_t i = 0; i < n * SIDE * SIDE; i++) x[i] = (double)((first * SIDE * SIDE + i) % 1013);
  for (int t = 0; t < times; t++) {
    fftw_execute(forth);
    fftw_execute(back);
    for (ptrdiff_t i = 0; i < n * SIDE * SIDE; i++) x[i] /= (double)SIDE * SIDE * SIDE;
  }
  double off = 0, max;
  for (ptrdiff_t i = 0; i < n * SIDE * SIDE; i++)
    off = fmax(off, cabs(x[i] - (double)((first * SIDE * SIDE + i) % 1013)));
  MPI_Reduce(&off, &max, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("off by %s\n", max < 1e-9 ? "less than 1e-9" : "1e-9 or more");
  fftw_destroy_plan(forth);
  fftw_destroy_plan(back);
  fftw_free(x);
  MPI_Finalize();
  return 0;
}
