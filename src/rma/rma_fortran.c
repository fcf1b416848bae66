/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Win_get_attr of Fortran's bindings: the one function of windows for which neither MPI's
 * Fortran library calls C's. */
#include "interpose/fortran_binding.h"
#include "rma/window_info.h"

/* Fortran has numbers where C has pointers to them. */
static bool attribute(void *f_win, void *f_key, void *f_value, void *f_flag, void *f_ierror)
{
  mpi_table_load();
  rma_window_t *w = window_find(fortran_win(*(const MPI_Fint *)f_win));
  MPI_Aint value;
  int key = *(const MPI_Fint *)f_key;
#ifndef OPEN_MPI
  key--; /* MPICH tells languages apart by the lowest bit */
#endif
  if (!w || berth_interpose_own || !window_number_attribute(w, key, &value)) return false;
  *(MPI_Aint *)f_value = value;
  *(MPI_Fint *)f_flag = 1;
  if (f_ierror) *(MPI_Fint *)f_ierror = MPI_SUCCESS;
  return true;
}

#define PARAMETERS (void *f_win, void *f_key, void *f_value, void *f_flag, void *f_ierror)
#define ARGUMENTS  (f_win, f_key, f_value, f_flag, f_ierror)

BEGIN(mpi_win_get_attr_, pmpi_win_get_attr_, PARAMETERS)
if (!attribute ARGUMENTS) pmpi ARGUMENTS;
}
NAMES(mpi_win_get_attr_, MPI_WIN_GET_ATTR, mpi_win_get_attr__, mpi_win_get_attr, PARAMETERS,
      ARGUMENTS)

#ifdef OPEN_MPI
BEGIN(mpi_win_get_attr_f08_, pmpi_win_get_attr_f08_, PARAMETERS)
#else
BEGIN(mpi_win_get_attr_f08_, pmpir_win_get_attr_f08_, PARAMETERS)
#endif
if (!attribute ARGUMENTS) pmpi ARGUMENTS;
}
