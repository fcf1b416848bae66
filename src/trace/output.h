/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the trace goes, and what its header says of the process. */
#ifndef BERTH_TRACE_OUTPUT_H
#define BERTH_TRACE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The trace's file, from BERTH_TRACE_FILE, in which %j stands for the job's identity (with
 * SPOOL_SPAWNED behind it if another job spawned this one) and %% for a percent sign; by default
 * berth-PROGRAM-ID.acp with Slurm's job or rank 0's process as ID. Relative to the folder that the
 * process is in now. False, and "", when it doesn't fit. */
bool output_trace_path(char *buf, size_t size);

/* Whether berth chose that name, or part of it. */
bool output_trace_is_chosen(void);

/* The folder of the spool files: BERTH_TRACE_SPOOL, or berth-spool-USER in TMPDIR or /tmp. False,
 * and "", when it doesn't fit. */
bool output_spool_dir(char *buf, size_t size);

/* Words of the process's command line, each with its NUL; returns their bytes. */
uint32_t output_header_command(char *buf, size_t size);

/* "Open MPI 4.1.4", "MPICH 4.0.2". */
void output_header_mpi(char *buf, size_t size);

/* The PU that the process is bound to: the first one where it is bound to the hardware threads of
 * one core, -1 where it may use more. */
int32_t output_header_pu(void);

#endif
