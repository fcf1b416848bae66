/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorts a mapping's ranks by host, and finds CPU lists and orders that launchers can take. */
#include "mapping/mapping_hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "mapping/mapping_internal.h"

int hosts_cpu(const berth_mapping_t *m, const berth_topo_t *t, int rank)
{
  return berth_topo_pu(t, m->pu_of_rank[rank])->os_index;
}

int hosts_number(const berth_mapping_t *m, const berth_topo_t *t, int rank)
{
  return berth_topo_pu(t, m->pu_of_rank[rank])->host;
}

static int check_name(const char *name, berth_error_t *err)
{
  static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  if (*name && *name != '-' && name[strspn(name, safe)] == '\0') return BERTH_OK;
  return berth_fail(
      err, BERTH_BAD_INPUT,
      "found host '%s', expected a name of letters, digits, '-', '_' and '.', which launchers take",
      name);
}

int hosts_check_names(const berth_mapping_t *m, const berth_topo_t *t, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (int r = 0; r < m->ranks && !rc; r++)
    rc = check_name(berth_topo_host(t, hosts_number(m, t, r))->name, err);
  return rc;
}

int hosts_write_lines(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                      hosts_put_t *put, berth_error_t *err)
{
  int rc = hosts_check_names(m, t, err);
  if (rc) return rc;
  out_file_t *out = out_open_raw(path, err);
  if (!out) return BERTH_MISSING;
  for (int r = 0; r < m->ranks; r++) put(out, t, r, berth_topo_pu(t, m->pu_of_rank[r]));
  return out_commit(out, err);
}

/* A rank's group in the list: the number of its host or PU. Both increase in the same order. */
static int group_of(const hosts_t *h, enum hosts_order order, int rank)
{
  return order == HOSTS_BY_PU ? h->m->pu_of_rank[rank] : hosts_number(h->m, h->t, rank);
}

/* Whether two ranks are on one PU; -1 when memory is out. */
static int any_shared(const berth_mapping_t *m, const berth_topo_t *t)
{
  bool *taken = calloc((size_t)berth_topo_n_pus(t), sizeof *taken);
  if (!taken) return -1;
  int shared = 0;
  for (int r = 0; r < m->ranks; r++) {
    shared |= taken[m->pu_of_rank[r]];
    taken[m->pu_of_rank[r]] = true;
  }
  free(taken);
  return shared;
}

const char *hosts_openmpi_yield(const berth_mapping_t *m, const berth_topo_t *t, berth_error_t *err)
{
  int shared = any_shared(m, t);
  if (shared < 0) return no_memory_null(err);
  return shared ? "--mca mpi_yield_when_idle 1 " : "";
}

/* Sorts the ranks by group, and within a group by number. */
static int sort_ranks(hosts_t *h, enum hosts_order order)
{
  int groups = order == HOSTS_BY_PU ? berth_topo_n_pus(h->t) : berth_topo_n_hosts(h->t);
  int *first = calloc((size_t)groups + 1, sizeof *first);
  if (!first) return BERTH_MISSING;
  for (int r = 0; r < h->m->ranks; r++) first[group_of(h, order, r) + 1]++;
  for (int g = 0; g < groups; g++) first[g + 1] += first[g];
  for (int r = 0; r < h->m->ranks; r++) h->rank[first[group_of(h, order, r)]++] = r;
  free(first);
  return BERTH_OK;
}

int hosts_init(hosts_t *h, const berth_mapping_t *m, const berth_topo_t *t, enum hosts_order order,
               berth_error_t *err)
{
  size_t hosts = (size_t)berth_topo_n_hosts(t), ranks = (size_t)m->ranks;
  *h = (hosts_t){.m = m, .t = t};
  int rc = hosts_check_names(m, t, err);
  if (rc) return rc;
  h->name = malloc(hosts * sizeof *h->name);
  h->start = malloc((hosts + 1) * sizeof *h->start);
  h->rank = malloc(ranks * sizeof *h->rank);
  h->shared = any_shared(m, t);
  if (!h->name || !h->start || !h->rank || h->shared < 0 || sort_ranks(h, order))
    return no_memory(err);
  for (int i = 0, last = -1; i < m->ranks; i++) {
    int host = hosts_number(m, t, h->rank[i]);
    if (host == last) continue;
    h->name[h->n] = berth_topo_host(t, host)->name;
    h->start[h->n++] = i;
    last = host;
  }
  h->start[h->n] = m->ranks;
  return BERTH_OK;
}

void hosts_clear(hosts_t *h)
{
  free(h->name);
  free(h->start);
  free(h->rank);
  *h = (hosts_t){0};
}

static int ranks_of(const hosts_t *h, int i) { return h->start[i + 1] - h->start[i]; }

static int cpu_at(const hosts_t *h, int host, int i)
{
  return hosts_cpu(h->m, h->t, h->rank[h->start[host] + i]);
}

static int ranks_on(const hosts_t *h, int host, int cpu)
{
  int n = 0;
  for (int i = 0; i < ranks_of(h, host); i++) n += cpu_at(h, host, i) == cpu;
  return n;
}

/* The first of the hosts with the most ranks. */
static int fullest(const hosts_t *h)
{
  int max = 0;
  for (int i = 1; i < h->n; i++)
    if (ranks_of(h, i) > ranks_of(h, max)) max = i;
  return max;
}

