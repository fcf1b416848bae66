/* SPDX-License-Identifier: BSD-3-Clause */
/* Building blocks for wrappers of Fortran's functions. Open MPI's Fortran library calls C's PMPI_
 * functions, MPICH's some of C's MPI_ functions. So a call counts where the application makes it,
 * and the thread's mark hides the calls inside.
 *
 * Wrappers pass their arguments on unchanged to the function of the same binding.
 * fortran_calls.h, which generate/fortran_names.c writes, has a line for each function. */
#ifndef BERTH_INTERPOSE_FORTRAN_BINDING_H
#define BERTH_INTERPOSE_FORTRAN_BINDING_H

#include <stdatomic.h>
#include <stddef.h>

#include "interpose/mpi_table.h"

/* A function of the next library or of the MPI's Fortran library, found at its first call. */
typedef struct fortran_function {
  _Atomic(void *) address;
  const char *name, *pmpi;
} fortran_function_t;

/* These ask the dynamic loader. */
void fortran_nobody(void);
void *fortran_find_slow(fortran_function_t *f);
void *fortran_find_other_slow(fortran_function_t *f);

static inline void *fortran_find(fortran_function_t *f)
{
  void *address = atomic_load_explicit(&f->address, memory_order_relaxed);
  return LIKELY(address) ? address : fortran_find_slow(f);
}

/* A function of the application with a name such as mpi_send, which C programmers use, too. NULL
 * if the function is MPI's. */
static inline void *fortran_find_other(fortran_function_t *f)
{
  void *address = atomic_load_explicit(&f->address, memory_order_relaxed);
  if (UNLIKELY(!address)) address = fortran_find_other_slow(f);
  return address == (void *)fortran_nobody ? NULL : address;
}

/* Conversions of Fortran's handles and addresses to C's. MPICH's mpi_f08 has descriptors of
 * buffers. */
#ifdef OPEN_MPI
static inline MPI_Comm fortran_comm(MPI_Fint handle) { return mpi.Comm_f2c(handle); }
static inline MPI_Request fortran_request(MPI_Fint handle) { return mpi.Request_f2c(handle); }
static inline MPI_Win fortran_win(MPI_Fint handle) { return mpi.Win_f2c(handle); }
static inline MPI_Op fortran_op(MPI_Fint handle) { return mpi.Op_f2c(handle); }
#else
static inline MPI_Comm fortran_comm(MPI_Fint handle) { return handle; }
static inline MPI_Request fortran_request(MPI_Fint handle) { return handle; }
static inline MPI_Win fortran_win(MPI_Fint handle) { return handle; }
static inline MPI_Op fortran_op(MPI_Fint handle) { return handle; }
#endif
const void *fortran_choice(const void *buffer);
const void *fortran_choice_f08(const void *buffer);

/* Declare C's arguments from Fortran's. */
#define VALUE(type_t, name) const type_t name = *(const type_t *)f_##name;
#define LIST(type_t, name)  const type_t *name = f_##name;
#define COMM(name)          MPI_Comm name = fortran_comm(*(const MPI_Fint *)f_##name);
#define WIN(name)           MPI_Win name = fortran_win(*(const MPI_Fint *)f_##name);
#define REDUCTION(name)     MPI_Op name = fortran_op(*(const MPI_Fint *)f_##name);
#define REQUEST(name)       MPI_Request name = fortran_request(*(const MPI_Fint *)f_##name);
#define NEW(win)            fortran_win(*(win))
#define NEW_COMM(comm)      fortran_comm(*(comm))
#define CHOICE(name)        const void *name = fortran_choice(f_##name);
#define CHOICE_F08(name)    const void *name = fortran_choice_f08(f_##name);

/* mpi_f08's ierror may be missing. MPI's result then goes to a local variable. */
#define ERROR                                                                                      \
  MPI_Fint own_error = MPI_SUCCESS;                                                                \
  if (!f_ierror) f_ierror = &own_error
#define REFUSED UNLIKELY(*(const MPI_Fint *)f_ierror != MPI_SUCCESS)

/* The exported name is an alias, so that mpif.h's other names and the PMPI names can be aliases
 * of the same function. Programs that define MPI's names themselves call the PMPI names. */
#define BEGIN(symbol, pmpi_symbol, parameters)                                                     \
  static fortran_function_t of_##symbol = {NULL, #symbol, #pmpi_symbol};                           \
  typedef void symbol##t parameters;                                                               \
  EXPORT symbol##t symbol __attribute__((alias("body_" #symbol)));                                 \
  EXPORT symbol##t pmpi_symbol __attribute__((alias("body_" #symbol)));                            \
  static __attribute__((noinline, used)) void body_##symbol parameters                             \
  {                                                                                                \
    symbol##t *pmpi = fortran_find(&of_##symbol);

/* Spellings of mpif.h's names by other compilers. The call at the end is a jump, so the function
 * isn't among a call site's frames. */
#define NAMES(symbol, upper, twice, plain, parameters, arguments)                                  \
  EXPORT symbol##t upper __attribute__((alias("body_" #symbol)));                                  \
  EXPORT symbol##t twice __attribute__((alias("body_" #symbol)));                                  \
  EXPORT symbol##t P##upper __attribute__((alias("body_" #symbol)));                               \
  EXPORT symbol##t p##twice __attribute__((alias("body_" #symbol)));                               \
  EXPORT symbol##t plain;                                                                          \
  void plain parameters                                                                            \
  {                                                                                                \
    static fortran_function_t other = {NULL, #plain, #symbol};                                     \
    symbol##t *function = fortran_find_other(&other);                                              \
    if (LIKELY(!function)) function = body_##symbol;                                               \
    function arguments;                                                                            \
  }

#endif
