/* SPDX-License-Identifier: BSD-3-Clause */
/* The run that a pattern was recorded in: its time, and whether it was where estimates are for. */
#ifndef BERTH_COST_RECORDED_RUN_H
#define BERTH_COST_RECORDED_RUN_H

#include <berth/pattern.h>
#include <berth/topo.h>
#include <stdbool.h>

/* Seconds from MPI_Init to MPI_Finalize, of a rank in the mean; 0: unknown. */
double recorded_run_s(const berth_pattern_t *p);

/* Whether each rank was on the host where this placement has it. */
bool recorded_run_was_here(const berth_pattern_t *p, const berth_topo_t *t, const int *pu_of_rank);

#endif