static bool has_cpu(const hosts_t *h, int host, int cpu)
{
  int number = hosts_number(h->m, h->t, h->rank[h->start[host]]);
  const berth_element_t *e = berth_topo_element(h->t, berth_topo_host(h->t, number)->element);
  for (int p = e->first_pu; p < e->first_pu + e->n_pus; p++)
    if (berth_topo_pu(h->t, p)->os_index == cpu) return true;
  return false;
}

/* Whether a host has all CPUs of the fullest host, and its ranks are on the first of these. */
static bool follows(const hosts_t *h, int host, int model)
{
  for (int i = 0; i < ranks_of(h, host); i++)
    if (cpu_at(h, host, i) != cpu_at(h, model, i)) return false;
  for (int i = ranks_of(h, host); i < ranks_of(h, model); i++)
    if (!has_cpu(h, host, cpu_at(h, model, i))) return false;
  return true;
}

static int print_list(const hosts_t *h, int host, char **list, berth_error_t *err)
{
  size_t n;
  FILE *f = open_memstream(list, &n);
  for (int i = 0; f && i < ranks_of(h, host); i++)
    fprintf(f, "%s%d", i ? "," : "", cpu_at(h, host, i));
  return text_end(f, list) ? BERTH_OK : no_memory(err);
}

int hosts_cpu_list(const hosts_t *h, char **list, berth_error_t *err)
{
  int model = fullest(h);
  *list = NULL;
  for (int i = 0; i < h->n; i++)
    if (!follows(h, i, model)) return BERTH_OK;
  return print_list(h, model, list, err);
}

typedef struct host_ranks {
  const char *name;
  int start, n;
} host_ranks_t;

/* Compares digits as numbers: node2 is before node10. */
static int by_name(const void *a, const void *b)
{
  return strverscmp(((const host_ranks_t *)a)->name, ((const host_ranks_t *)b)->name);
}

/* Sorts the hosts by name. Each keeps its ranks. */
static int sort_hosts(hosts_t *h)
{
  host_ranks_t *host = malloc((size_t)h->n * sizeof *host);
  int *rank = malloc((size_t)h->m->ranks * sizeof *rank), at = 0;
  for (int i = 0; host && i < h->n; i++)
    host[i] = (host_ranks_t){h->name[i], h->start[i], ranks_of(h, i)};
  if (host && rank) {
    qsort(host, (size_t)h->n, sizeof *host, by_name);
    for (int i = 0; i < h->n; at += host[i++].n) {
      memcpy(rank + at, h->rank + host[i].start, (size_t)host[i].n * sizeof *rank);
      h->name[i] = host[i].name;
      h->start[i] = at;
    }
    memcpy(h->rank, rank, (size_t)h->m->ranks * sizeof *rank);
  }
  int rc = host && rank ? BERTH_OK : BERTH_MISSING;
  free(host);
  free(rank);
  return rc;
}

/* Another host than the first one has more or fewer ranks on a CPU. */
static int fail_cpu(const hosts_t *h, int host, int cpu, berth_error_t *err)
{
  int first = ranks_on(h, 0, cpu);
  return berth_fail(err, BERTH_BAD_INPUT,
                    "found %d rank%s on CPU %d of host %s and %d on that of %s, expected as many "
                    "on each host: this format only sets the order of ranks",
                    first, text_plural(first), cpu, h->name[0], ranks_on(h, host, cpu),
                    h->name[host]);
}

int hosts_plain_start(hosts_t *h, const berth_mapping_t *m, const berth_topo_t *t, char **cpus,
                      berth_error_t *err)
{
  *cpus = NULL;
  int rc = hosts_init(h, m, t, HOSTS_BY_PU, err);
  if (!rc && sort_hosts(h)) rc = no_memory(err);
  for (int i = 1; i < h->n && !rc; i++) {
    if (ranks_of(h, i) != ranks_of(h, 0))
      rc = berth_fail(err, BERTH_BAD_INPUT,
                      "found %d ranks on host %s and %d on %s, expected equally many on each host: "
                      "this format only sets the order of ranks",
                      ranks_of(h, 0), h->name[0], ranks_of(h, i), h->name[i]);
    for (int k = 0; k < ranks_of(h, i) && !rc; k++)
      if (cpu_at(h, i, k) != cpu_at(h, 0, k)) rc = fail_cpu(h, i, cpu_at(h, 0, k), err);
  }
  return rc ? rc : print_list(h, 0, cpus, err);
}

char *hosts_pinned(const char *pin)
{
  return pin ? text_printf("sh %s ./app", pin)
             : text_printf("sh PIN ./app   # PIN: what the format pin writes");
}

char *hosts_plain_command(const berth_mapping_t *m, const berth_topo_t *t, const char *settings,
                          berth_error_t *err)
{
  hosts_t h;
  char *cpus, *hosts = NULL, *line = NULL;
  int rc = hosts_plain_start(&h, m, t, &cpus, err);
  if (!rc && (hosts = berth_hostlist_text(h.name, (size_t)h.n, err))) {
    line = text_printf("%ssrun -N %d -w '%s' -n %d --ntasks-per-node=%d%s --distribution=block "
                       "--cpu-bind=map_cpu:%s ./app",
                       settings, h.n, hosts, m->ranks, ranks_of(&h, 0),
                       h.shared ? " --overcommit" : "", cpus);
    if (!line) no_memory(err);
  }
  free(hosts);
  free(cpus);
  hosts_clear(&h);
  return line;
}
