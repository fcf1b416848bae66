/* SPDX-License-Identifier: BSD-3-Clause */
/* Seats the ranks of the measuring job on PUs of the topology. */
#include "calib/job/seats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "calib/number_list.h"

/* How many CPUs a list has; with cpu >= 0 whether that one is in it. An empty list is unknown:
 * all. */
static int in_list(const char *list, int cpu)
{
  if (!*list) return cpu < 0 ? 1 << 24 : 1;
  return number_list_count(list, cpu);
}

int seats_find_host(const berth_topo_t *t, const char *name)
{
  int found = berth_topo_find_host(t, name);
  size_t n = strcspn(name, ".");
  for (int h = 0; found < 0 && h < berth_topo_n_hosts(t); h++) {
    const char *theirs = berth_topo_host(t, h)->name;
    size_t m = strcspn(theirs, ".");
    if (n == m && strncmp(name, theirs, n) == 0 && (!name[n] || !theirs[m])) found = h;
  }
  return found;
}

typedef struct sitter {
  int rank, host, choice;
} sitter_t;

ORDER_BY(by_choice, sitter_t, RISING(choice) RISING(rank))

static int unknown_host(const berth_topo_t *t, const char *path, const job_t *job, int rank,
                        berth_error_t *err)
{
  enum { MAX_HOSTS = 3 };
  char hosts[MAX_HOSTS * 64] = "";
  size_t used = 0;
  int n = berth_topo_n_hosts(t);
  for (int h = 0; h < n && h < MAX_HOSTS; h++)
    used += (size_t)snprintf(hosts + used, sizeof hosts - used, "%s\"%.48s\"", h ? ", " : "",
                             berth_topo_host(t, h)->name);
  if (n == 0) snprintf(hosts, sizeof hosts, "which has none");
  return berth_fail(err, BERTH_BAD_INPUT,
                    "found rank %d on host \"%.60s\", expected a host of %.120s: %s%s", rank,
                    job->ranks[rank].host, path, hosts, n > MAX_HOSTS ? ", …" : "");
}

static int find_sitters(const berth_topo_t *t, const char *path, const job_t *job, sitter_t *s,
                        berth_error_t *err)
{
  for (int r = 0; r < job->n_ranks; r++) {
    s[r] = (sitter_t){r, seats_find_host(t, job->ranks[r].host), in_list(job->ranks[r].cpus, -1)};
    if (s[r].host < 0) return unknown_host(t, path, job, r, err);
  }
  qsort(s, (size_t)job->n_ranks, sizeof *s, by_choice);
  return BERTH_OK;
}

/* Ranks beyond the PUs of their host stay idle. */
static int seat(const berth_topo_t *t, job_t *job, const sitter_t *s, seats_t *seats,
                berth_error_t *err)
{
  const berth_element_t *e = berth_topo_element(t, berth_topo_host(t, s->host)->element);
  for (int p = e->first_pu; p < e->first_pu + e->n_pus; p++) {
    int cpu = berth_topo_pu(t, p)->os_index;
    if (seats->has_rank[p] || !in_list(job->ranks[s->rank].cpus, cpu)) continue;
    seats->has_rank[p] = 1;
    seats->rank_of_pu[p] = s->rank;
    seats->n_seated++;
    return s->choice == 1 ? BERTH_OK : job_bind(job, s->rank, cpu, err);
  }
  return BERTH_OK;
}

int seats_find(const berth_topo_t *t, const char *path, job_t *job, seats_t *seats,
               berth_error_t *err)
{
  size_t n = (size_t)berth_topo_n_pus(t);
  sitter_t *s = calloc((size_t)job->n_ranks, sizeof *s);
  *seats = (seats_t){malloc(n * sizeof *seats->rank_of_pu), calloc(n, 1), 0};
  int rc = s && seats->rank_of_pu && seats->has_rank ? find_sitters(t, path, job, s, err)
                                                     : no_memory(err);
  for (size_t p = 0; p < n && !rc; p++) seats->rank_of_pu[p] = -1;
  for (int i = 0; i < job->n_ranks && !rc; i++) rc = seat(t, job, &s[i], seats, err);
  free(s);
  if (!rc && seats->n_seated < 2)
    rc = berth_fail(err, BERTH_BAD_INPUT,
                    "found %d rank on a PU of the topology that it may run on, expected two or "
                    "more",
                    seats->n_seated);
  return rc;
}

void seats_clear(seats_t *seats)
{
  free(seats->rank_of_pu);
  free(seats->has_rank);
}
