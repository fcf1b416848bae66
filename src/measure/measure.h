/* SPDX-License-Identifier: BSD-3-Clause */
/* The measuring program that `berth calibrate` starts. It reads commands on rank 0's standard input
 * and answers in JSON Lines on standard output. It knows nothing of topologies. Its argument is the
 * run's secret, which each line repeats: other lines are output of the job.
 *
 *   bind RANK CPU                      bind a rank to one CPU of its host
 *   stream SIZE BATCH DEPTH WARM WARM_S COUNT TIME_S HOLD_S FLOWS SRC DST [SRC DST …]
 *                                      one flow: COUNT batches after WARM others; several: what
 *                                      arrives within TIME_S, WARM_S after the start. They go on
 *                                      for HOLD_S
 *   pingpong SIZE WARM COUNT SRC DST
 *   serial                             serial reductions of all ranks (serial.h)
 *   strided SAMPLES                    messages whose data lie in blocks (strided.h)
 *   quit
 *
 * At the start it says who is there. Then one line answers each experiment:
 *
 *   {"berth-measure":1,"run":"SECRET","ranks":16,"mpi":"Open MPI 4.1.4","inside":"vader",
 *    "between":"tcp"}
 *   {"berth-measure":1,"run":"SECRET","rank":0,"host":"h0","cpus":"0-1","load":0.31,
 *    "cores":2}
 *   {"berth-measure":1,"run":"SECRET","ready":true}
 *   {"berth-measure":1,"run":"SECRET","seconds":[0.0214]}
 *   {"berth-measure":1,"run":"SECRET","error":"…"} */
#ifndef BERTH_MEASURE_H
#define BERTH_MEASURE_H

#include <stddef.h>

#include "base/machine_load.h"

enum { PLACE_HOST = 256, PLACE_CPUS = 1024, PLACE_NAME = 64 };

/* Where a process runs. */
typedef struct place {
  char host[PLACE_HOST];
  char cpus[PLACE_CPUS]; /* CPUs that it may run on, such as "0-3,8"; "": unknown */
  load_t load;           /* of its host, when the program began */
} place_t;

void place_find(place_t *place);
/* Returns false if the system refuses. */
int place_bind(int cpu);

/* How messages travel inside a host and between hosts, as far as that can be found. */
typedef struct transport {
  char mpi[PLACE_NAME], inside[PLACE_NAME], between[PLACE_NAME];
} transport_t;
void transport_find(transport_t *t);

/* Whether a rank is on this rank's host. */
int measure_is_near(int rank);
/* Waits for all ranks. Those that have nothing to do leave their cores to the others. */
void measure_wait(void);

/* Memory as large arrays of programs lie in, touched, so that the system has given its pages. NULL
 * if memory is out. Free it with measure_memory_free, which takes NULL. */
char *measure_memory(size_t bytes);
void measure_memory_free(char *p);

/* One experiment, as rank 0 sends it to the participants. */
typedef struct experiment {
  int pingpong;
  int batch, depth, n_flows;
  long warm, count;
  double warm_s, time_s, hold_s;
  size_t size;
} experiment_t;

typedef struct flow {
  int src, dst; /* ranks */
} flow_t;

/* Takes part in an experiment. `go` is called after all preparations, and returns when all ranks
 * are ready. Fills seconds[i] for each flow that ends here. Returns 0, or -1 if memory is out
 * (before `go`). */
int engine_run(const experiment_t *e, const flow_t *flows, int rank, void (*go)(void *),
               void *context, double *seconds);

#endif
