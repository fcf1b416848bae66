/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library knows of the job: which ranks share memory, how many ranks there are for each
 * core, and the settings, which rank 0 reads. */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/agents/agents.h"
#include "coll/agents/requests.h"
#include "coll/job.h"
#include "coll/network.h"
#include "coll/tuning/settled.h"
#include "coll/tuning/tuned.h"

coll_job_t coll_job;

enum { FIRST_CALL = 4 }; /* of a communicator (coll_comm.c) */

void coll_say(const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fprintf(stderr, "berth-coll: %s\n", text);
}

void coll_progress(const char *what, size_t i, size_t n)
{
  fprintf(stderr, "\rberth-coll: %s: %zu of %zu\033[K%s", what, i, n, i == n ? "\r\033[K" : "");
}

/* A variable that is 0 or 1. */
static bool read_switch(const char *name, bool standard)
{
  const char *text = getenv(name);
  if (!text || !*text) return standard;
  if (strcmp(text, "0") == 0 || strcmp(text, "1") == 0) return *text == '1';
  coll_say("%s: found \"%.40s\", expected 0 or 1; taken as %d", name, text, standard);
  return standard;
}

static double read_seconds(const char *name)
{
  const char *text = getenv(name);
  char *end;
  if (!text || !*text) return 0;
  double value = strtod(text, &end);
  if (*end == 0 && value >= 0 && value < 1e9) return value;
  coll_say("%s: found \"%.40s\", expected seconds, at least 0 and below 1e9; taken as 0", name,
           text);
  return 0;
}

/* Whether a text is a whole number in these limits. */
static bool is_number(const char *text, int least, int most, int *out)
{
  char *end;
  long value = strtol(text, &end, 10);
  *out = (int)value;
  return *end == 0 && value >= least && value <= most;
}

/* A number from 1 on. */
static int read_number(const char *name, int standard)
{
  const char *text = getenv(name);
  int value;
  if (!text || !*text) return standard;
  if (is_number(text, 1, INT_MAX, &value)) return value;
  coll_say("%s: found \"%.40s\", expected a number from 1 to %d; taken as %d", name, text, INT_MAX,
           standard);
  return standard;
}

/* Of agents' trees; 0: none is set. */
static int read_degree(void)
{
  const char *name = "BERTH_AGENTS_DEGREE", *text = getenv(name);
  int value;
  if (!text || !*text) return 0;
  if (is_number(text, 2, UINT16_MAX, &value)) return value;
  coll_say("%s: found \"%.40s\", expected a number from 2 to %d; agents choose", name, text,
           UINT16_MAX);
  return 0;
}

static bool is_set(const char *name)
{
  const char *text = getenv(name);
  return text && *text;
}

/* Which calls agents carry out: those that don't block, or all. */
static bool read_agent_calls(void)
{
  const char *text = getenv("BERTH_AGENTS_CALLS");
  if (!text || !*text || strcmp(text, "nonblocking") == 0) return false;
  if (strcmp(text, "all") == 0) return true;
  coll_say("BERTH_AGENTS_CALLS: found \"%.40s\", expected nonblocking or all; taken as nonblocking",
           text);
  return false;
}

static void read_settings(coll_settings_t *s)
{
  s->tuning = is_set("BERTH_TUNE")     ? COLL_MEASURES
              : is_set("BERTH_TUNING") ? COLL_TUNED
                                       : COLL_UNTUNED;
  s->keeps = s->tuning == COLL_MEASURES || read_switch("BERTH_TUNING_KEEP", false);
  s->active = read_switch("BERTH_COLL", true);
  s->one_copy = read_switch("BERTH_COLL_ONE_COPY", true);
  s->report = read_switch("BERTH_COLL_REPORT", false);
  s->reproducible = read_switch("BERTH_COLL_REPRODUCIBLE", false);
  s->first_call = read_number("BERTH_COLL_FIRST_CALL", FIRST_CALL);
  s->patience = read_seconds("BERTH_COLL_PATIENCE");
  s->agents = read_switch("BERTH_AGENTS", false);
  s->agents_all = read_agent_calls();
  s->agents_degree = read_degree();
  s->tune_only = read_switch("BERTH_TUNE_ONLY", false);
  s->tune_all = read_switch("BERTH_TUNE_ALL", false);
  s->tune_seconds = read_seconds("BERTH_TUNE_SECONDS");
}

/* Cores that the ranks of this host may use together. */
static int usable_cores(MPI_Comm host, cpu_set_t *all)
{
  cpu_set_t own;
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  int words = sizeof own / sizeof(uint64_t);
  if (mpi.Allreduce(&own, all, words, mpi.uint64, mpi.bor, host) != MPI_SUCCESS) return 1;
  return CPU_COUNT(all);
}

