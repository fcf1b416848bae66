/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of the MPI library and of berth's next library, found at run time. berth's
 * libraries aren't linked with MPI, so that they can be loaded into a shell or any other
 * program. */
#ifndef BERTH_INTERPOSE_MPI_TABLE_H
#define BERTH_INTERPOSE_MPI_TABLE_H

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdbool.h>
#include <stddef.h>

#include "interpose/chain.h"

#define UNPACK(...) __VA_ARGS__

enum { NO_ROOT = -1000000 }; /* of collectives without a root; no MPI uses this value */

/* Functions that are wrapped individually, besides those of calls.def: X(name, parameters,
 * arguments). */
#define MPI_BY_HAND(X)                                                                             \
  X(Init, (int *argc, char ***argv), (argc, argv))                                                 \
  X(Init_thread, (int *argc, char ***argv, int required, int *provided),                           \
    (argc, argv, required, provided))                                                              \
  X(Finalize, (void), ())                                                                          \
  X(Abort, (MPI_Comm comm, int code), (comm, code))                                                \
  X(Start, (MPI_Request * request), (request))                                                     \
  X(Startall, (int count, MPI_Request *requests), (count, requests))                               \
  X(Request_free, (MPI_Request * request), (request))                                              \
  X(Pcontrol, (const int level, ...), (level))                                                     \
  MPI_SPAWNS(X) MPI_SESSIONS_BY_HAND(X)
#define MPI_SPAWNS(X)                                                                              \
  X(Comm_spawn,                                                                                    \
    (const char *command, char *argv[], int n, MPI_Info info, int root, MPI_Comm comm,             \
     MPI_Comm *inter, int *codes),                                                                 \
    (command, argv, n, info, root, comm, inter, codes))                                            \
  X(Comm_spawn_multiple,                                                                           \
    (int n, char *commands[], char **argv[], const int numbers[], const MPI_Info infos[],          \
     int root, MPI_Comm comm, MPI_Comm *inter, int *codes),                                        \
    (n, commands, argv, numbers, infos, root, comm, inter, codes))
#if MPI_VERSION >= 4
#define MPI_SESSIONS_BY_HAND(X)                                                                    \
  X(Session_init, (MPI_Info info, MPI_Errhandler handler, MPI_Session * session),                  \
    (info, handler, session))                                                                      \
  X(Session_finalize, (MPI_Session * session), (session))                                          \
  X(Comm_create_from_group,                                                                        \
    (MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm *comm),     \
    (group, tag, info, handler, comm))
#else
#define MPI_SESSIONS_BY_HAND(X)
#endif
/* Functions that libraries call for themselves. */
#define MPI_OTHERS(X)                                                                              \
  X(Query_thread)                                                                                  \
  X(Comm_rank)                                                                                     \
  X(Comm_size)                                                                                     \
  X(Comm_group)                                                                                    \
  X(Comm_remote_group)                                                                             \
  X(Comm_test_inter)                                                                               \
  X(Comm_create_keyval)                                                                            \
  X(Comm_free_keyval)                                                                              \
  X(Comm_set_attr)                                                                                 \
  X(Comm_get_attr)                                                                                 \
  X(Comm_set_errhandler)                                                                           \
  X(Group_size)                                                                                    \
  X(Group_free)                                                                                    \
  X(Group_translate_ranks)                                                                         \
  X(Group_union)                                                                                   \
  X(Type_size_x)                                                                                   \
  X(Type_get_envelope)                                                                             \
  X(Get_library_version)                                                                           \
  X(Win_create_keyval)                                                                             \
  X(Win_free_keyval)                                                                               \
  X(Win_set_attr)                                                                                  \
  X(Win_get_attr)                                                                                  \
  X(Alloc_mem)                                                                                     \
  X(Free_mem)                                                                                      \
  X(Win_attach)                                                                                    \
  X(Win_detach)                                                                                    \
  X(Win_get_group)                                                                                 \
  X(Win_shared_query)                                                                              \
  X(Win_sync)                                                                                      \
  X(Win_call_errhandler)                                                                           \
  X(Add_error_code)                                                                                \
  X(Add_error_string)                                                                              \
  X(Error_string)                                                                                  \
  X(Win_get_errhandler)                                                                            \
  X(Errhandler_free)                                                                               \
  X(Grequest_start)                                                                                \
  X(Grequest_complete)                                                                             \
  X(Status_set_elements)                                                                           \
  X(Status_set_cancelled)                                                                          \
  X(Type_get_contents)                                                                             \
  X(Type_create_keyval)                                                                            \
  X(Type_free_keyval)                                                                              \
  X(Type_set_attr)                                                                                 \
  X(Type_get_attr)                                                                                 \
  X(Info_get)                                                                                      \
  X(Request_get_status)                                                                            \
  X(Initialized)                                                                                   \
  X(Comm_get_parent)                                                                               \
  X(Topo_test)                                                                                     \
  X(Cartdim_get)                                                                                   \
  X(Cart_get)                                                                                      \
  X(Cart_shift)                                                                                    \
  X(Graph_neighbors_count)                                                                         \
  X(Dist_graph_neighbors_count)                                                                    \
  X(Graph_neighbors)                                                                               \
  X(Dist_graph_neighbors)                                                                          \
  X(File_get_errhandler)                                                                           \
  X(File_set_errhandler)                                                                           \
  X(Get_count)                                                                                     \
  X(Test_cancelled)                                                                                \
  X(Op_free)                                                                                       \
  X(Op_commutative)                                                                                \
  X(Reduce_local)                                                                                  \
  X(Type_get_extent_x)                                                                             \
  X(Type_get_true_extent_x)                                                                        \
  X(Type_contiguous)                                                                               \
  X(Type_create_struct)                                                                            \
  X(Type_create_hindexed)                                                                          \
  X(Pack)                                                                                          \
  X(Unpack)                                                                                        \
  X(Type_dup)                                                                                      \
  X(Type_commit)                                                                                   \
  X(Type_free)                                                                                     \
  X(Comm_call_errhandler)                                                                          \
  X(T_init_thread)                                                                                 \
  X(T_cvar_get_index)                                                                              \
  X(T_cvar_get_info)                                                                               \
  X(T_cvar_handle_alloc)                                                                           \
  X(T_cvar_handle_free)                                                                            \
  X(T_cvar_read)                                                                                   \
  X(T_cvar_write)

