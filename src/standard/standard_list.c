/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of standard patterns. */
#include <string.h>

#include "standard/standard_internal.h"

#define CUBE (BERTH_STANDARD_BLOCK | BERTH_STANDARD_PERIODIC)

static const berth_standard_t standards[] = {
    {"ring", "each rank sends to the next one, the last one to the first", 0, 0,
     BERTH_STANDARD_MESSAGE, 0, 0, 65536},
    {"stencil2d", "exchange of halos with the neighbours in a plane", 2, 2,
     CUBE | BERTH_STANDARD_CORNERS, 1024, 8, 0},
    {"stencil3d", "exchange of halos with the neighbours in space", 3, 3,
     CUBE | BERTH_STANDARD_CORNERS, 64, 8, 0},
    {"lattice4d", "exchange of faces in four dimensions, as in lattice QCD", 4, 4, CUBE, 16, 96, 0},
    {"cg", "conjugate gradients: stencil3d and two sums over all ranks", 3, 3,
     CUBE | BERTH_STANDARD_CORNERS, 64, 8, 0},
    {"sweep", "wavefronts over a plane from each of its four corners", 2, 3, BERTH_STANDARD_BLOCK,
     64, 64, 0},
    {"fft2d", "two-dimensional transform in slabs: two all-to-alls", 0, 2, BERTH_STANDARD_BLOCK,
     1024, 16, 0},
    {"fft3d", "three-dimensional transform in pencils, by rows and columns", 2, 3,
     BERTH_STANDARD_BLOCK, 64, 16, 0},
    {"alltoall", "each rank sends to each other one: one all-to-all", 0, 0, BERTH_STANDARD_MESSAGE,
     0, 0, 4096},
    {"allreduce", "a sum over all ranks, which all get", 0, 0, BERTH_STANDARD_MESSAGE, 0, 0, 65536},
    {"hypercube", "exchange with the ranks whose number differs in one bit", 0, 0,
     BERTH_STANDARD_MESSAGE, 0, 0, 65536},
    {"farm", "rank 0 sends tasks to all others, which send results back", 0, 0,
     BERTH_STANDARD_MESSAGE, 0, 0, 16384},
};
enum { STANDARDS = sizeof standards / sizeof *standards };

/* In the order of the list. */
static const standard_maker_t makers[STANDARDS] = {
    {standard_ring, STANDARD_TWO},       {standard_stencil, STANDARD_GRID},
    {standard_stencil, STANDARD_GRID},   {standard_stencil, STANDARD_GRID},
    {standard_cg, STANDARD_GRID},        {standard_sweep, STANDARD_GRID},
    {standard_fft2d, STANDARD_NONE},     {standard_fft3d, STANDARD_NONE},
    {standard_alltoall, STANDARD_NONE},  {standard_allreduce, STANDARD_NONE},
    {standard_hypercube, STANDARD_BITS}, {standard_farm, STANDARD_TWO},
};

const berth_standard_t *berth_standards(size_t *n)
{
  *n = STANDARDS;
  return standards;
}

const berth_standard_t *berth_standard_find(const char *name)
{
  for (size_t i = 0; i < STANDARDS; i++)
    if (strcmp(standards[i].name, name) == 0) return &standards[i];
  return NULL;
}

const standard_maker_t *standard_maker(const berth_standard_t *standard)
{
  return &makers[standard - standards];
}