/* Ranks that the MPI has on one host, by the lowest one. Counts cores. */
static bool find_hosts(coll_job_t *j)
{
  MPI_Comm host;
  int lowest = j->rank, n = 1;
  if (mpi.Comm_split_type(mpi.comm_world, MPI_COMM_TYPE_SHARED, j->rank, mpi.info_null, &host) !=
      MPI_SUCCESS)
    return false;
  mpi.Comm_size(host, &n);
  mpi.Bcast(&lowest, sizeof lowest, mpi.byte, 0, host);
  wait_setup(n > usable_cores(host, &j->cores), j->settings.patience);
  mpi.Comm_free(&host);
  return mpi.Allgather(&lowest, sizeof lowest, mpi.byte, j->host, sizeof lowest, mpi.byte,
                       mpi.comm_world) == MPI_SUCCESS;
}

/* By host, then by the groups' host, then by rank. */
static int compare_ranks(const void *a, const void *b, void *job)
{
  const coll_job_t *j = job;
  int x = *(const int *)a, y = *(const int *)b;
  if (j->host[x] != j->host[y]) return j->host[x] - j->host[y];
  if (j->groups.host[x] != j->groups.host[y]) return j->groups.host[x] - j->groups.host[y];
  return x - y;
}

/* Divides hosts of the MPI where the groups do. `sorted` has room for all ranks. */
static void divide_hosts(coll_job_t *j, int *sorted)
{
  for (int i = 0; i < j->n; i++) sorted[i] = i;
  qsort_r(sorted, (size_t)j->n, sizeof *sorted, compare_ranks, j);
  int host = -1, group = -1, lowest = 0;
  for (int i = 0; i < j->n; i++) {
    int rank = sorted[i];
    if (j->host[rank] != host || j->groups.host[rank] != group) lowest = rank;
    host = j->host[rank];
    group = j->groups.host[rank];
    j->host[rank] = lowest;
  }
}

static bool find_memory(coll_job_t *j)
{
  int *room = malloc((size_t)j->n * sizeof *room);
  j->host = malloc((size_t)j->n * sizeof *j->host);
  uint64_t able = room && j->host, all_able = 0;
  mpi.Allreduce(&able, &all_able, 1, mpi.uint64, mpi.min, mpi.comm_world);
  bool found = all_able && find_hosts(j);
  if (found) coll_groups_share(j->n, j->rank, j->settings.agents, &j->groups);
  if (found && j->groups.place) divide_hosts(j, room);
  free(room);
  return found;
}

void coll_job_begin(void)
{
  coll_job_t *j = &coll_job;
  if (j->ready) return;
  chain_own_begin();
  mpi.Comm_rank(mpi.comm_world, &j->rank);
  mpi.Comm_size(mpi.comm_world, &j->n);
  if (j->rank == 0) read_settings(&j->settings);
  if (j->rank == 0 && !j->settings.active && j->settings.tuning == COLL_MEASURES)
    coll_say("BERTH_TUNE: found BERTH_COLL=0, expected 1; nothing is measured");
  mpi.Bcast(&j->settings, sizeof j->settings, mpi.byte, 0, mpi.comm_world);
  if (j->settings.active && find_memory(j) &&
      mpi.Comm_split(mpi.comm_world, 0, j->rank, &j->own) == MPI_SUCCESS) {
    mpi.Comm_set_errhandler(j->own, mpi.errors_return); /* the call's communicator has its own */
    mpi.Comm_group(mpi.comm_world, &j->world);
    reduction_setup();
    network_measure(j);
    coll_comms_begin();
    agents_begin(j);
    requests_begin();
    j->ready = true;
    coll_open(mpi.comm_world);
    tuned_begin();
  }
  chain_own_end();
}

void coll_job_end(void)
{
  coll_job_t *j = &coll_job;
  if (!j->ready) return;
  chain_own_begin();
  if (j->settings.report) coll_report();
  if (j->settings.keeps) settled_keep();
  j->ready = false;
  coll_comms_end();
  requests_end();
  agents_end();
  tuned_end();
  mpi.Group_free(&j->world);
  mpi.Comm_free(&j->own);
  coll_groups_clear(&j->groups);
  free(j->host);
  j->host = NULL;
  chain_own_end();
}

void coll_job_leave(bool done)
{
  coll_job_end();
  mpi.Finalize();
  exit(done ? EXIT_SUCCESS : EXIT_FAILURE);
}
