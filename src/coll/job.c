/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library knows of the job: which ranks share memory, how many ranks there are for each
 * core, and the settings, which rank 0 reads. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/agents/agents.h"
#include "coll/agents/requests.h"
#include "coll/coll_tags.h"
#include "coll/job.h"
#include "coll/network.h"
#include "coll/tuning/settled.h"
#include "coll/tuning/tuned.h"
#include "job/environment.h"
#include "job/job_wait.h"
#include "job/large_copy.h"

coll_job_t coll_job;

enum { FIRST_CALL = 4 }; /* of a communicator (coll_comm.c) */

/* Which calls agents carry out: those that don't block, or all. */
static bool read_agent_calls(void)
{
  const char *text = getenv("BERTH_AGENTS_CALLS");
  if (!text || !*text || strcmp(text, "nonblocking") == 0) return false;
  if (strcmp(text, "all") == 0) return true;
  say_line("BERTH_AGENTS_CALLS: found \"%.40s\", expected nonblocking or all; taken as nonblocking",
           text);
  return false;
}

static void read_settings(coll_settings_t *s)
{
  s->tuning = environment_has("BERTH_TUNE")     ? COLL_MEASURES
              : environment_has("BERTH_TUNING") ? COLL_TUNED
                                                : COLL_UNTUNED;
  s->keeps = s->tuning == COLL_MEASURES || environment_switch("BERTH_TUNING_KEEP", false);
  s->active = environment_switch("BERTH_COLL", true);
  s->one_copy = environment_switch("BERTH_COLL_ONE_COPY", true);
  s->report = environment_switch("BERTH_COLL_REPORT", false);
  s->reproducible = environment_switch("BERTH_COLL_REPRODUCIBLE", false);
  s->first_call = environment_number("BERTH_COLL_FIRST_CALL", 1, INT_MAX, FIRST_CALL, "taken as 4");
  s->patience = environment_seconds("BERTH_COLL_PATIENCE");
  s->agents = environment_switch("BERTH_AGENTS", false);
  s->agents_all = read_agent_calls();
  s->agents_degree = environment_number("BERTH_AGENTS_DEGREE", 2, UINT16_MAX, 0, "agents choose");
  s->tune_only = environment_switch("BERTH_TUNE_ONLY", false);
  s->tune_all = environment_switch("BERTH_TUNE_ALL", false);
  s->tune_seconds = environment_seconds("BERTH_TUNE_SECONDS");
  large_copy_begin();
}

/* Messages of the program may be under way, for which other ranks wait. MPICH makes no progress in
 * a look for messages of the rank itself. */
static void let_mpi_work(void)
{
  int flag;
  mpi.Iprobe(MPI_ANY_SOURCE, TAG_NONE, coll_job.own, &flag, MPI_STATUS_IGNORE);
}

static bool find_hosts(coll_job_t *j)
{
  if (!job_hosts_find(j->rank, j->n, j->settings.agents, &j->hosts)) return false;
  wait_setup(j->hosts.crowded, j->settings.patience, j->rank, let_mpi_work);
  return true;
}

void coll_job_begin(void)
{
  coll_job_t *j = &coll_job;
  if (j->ready) return;
  chain_own_begin();
  mpi.Comm_rank(mpi.comm_world, &j->rank);
  mpi.Comm_size(mpi.comm_world, &j->n);
  say_as("berth-coll");
  if (j->rank == 0) read_settings(&j->settings);
  if (j->rank == 0 && !j->settings.active && j->settings.tuning == COLL_MEASURES)
    say_line("BERTH_TUNE: found BERTH_COLL=0, expected 1; nothing is measured");
  mpi.Bcast(&j->settings, sizeof j->settings, mpi.byte, 0, mpi.comm_world);
  if (j->settings.active && find_hosts(j) &&
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
  job_hosts_clear(&j->hosts);
  chain_own_end();
}

void coll_job_leave(bool done)
{
  coll_job_end();
  mpi.Finalize();
  exit(done ? EXIT_SUCCESS : EXIT_FAILURE);
}
