/* SPDX-License-Identifier: BSD-3-Clause */
/* What an MPI can be told of its collective operations, and how. */
#ifndef BERTH_ADVICE_ADVICE_MPI_H
#define BERTH_ADVICE_ADVICE_MPI_H

#include <berth/advice.h>

#include "base/out_file.h"
#include "schedule/schedule_told.h"

typedef struct advice_mpi {
  const char *rules; /* of schedule_rules_load */
  /* Whether the file can tell of the operation without harm, in calls that block. Others have other
   * algorithms: those of Open MPI's libnbc, and MPICH's schedules. */
  bool (*is_told)(schedule_op_t op);
  /* Ranks and bytes by which the MPI looks up what it was told for a call. */
  void (*find)(const schedule_request_t *q, int *ranks, uint64_t *bytes);
  /* Settings are sorted by operation, ranks and bytes. */
  void (*write)(out_file_t *out, const berth_setting_t *settings, size_t n);
  const char *command; /* what precedes and follows the file's name */
  const char *rest;
} advice_mpi_t;

extern const advice_mpi_t advice_openmpi, advice_mpich;

/* The MPI whose rules have that name; NULL: berth knows none of its settings. */
const advice_mpi_t *advice_mpi_find(const char *rules);

#endif
