/* SPDX-License-Identifier: BSD-3-Clause */
/* The client side of a measuring job: its ranks, and experiments by src/measure's protocol. */
#ifndef BERTH_CALIB_JOB_MEASURING_JOB_H
#define BERTH_CALIB_JOB_MEASURING_JOB_H

#include <berth/calib.h>
#include <berth/error.h>
#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/machine_load.h"
#include "base/process.h"

typedef struct job_rank {
  char *host, *cpus; /* "0-3,8", "" when unknown */
  load_t load;       /* of its host, when the job began; 0 cores when unknown */
} job_rank_t;

typedef struct job {
  char launcher[64]; /* its name, cut */
  void (*other_line)(const char *line);
  bool is_ready; /* its ranks have said where they are */
  process_t process;
  char begin[96]; /* of its lines of the protocol */
  char *buffer;
  size_t used, cap;
  job_rank_t *ranks;
  int n_ranks;
  char *mpi, *inside, *between; /* version and transports */
} job_t;

/* Starts `argv` with pipes and waits until its ranks have said where they are. `other_line` gets
 * the lines without the run's secret, which the measuring program has as its argument: they are for
 * the user. */
int job_start(job_t *job, char *const *argv, const char *secret, void (*other_line)(const char *),
              berth_error_t *err);

/* Whether all its ranks are on one host. */
bool job_is_one_host(const job_t *job);

/* The rank on the host that had the most to do for its cores when the job began. */
const job_rank_t *job_busiest(const job_t *job);

/* Binds a rank to one CPU; a system that refuses is no error. */
int job_bind(job_t *job, int rank, int cpu, berth_error_t *err);

/* Has an experiment done; seconds has room for a value per flow. rank_of_pu translates flows. On a
 * busy machine it may take long: the job has at least patience_s to answer. */
int job_run(job_t *job, const berth_calib_experiment_t *e, const int *rank_of_pu, double patience_s,
            double *seconds, berth_error_t *err);

/* Gives it a line of the protocol, with its end. */
int job_say(job_t *job, const char *text, berth_error_t *err);
/* Its next line, parsed; the caller deletes it. */
int job_line(job_t *job, double patience_s, cJSON **out, berth_error_t *err);

/* Ends the job, kindly when it is well, and frees everything. */
void job_end(job_t *job, bool kindly);

/* The signal that asked for the end while a job was up, 0 for none. */
int job_interrupted(void);

#endif
