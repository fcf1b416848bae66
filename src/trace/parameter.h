/* SPDX-License-Identifier: BSD-3-Clause */
/* What the job has set for its MPI, of which estimates need what chooses the algorithms of
 * collective operations. */
#ifndef BERTH_TRACE_PARAMETER_H
#define BERTH_TRACE_PARAMETER_H

/* Records the environment variables with MCA parameters of Open MPI's collective components, which
 * `mpirun --mca` sets, too, and those with control variables of MPICH. Of a file of dynamic rules
 * it records the text. What is longer than some KiB, or finds no room, isn't recorded. */
void parameters_record(void);

#endif
