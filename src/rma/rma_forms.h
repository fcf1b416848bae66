/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that have a form for large counts. Included once for each form, with COUNT, DISPL and
 * FORM defined; it has no guard. */

MAKES_WINDOW(FORM(Win_create),
             (void *base, MPI_Aint size, DISPL unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
             (base, size, unit, info, comm, win), MPI_WIN_FLAVOR_CREATE, &base, size, unit)
MAKES_WINDOW(FORM(Win_allocate),
             (MPI_Aint size, DISPL unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
             (size, unit, info, comm, base, win), MPI_WIN_FLAVOR_ALLOCATE, (void **)base, size,
             unit)
MAKES_WINDOW(FORM(Win_allocate_shared),
             (MPI_Aint size, DISPL unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
             (size, unit, info, comm, base, win), MPI_WIN_FLAVOR_SHARED, (void **)base, size, unit)

ON_WINDOW(FORM(Win_shared_query), (MPI_Win win, int rank, MPI_Aint *size, DISPL *unit, void *base),
          (win, rank, size, unit, base), win, ({
            int64_t found = 0;
            int query = window_query(w, rank, size, &found, base);
            *unit = (DISPL)found;
            query;
          }))

#define PUT(name, parameters, arguments, asked)                                                    \
  ON_WINDOW(FORM(name), parameters, arguments, win,                                                \
            operation_do(w, &(operation_call_t){.kind = OPERATION_PUT,                             \
                                                .origin = buf,                                     \
                                                .origin_count = count,                             \
                                                .origin_type = type,                               \
                                                .target = target,                                  \
                                                .displacement = displ,                             \
                                                .count = target_count,                             \
                                                .type = target_type,                               \
                                                .request = asked}))
PUT(Put, (const void *buf, TARGET_PARAMS, MPI_Win win), (TARGET_ARGS, win), NULL)
PUT(Rput, (const void *buf, TARGET_PARAMS, MPI_Win win, MPI_Request *request),
    (TARGET_ARGS, win, request), request)

#define GET(name, parameters, arguments, asked)                                                    \
  ON_WINDOW(FORM(name), parameters, arguments, win,                                                \
            operation_do(w, &(operation_call_t){.kind = OPERATION_GET,                             \
                                                .result = buf,                                     \
                                                .result_count = count,                             \
                                                .result_type = type,                               \
                                                .target = target,                                  \
                                                .displacement = displ,                             \
                                                .count = target_count,                             \
                                                .type = target_type,                               \
                                                .request = asked}))
GET(Get, (void *buf, TARGET_PARAMS, MPI_Win win), (TARGET_ARGS, win), NULL)
GET(Rget, (void *buf, TARGET_PARAMS, MPI_Win win, MPI_Request *request),
    (TARGET_ARGS, win, request), request)

#define ACCUMULATE(name, parameters, arguments, asked)                                             \
  ON_WINDOW(FORM(name), parameters, arguments, win,                                                \
            operation_do(w, &(operation_call_t){.kind = OPERATION_ACCUMULATE,                      \
                                                .origin = buf,                                     \
                                                .origin_count = count,                             \
                                                .origin_type = type,                               \
                                                .target = target,                                  \
                                                .displacement = displ,                             \
                                                .count = target_count,                             \
                                                .type = target_type,                               \
                                                .op = op,                                          \
                                                .request = asked}))
ACCUMULATE(Accumulate, (const void *buf, TARGET_PARAMS, MPI_Op op, MPI_Win win),
           (TARGET_ARGS, op, win), NULL)
ACCUMULATE(Raccumulate,
           (const void *buf, TARGET_PARAMS, MPI_Op op, MPI_Win win, MPI_Request *request),
           (TARGET_ARGS, op, win, request), request)

#define GET_ACCUMULATE(name, parameters, arguments, asked)                                         \
  ON_WINDOW(FORM(name), parameters, arguments, win,                                                \
            operation_do(w, &(operation_call_t){.kind = OPERATION_GET_ACCUMULATE,                  \
                                                .origin = buf,                                     \
                                                .origin_count = count,                             \
                                                .origin_type = type,                               \
                                                .result = result,                                  \
                                                .result_count = result_count,                      \
                                                .result_type = result_type,                        \
                                                .target = target,                                  \
                                                .displacement = displ,                             \
                                                .count = target_count,                             \
                                                .type = target_type,                               \
                                                .op = op,                                          \
                                                .request = asked}))
GET_ACCUMULATE(Get_accumulate, (GET_ACCUMULATE_PARAMS), (GET_ACCUMULATE_ARGS), NULL)
GET_ACCUMULATE(Rget_accumulate, (GET_ACCUMULATE_PARAMS, MPI_Request *request),
               (GET_ACCUMULATE_ARGS, request), request)

#undef PUT
#undef GET
#undef ACCUMULATE
#undef GET_ACCUMULATE
#undef COUNT
#undef DISPL
#undef FORM
