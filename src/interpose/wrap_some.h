/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrappers of single functions, for a library that does something itself instead of the MPI. */
#ifndef BERTH_INTERPOSE_WRAP_SOME_H
#define BERTH_INTERPOSE_WRAP_SOME_H

#include "interpose/mpi_table.h"

/* Begins a function: what follows is only for calls that the application makes. WRAP is for
 * MPI_name, WRAP_NAMED for a function of any name; `name` is that of the table. */
#define WRAP(name, parameters, arguments)     WRAP_MPI(name, parameters, arguments)
#define WRAP_MPI(name, parameters, arguments) WRAP_NAMED(MPI_##name, name, parameters, arguments)
#define WRAP_NAMED(...)                       WRAP_AS(__VA_ARGS__)
#define WRAP_AS(function, name, parameters, arguments)                                             \
  WRAP_ALIAS(P##function, function, parameters)                                                    \
  EXPORT int function parameters                                                                   \
  {                                                                                                \
    mpi_table_load();                                                                              \
    if (UNLIKELY(berth_interpose_own)) return mpi.name arguments;
#define WRAP_ALIAS(pmpi, function, parameters)                                                     \
  EXPORT int pmpi parameters __attribute__((alias(#function)));

#endif