/* Functions of MPI 4. */
#if MPI_VERSION >= 4
#define MPI_OF_SESSIONS(X)                                                                         \
  X(Group_from_session_pset)                                                                       \
  X(Group_compare)                                                                                 \
  X(Win_shared_query_c)                                                                            \
  X(Type_get_envelope_c)                                                                           \
  X(Type_get_contents_c)
#else
#define MPI_OF_SESSIONS(X)
#endif

/* Conversions of Fortran's handles to C's, and back. Open MPI has functions; MPICH's handles are
 * the same. */
#ifdef OPEN_MPI
#define MPI_FROM_FORTRAN(X) X(Comm_f2c) X(Type_f2c) X(Request_f2c) X(Win_f2c) X(Op_f2c) X(Type_c2f)
#else
#define MPI_FROM_FORTRAN(X)
#endif

/* MPI 4 has persistent collectives. Open MPI 4.1 has them as its own extension. */
#if MPI_VERSION >= 4
#define PERSISTENT_NAME(name) MPI_##name
#define HAS_PERSISTENT        1
#elif defined OPEN_MPI
#define PERSISTENT_NAME(name) MPIX_##name
#define HAS_PERSISTENT        1
#else
#define HAS_PERSISTENT 0
#endif

/* Handles that are addresses in some MPIs: X(name, Open MPI's variable, constant). */
#define MPI_HANDLES(X)                                                                             \
  X(comm_world, ompi_mpi_comm_world, MPI_COMM_WORLD)                                               \
  X(comm_self, ompi_mpi_comm_self, MPI_COMM_SELF)                                                  \
  X(comm_null, ompi_mpi_comm_null, MPI_COMM_NULL)                                                  \
  X(type_null, ompi_mpi_datatype_null, MPI_DATATYPE_NULL)                                          \
  X(packed, ompi_mpi_packed, MPI_PACKED)                                                           \
  X(byte, ompi_mpi_byte, MPI_BYTE)                                                                 \
  X(c_char, ompi_mpi_char, MPI_CHAR)                                                               \
  X(signed_char, ompi_mpi_signed_char, MPI_SIGNED_CHAR)                                            \
  X(c_double, ompi_mpi_double, MPI_DOUBLE)                                                         \
  X(uint64, ompi_mpi_uint64_t, MPI_UINT64_T)                                                       \
  X(win_null, ompi_mpi_win_null, MPI_WIN_NULL)                                                     \
  X(errors_return, ompi_mpi_errors_return, MPI_ERRORS_RETURN)                                      \
  X(errors_are_fatal, ompi_mpi_errors_are_fatal, MPI_ERRORS_ARE_FATAL)                             \
  X(sum, ompi_mpi_op_sum, MPI_SUM)                                                                 \
  X(min, ompi_mpi_op_min, MPI_MIN)                                                                 \
  X(max, ompi_mpi_op_max, MPI_MAX)                                                                 \
  X(prod, ompi_mpi_op_prod, MPI_PROD)                                                              \
  X(land, ompi_mpi_op_land, MPI_LAND)                                                              \
  X(band, ompi_mpi_op_band, MPI_BAND)                                                              \
  X(lor, ompi_mpi_op_lor, MPI_LOR)                                                                 \
  X(bor, ompi_mpi_op_bor, MPI_BOR)                                                                 \
  X(lxor, ompi_mpi_op_lxor, MPI_LXOR)                                                              \
  X(bxor, ompi_mpi_op_bxor, MPI_BXOR)                                                              \
  X(maxloc, ompi_mpi_op_maxloc, MPI_MAXLOC)                                                        \
  X(minloc, ompi_mpi_op_minloc, MPI_MINLOC)                                                        \
  X(replace, ompi_mpi_op_replace, MPI_REPLACE)                                                     \
  X(no_op, ompi_mpi_op_no_op, MPI_NO_OP)                                                           \
  X(op_null, ompi_mpi_op_null, MPI_OP_NULL)                                                        \
  X(file_null, ompi_mpi_file_null, MPI_FILE_NULL)                                                  \
  X(info_null, ompi_mpi_info_null, MPI_INFO_NULL)                                                  \
  X(request_null, ompi_request_null, MPI_REQUEST_NULL)                                             \
  X(message_no_proc, ompi_message_no_proc, MPI_MESSAGE_NO_PROC)

