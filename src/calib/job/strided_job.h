/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages whose data lie in blocks, as two ranks of a measuring job measure them: the command
 * `strided` of src/measure. */
#ifndef BERTH_CALIB_JOB_STRIDED_JOB_H
#define BERTH_CALIB_JOB_STRIDED_JOB_H

#include <berth/strided.h>

#include "calib/job/measuring_job.h"

/* Whether the job has two ranks on one host, as is needed. BERTH_BAD_INPUT if not. */
int strided_job_check(const job_t *job, berth_error_t *err);

/* Has them measured, with so many samples of a value (at most 12 count), and adds the tables to a
 * record. `tell` hears how many parts are done, of how many. BERTH_BAD_INPUT for jobs that the
 * check refuses. */
int strided_job_measure(job_t *job, int samples, berth_node_t *to,
                        void (*tell)(int done, int parts), berth_error_t *err);

#endif
