/* SPDX-License-Identifier: BSD-3-Clause */
/* What launcher formats need: the ranks by host, one CPU list for all hosts, and whether a plain
 * start puts processes on the mapping's CPUs. */
#ifndef BERTH_MAPPING_MAPPING_HOSTS_H
#define BERTH_MAPPING_MAPPING_HOSTS_H

#include <berth/mapping.h>

#include "base/out_file.h"

/* The program's name in a command line if the script of write_pin.c binds. `pin` is its file (NULL:
 * a placeholder). The caller frees it. NULL when memory is out. */
char *hosts_pinned(const char *pin);

/* The hosts that have ranks, in the topology's order. Their ranks are in increasing order, or in
 * the order of their PUs. Host i's ranks are rank[start[i] … start[i + 1] - 1]. */
typedef struct hosts {
  const berth_mapping_t *m;
  const berth_topo_t *t;
  int n;
  const char **name;
  int *start; /* n + 1 offsets */
  int *rank;
  int shared; /* two ranks have the same PU */
} hosts_t;

enum hosts_order { HOSTS_BY_RANK, HOSTS_BY_PU };

/* Fails with BERTH_BAD_INPUT if a host's name has characters other than letters, digits, '-', '_'
 * and '.': launchers would misread it. Free with hosts_clear, also after a failure. */
int hosts_init(hosts_t *h, const berth_mapping_t *m, const berth_topo_t *t, enum hosts_order order,
               berth_error_t *err);
void hosts_clear(hosts_t *h);

/* Writes a file with a line for each rank by `put`, after hosts_init's check of the names. */
typedef void hosts_put_t(out_file_t *out, const berth_topo_t *t, int rank, const berth_pu_t *pu);
int hosts_write_lines(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                      hosts_put_t *put, berth_error_t *err);

/* Checks the names of a mapping's hosts as hosts_init does, without making the lists. */
int hosts_check_names(const berth_mapping_t *m, const berth_topo_t *t, berth_error_t *err);

/* The operating system's number of a rank's CPU, and the topology's number of its host. */
int hosts_cpu(const berth_mapping_t *m, const berth_topo_t *t, int rank);
int hosts_number(const berth_mapping_t *m, const berth_topo_t *t, int rank);

/* An option for Open MPI's commands, followed by a blank, if ranks share PUs; else "". With a
 * rankfile or sequential hostfile, Open MPI assumes enough slots. Its ranks then don't yield the PU
 * while they wait, even with --oversubscribe (4.1.4). NULL when memory is out. */
const char *hosts_openmpi_yield(const berth_mapping_t *m, const berth_topo_t *t,
                                berth_error_t *err);

/* Finds one list, such as "3,0,1", that gives the i-th rank of every host its CPU. Hosts with fewer
 * ranks use its beginning. Each host must have all CPUs of the list, because launchers check that.
 * *list is NULL if no such list exists; the caller frees it. */
int hosts_cpu_list(const hosts_t *h, char **list, berth_error_t *err);

/* For formats that only set an order: how a plain start must go to use the mapping's CPUs. A plain
 * start has the same number of processes on each host in turn, on the same CPUs of each. Hosts are
 * in the order of their names, with digits as numbers: Slurm's order if its configuration uses
 * ranges. Fills *h with the ranks in the order of the processes, and *cpus with the CPU list of
 * each host. Fails with BERTH_BAD_INPUT and says what differs if no plain start fits. Free both,
 * also after a failure. */
int hosts_plain_start(hosts_t *h, const berth_mapping_t *m, const berth_topo_t *t, char **cpus,
                      berth_error_t *err);

/* The command of a plain start with Slurm, after `settings` of the environment: the result of
 * berth_writer_t.command. */
char *hosts_plain_command(const berth_mapping_t *m, const berth_topo_t *t, const char *settings,
                          berth_error_t *err);

#endif
