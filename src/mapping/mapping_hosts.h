/* SPDX-License-Identifier: BSD-3-Clause */
/* What the writers for launchers share: the ranks by host, whether one list of CPUs is right for
 * all hosts, and whether a job that is started in plain order is on the mapping's CPUs. */
#ifndef BERTH_MAPPING_MAPPING_HOSTS_H
#define BERTH_MAPPING_MAPPING_HOSTS_H

#include <berth/mapping.h>

/* What stands in the place of ./app where the wrapper binds, whose file is `pin` (NULL: a
 * placeholder). The caller frees it; NULL: out of memory. */
char *hosts_pinned(const char *pin);

/* The hosts that have ranks, in the topology's order, each with its ranks in increasing order, or
 * in the order of their PUs. Host i's are rank[start[i] … start[i + 1] - 1]. */
typedef struct hosts {
  const berth_mapping_t *m;
  const berth_topo_t *t;
  int n;
  const char **name;
  int *start; /* n + 1 offsets */
  int *rank;
  int shared; /* some PU has several ranks */
} hosts_t;

enum hosts_order { HOSTS_BY_RANK, HOSTS_BY_PU };

/* Fails with BERTH_BAD_INPUT where a host's name would break the launchers' files: these take
 * letters, digits, '-', '_' and '.'. Free with hosts_clear, also after a failure. */
int hosts_init(hosts_t *h, const berth_mapping_t *m, const berth_topo_t *t, enum hosts_order order,
               berth_error_t *err);
void hosts_clear(hosts_t *h);

/* The same of one mapping without the lists: whether all its hosts' names are such. */
int hosts_check_names(const berth_mapping_t *m, const berth_topo_t *t, berth_error_t *err);

/* The operating system's number of a rank's CPU, and the number of its host in the topology. */
int hosts_cpu(const berth_mapping_t *m, const berth_topo_t *t, int rank);
int hosts_number(const berth_mapping_t *m, const berth_topo_t *t, int rank);

/* What Open MPI's commands need where ranks share PUs, with a blank behind it; else "". Open MPI
 * takes the slots of a rankfile or a sequential hostfile as enough for all ranks, so that these
 * don't yield the PU while they wait, whatever --oversubscribe says (4.1.4). NULL: out of memory.
 */
const char *hosts_openmpi_yield(const berth_mapping_t *m, const berth_topo_t *t,
                                berth_error_t *err);

/* The list that gives the i-th rank of every host its CPU, "3,0,1", where there is one: hosts with
 * fewer ranks take its beginning, and have all of its CPUs, since launchers refuse a list with
 * others. *list is NULL where there is none; the caller frees it. */
int hosts_cpu_list(const hosts_t *h, char **list, berth_error_t *err);

/* For what is told by order alone: the job is started in plain order, equally many processes on
 * each host in turn, on the same CPUs of each; hosts in the order of their names, numbers in them
 * as numbers, which is Slurm's order wherever its configuration has nodes in ranges. Fills *h with
 * the ranks in the order of these processes and *cpus with each host's list. Fails with
 * BERTH_BAD_INPUT, naming what differs, where no such start is on the mapping's CPUs. Free both,
 * also after a failure. */
int hosts_plain_start(hosts_t *h, const berth_mapping_t *m, const berth_topo_t *t, char **cpus,
                      berth_error_t *err);

/* The command that starts a job so with Slurm, behind `settings` of the environment: what
 * berth_writer_t.command returns. */
char *hosts_plain_command(const berth_mapping_t *m, const berth_topo_t *t, const char *settings,
                          berth_error_t *err);

#endif