/* Pointers to functions, by name. */
typedef struct mpi_table {
#define SEND(name, parameters, ...) int(*FORM(name)) parameters;
#define COLL(name, iname, init, parameters, ...)                                                   \
  int(*FORM(name)) parameters;                                                                     \
  int (*FORM(iname))(UNPACK parameters, MPI_Request * request);                                    \
  int (*FORM(init))(UNPACK parameters, MPI_Info info,                                              \
                    MPI_Request * request); /* NULL if there is none */
#include "interpose/each_call.h"
#define OTHER(name, ...) __typeof__(&PMPI_##name) name;
  MPI_BY_HAND(OTHER)
  MPI_OTHERS(OTHER)
  MPI_FROM_FORTRAN(OTHER)
  MPI_OF_SESSIONS(OTHER)
#undef OTHER
#define HANDLE(name, variable, constant) __typeof__(constant) name;
  MPI_HANDLES(HANDLE)
#undef HANDLE
} mpi_table_t;

/* `mpi` has the MPI's PMPI_ functions, for calls that a library makes for itself; no library
 * counts these. `mpi_next` is for calls that wrappers pass on: the next library's wrappers, else
 * PMPI_ functions. */
extern mpi_table_t mpi, mpi_next;

/* For wrappers that do nothing but pass their call on. */
static inline const mpi_table_t *mpi_passed_on(void)
{
  return UNLIKELY(berth_interpose_own) ? &mpi : &mpi_next;
}

/* Return false for handles that can't be a communicator, datatype or window. Looking these up
 * would raise an error on MPI_COMM_WORLD before the application's call raises it, maybe
 * elsewhere. Freed handles can't be recognised; their error may be raised twice. */
#ifdef OPEN_MPI
static inline bool may_be_comm(MPI_Comm handle) { return handle; }
static inline bool may_be_type(MPI_Datatype handle) { return handle; }
static inline bool may_be_win(MPI_Win handle) { return handle; }
#else
/* MPICH: the upper two bits say how the object is stored (0: it isn't). The next four are its
 * kind: 1 a communicator, 3 a datatype, 8 a window. */
static inline bool may_be_comm(MPI_Comm handle)
{
  return (unsigned)handle >> 30 && ((unsigned)handle >> 26 & 15) == 1;
}
static inline bool may_be_type(MPI_Datatype handle)
{
  return (unsigned)handle >> 30 && ((unsigned)handle >> 26 & 15) == 3;
}
static inline bool may_be_win(MPI_Win handle)
{
  return (unsigned)handle >> 30 && ((unsigned)handle >> 26 & 15) == 8;
}
#endif

/* Fills the tables, once; safe in any thread. Returns false if the process's MPI isn't the one
 * that this library was built for. Calls are then passed on and not recorded. */
bool mpi_table_load(void);

/* Writes the MPI's name and version: "Open MPI 4.1.4", "MPICH 4.0.2". */
void mpi_version(char *buf, size_t size);

#ifdef OPEN_MPI
/* The address of a variable of the MPI, which is a handle's value; NULL: it has none of that name.
 */
void *mpi_variable(const char *name);
#endif

#endif
