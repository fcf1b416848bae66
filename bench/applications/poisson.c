/* SPDX-License-Identifier: BSD-3-Clause */
/* Poisson's equation on a square of N x N points by PETSc's conjugate gradients. Their scatters of
 * ghost points are persistent sends, which are started in each multiplication by the matrix. Rank 0
 * prints a line "persistent SOURCE DESTINATION MESSAGES BYTES" for each pair of ranks, of what the
 * matrix's columns and PETSc's count of multiplications say. */
#include <petscdmda.h>
#include <petscksp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 64 };

static void fill(DM grid, Mat matrix)
{
  PetscInt x0, y0, width, height;
  DMDAGetCorners(grid, &x0, &y0, NULL, &width, &height, NULL);
  for (PetscInt j = y0; j < y0 + height; j++) {
    for (PetscInt i = x0; i < x0 + width; i++) {
      MatStencil row = {.i = i, .j = j}, column[5] = {row};
      PetscScalar value[5] = {4, -1, -1, -1, -1};
      PetscInt n = 1;
      if (i > 0) column[n++] = (MatStencil){.i = i - 1, .j = j};
      if (i < N - 1) column[n++] = (MatStencil){.i = i + 1, .j = j};
      if (j > 0) column[n++] = (MatStencil){.i = i, .j = j - 1};
      if (j < N - 1) column[n++] = (MatStencil){.i = i, .j = j + 1};
      MatSetValuesStencil(matrix, 1, &row, n, column, value, INSERT_VALUES);
    }
  }
  MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY);
}

/* How many points of each rank this one needs to multiply, by rank. */
static void count_ghosts(Mat matrix, int ranks, PetscInt *points)
{
  Mat others;
  const PetscInt *column, *first;
  PetscInt n;
  MatMPIAIJGetSeqAIJ(matrix, NULL, &others, &column);
  MatGetSize(others, NULL, &n);
  MatGetOwnershipRangesColumn(matrix, &first);
  for (PetscInt i = 0; i < n; i++) {
    for (int r = 0; r < ranks; r++) points[r] += column[i] >= first[r] && column[i] < first[r + 1];
  }
}

static int multiplications(void)
{
  PetscLogEvent event;
  PetscEventPerfInfo info;
  PetscLogEventGetId("MatMult", &event);
  PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info);
  return info.count;
}

static int print_persistent(Mat matrix)
{
  int rank, ranks, times = multiplications();
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  size_t n = (size_t)ranks;
  PetscInt *mine = calloc(n, sizeof *mine), *all = calloc(n * n, sizeof *all);
  if (!mine || !all) return 1;
  count_ghosts(matrix, ranks, mine);
  /* in parentheses: not PETSc's macro, which would add its bytes to -log_view's messages */
  int failed = (MPI_Gather)(mine, ranks, MPIU_INT, all, ranks, MPIU_INT, 0, PETSC_COMM_WORLD);
  for (size_t i = 0; rank == 0 && !failed && i < n * n; i++) {
    if (all[i])
      printf("persistent %d %d %d %lld\n", (int)(i % n), (int)(i / n), times,
             (long long)all[i] * (long long)sizeof(PetscScalar) * times);
  }
  free(mine);
  free(all);
  return failed;
}

int main(int argc, char **argv)
{
  DM grid;
  KSP solver;
  Mat matrix;
  Vec right, solution;
  PetscInt iterations;
  PetscReal norm;
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  PetscLogDefaultBegin();
  DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, N, N,
               PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL, &grid);
  DMSetUp(grid);
  DMCreateMatrix(grid, &matrix);
  DMCreateGlobalVector(grid, &right);
  VecDuplicate(right, &solution);
  VecSet(right, 1.0);
  fill(grid, matrix);
  KSPCreate(PETSC_COMM_WORLD, &solver);
  KSPSetType(solver, KSPCG);
  KSPSetOperators(solver, matrix, matrix);
  KSPSolve(solver, right, solution);
  KSPGetIterationNumber(solver, &iterations);
  VecNorm(solution, NORM_2, &norm);
  PetscPrintf(PETSC_COMM_WORLD, "iterations %d, norm %.10g\n", (int)iterations, (double)norm);
  if (print_persistent(matrix)) MPI_Abort(PETSC_COMM_WORLD, 1);
  KSPDestroy(&solver);
  MatDestroy(&matrix);
  VecDestroy(&right);
  VecDestroy(&solution);
  DMDestroy(&grid);
  return PetscFinalize();
}
