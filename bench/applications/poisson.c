/* SPDX-License-Identifier: BSD-3-Clause */
/* Poisson's equation on a square of N x N points by PETSc's conjugate gradients. Their scatters of
 * ghost points are persistent sends, which are started once in each iteration. */
#include <petscdmda.h>
#include <petscksp.h>

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

int main(int argc, char **argv)
{
  DM grid;
  KSP solver;
  Mat matrix;
  Vec right, solution;
  PetscInt iterations;
  PetscReal norm;
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
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
  KSPDestroy(&solver);
  MatDestroy(&matrix);
  VecDestroy(&right);
  VecDestroy(&solution);
  DMDestroy(&grid);
  return PetscFinalize();
}
