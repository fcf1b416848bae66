/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages whose data lie in blocks, as two ranks of a measuring job measure them: the command
 * `strided` of src/measure. */
#ifndef BERTH_CALIB_JOB_STRIDED_JOB_H
#define BERTH_CALIB_JOB_STRIDED_JOB_H

#include <berth/strided.h>

#include "calib/job/measuring_job.h"

/* Has them measured, with so many samples of a value (at most 12 count), and adds the tables to a
 * record. The job needs two ranks, the first ones, on one host. `tell` hears how many parts are
 * done, of how many. BERTH_BAD_INPUT for other jobs. */
int strided_job_measure(job_t *job, int samples, berth_node_t *to,
                        void (*tell)(int done, int parts), berth_error_t *err);

#endif
