/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of MPI as numbers. */
#ifndef BERTH_TRACE_OP_H
#define BERTH_TRACE_OP_H

#include "interpose/mpi_table.h"

/* The functions' numbers, for call sites, collectives and times. */
typedef enum op {
#define OP_(name)                    OP_##name,
#define OP(name)                     OP_(name)
#define SEND(name, ...)              OP(FORM(name))
#define COLL(name, iname, init, ...) OP(FORM(name)) OP(FORM(iname)) OP(FORM(init))
#define UNMODELLED(name, ...)        OP(FORM(name))
#define TIMED(name, ...)             OP(FORM(name))
#include "interpose/each_call.h"
  OP_Comm_spawn,
  OP_Comm_spawn_multiple,
  OP_Start,
  OP_Startall,
  OP_Request_free,
  N_OPS,
  /* has no site */
  OP_PARTITION = N_OPS /* of a partitioned send */
} op_t;
extern const char *const wrap_op_names[N_OPS]; /* "Send" */

#endif
