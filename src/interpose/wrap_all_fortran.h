/* SPDX-License-Identifier: BSD-3-Clause */
/* Fortran wrappers of every function, in all bindings, with the macros of wrap_all.h. */
#include "interpose/fortran_binding.h"
#include "interpose/inside.h"

#define WRAPPED_FORTRAN(symbol, pmpi_symbol, parameters, arguments, ...)                           \
  BEGIN(symbol, pmpi_symbol, parameters)                                                           \
  mpi_table_load();                                                                                \
  bool first = inside_enter(&inside_self, FRAME, CALLER);                                          \
  if (first) {                                                                                     \
    BEGINS(#symbol)                                                                                \
  }                                                                                                \
  pmpi arguments;                                                                                  \
  if (first) {                                                                                     \
    ENDED(#symbol)                                                                                 \
    inside_leave(&inside_self);                                                                    \
  }                                                                                                \
  }

#include "fortran_calls.h"
