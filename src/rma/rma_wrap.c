/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of MPI that the library takes. The MPIs' Fortran libraries call these, too. */
#include <stdio.h>

#include "interpose/wrap_some.h"
#include "job/job_wait.h"
#include "rma/allocated.h"
#include "rma/epoch.h"
#include "rma/operation.h"
#include "rma/rma_error.h"
#include "rma/window_info.h"

/* A function of a window: `does` is what berth does, with w. */
#define ON_WINDOW(...) ON_WINDOW_(__VA_ARGS__)
#define ON_WINDOW_(name, parameters, arguments, handle, does)                                      \
  WRAP(name, parameters, arguments)                                                                \
  rma_window_t *w = window_find(handle);                                                           \
  if (!w) return mpi_next.name arguments;                                                          \
  chain_own_begin();                                                                               \
  error_function = "MPI_" #name;                                                                   \
  wait_call = (wait_call_t){"MPI_" #name, CALLER, w->memory.world, false};                         \
  int rc = does;                                                                                   \
  chain_own_end();                                                                                 \
  return rc;                                                                                       \
  }

/* --- the job --- */

static int init(int *argc, char ***argv, int required, int *provided)
{
  rma_job_ask(&required);
  int rc = mpi_next.Init_thread(argc, argv, required, provided);
  if (rc == MPI_SUCCESS) rma_job_begin(*provided);
  return rc;
}

WRAP(Init, (int *argc, char ***argv), (argc, argv))
int provided;
return init(argc, argv, MPI_THREAD_SINGLE, &provided);
}

WRAP(Init_thread, (int *argc, char ***argv, int required, int *provided),
     (argc, argv, required, provided))
return init(argc, argv, required, provided);
}

WRAP(Finalize, (void), ())
rma_job_end();
return mpi_next.Finalize();
}

/* --- memory --- */

WRAP(Alloc_mem, (MPI_Aint size, MPI_Info info, void *base), (size, info, base))
void *found = allocated_new(size, info);
if (!found) return mpi_next.Alloc_mem(size, info, base);
*(void **)base = found;
return MPI_SUCCESS;
}

WRAP(Free_mem, (void *base), (base))
return allocated_free(base) ? MPI_SUCCESS : mpi_next.Free_mem(base);
}

/* --- windows --- */

#define MAKES_WINDOW(name, parameters, arguments, flavor, base, size, unit)                        \
  WRAP(name, parameters, arguments)                                                                \
  chain_own_begin();                                                                               \
  int rc = window_make(flavor, base, size, unit, info, comm, win);                                 \
  chain_own_end();                                                                                 \
  return rc == PASS_ON ? mpi_next.name arguments : rc;                                             \
  }

#define COUNT      int
#define DISPL      int
#define FORM(name) name
#include "rma/rma_forms.h"
#if MPI_VERSION >= 4
#define COUNT      MPI_Count
#define DISPL      MPI_Aint
#define FORM(name) name##_c
#include "rma/rma_forms.h"
#endif

MAKES_WINDOW(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *win), (info, comm, win),
             MPI_WIN_FLAVOR_DYNAMIC, &(void *){NULL}, 0, 1)

ON_WINDOW(Win_free, (MPI_Win * win), (win), *win, window_end(w, win))
ON_WINDOW(Win_attach, (MPI_Win win, void *base, MPI_Aint size), (win, base, size), win,
          window_attach(w, base, size))
ON_WINDOW(Win_detach, (MPI_Win win, const void *base), (win, base), win, window_detach(w, base))
ON_WINDOW(Win_get_group, (MPI_Win win, MPI_Group *group), (win, group), win, window_group(w, group))
ON_WINDOW(Win_get_attr, (MPI_Win win, int key, void *value, int *flag), (win, key, value, flag),
          win, window_attribute(w, key, value, flag))

WRAP(Error_string, (int code, char *text, int *length), (code, text, length))
const char *own = error_text(code);
if (!own) return mpi_next.Error_string(code, text, length);
*length = snprintf(text, MPI_MAX_ERROR_STRING, "%s", own);
return MPI_SUCCESS;
}

/* --- epochs --- */

ON_WINDOW(Win_fence, (int assertion, MPI_Win win), (assertion, win), win, epoch_fence(w, assertion))
ON_WINDOW(Win_start, (MPI_Group group, int assertion, MPI_Win win), (group, assertion, win), win,
          epoch_start(w, group, assertion))
ON_WINDOW(Win_complete, (MPI_Win win), (win), win, epoch_complete(w))
ON_WINDOW(Win_post, (MPI_Group group, int assertion, MPI_Win win), (group, assertion, win), win,
          epoch_post(w, group))
ON_WINDOW(Win_wait, (MPI_Win win), (win), win, epoch_wait(w))
ON_WINDOW(Win_test, (MPI_Win win, int *flag), (win, flag), win, epoch_test(w, flag))
ON_WINDOW(Win_lock, (int type, int rank, int assertion, MPI_Win win), (type, rank, assertion, win),
          win, epoch_lock(w, type, rank, assertion))
ON_WINDOW(Win_unlock, (int rank, MPI_Win win), (rank, win), win, epoch_unlock(w, rank))
ON_WINDOW(Win_lock_all, (int assertion, MPI_Win win), (assertion, win), win,
          epoch_lock_all(w, assertion))
ON_WINDOW(Win_unlock_all, (MPI_Win win), (win), win, epoch_unlock_all(w))
ON_WINDOW(Win_flush, (int rank, MPI_Win win), (rank, win), win, epoch_flush(w, rank, false))
ON_WINDOW(Win_flush_local, (int rank, MPI_Win win), (rank, win), win, epoch_flush(w, rank, true))
ON_WINDOW(Win_flush_all, (MPI_Win win), (win), win, epoch_flush(w, EPOCH_ALL, false))
ON_WINDOW(Win_flush_local_all, (MPI_Win win), (win), win, epoch_flush(w, EPOCH_ALL, true))
ON_WINDOW(Win_sync, (MPI_Win win), (win), win, epoch_sync(w))

/* --- operations that have one form --- */

ON_WINDOW(Fetch_and_op,
          (const void *buf, void *result, MPI_Datatype type, int target, MPI_Aint displ, MPI_Op op,
           MPI_Win win),
          (buf, result, type, target, displ, op, win), win,
          operation_do(w, &(operation_call_t){.kind = OPERATION_GET_ACCUMULATE,
                                              .origin = buf,
                                              .origin_count = 1,
                                              .origin_type = type,
                                              .result = result,
                                              .result_count = 1,
                                              .result_type = type,
                                              .target = target,
                                              .displacement = displ,
                                              .count = 1,
                                              .type = type,
                                              .op = op}))
ON_WINDOW(Compare_and_swap,
          (const void *buf, const void *compare, void *result, MPI_Datatype type, int target,
           MPI_Aint displ, MPI_Win win),
          (buf, compare, result, type, target, displ, win), win,
          operation_do(w, &(operation_call_t){.kind = OPERATION_COMPARE,
                                              .origin = buf,
                                              .origin_count = 1,
                                              .origin_type = type,
                                              .result = result,
                                              .result_count = 1,
                                              .result_type = type,
                                              .compare = compare,
                                              .target = target,
                                              .displacement = displ,
                                              .count = 1,
                                              .type = type}))
