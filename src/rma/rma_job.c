/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's part of MPI_Init and MPI_Finalize: settings, hosts, and the report at the end. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/environment.h"
#include "job/job_network.h"
#include "job/job_wait.h"
#include "job/large_copy.h"
#include "job/reduction.h"
#include "job/say.h"
#include "rma/mail.h"
#include "rma/rma_layout.h"
#include "rma/rma_progress.h"
#include "rma/rma_tuning.h"

rma_job_t rma_job;
_Atomic uint64_t rma_counts[RMA_COUNTERS];

static rma_strategy_t read_strategy(void)
{
  const char *text = getenv("BERTH_RMA_STRATEGY");
  if (!text || !*text || strcmp(text, "hybrid") == 0) return RMA_HYBRID;
  if (strcmp(text, "lazy") == 0) return RMA_LAZY;
  if (strcmp(text, "eager") == 0) return RMA_EAGER;
  say_line("BERTH_RMA_STRATEGY: found \"%.40s\", expected hybrid, lazy or eager; taken as hybrid",
           text);
  return RMA_HYBRID;
}

static void read_settings(rma_settings_t *s)
{
  s->active = environment_switch("BERTH_RMA", true);
  s->report = environment_switch("BERTH_RMA_REPORT", false);
  s->one_copy = environment_switch("BERTH_RMA_ONE_COPY", true);
  s->told = environment_has("BERTH_TUNING");
  s->keeps = environment_has("BERTH_TUNE");
  s->strategy = read_strategy();
  s->bytes = environment_number("BERTH_RMA_BYTES", 1, MAIL_ROOM, 0, "berth chooses");
  s->patience = environment_seconds("BERTH_RMA_PATIENCE");
  large_copy_begin();
}

/* A number that a launcher has set; 0: it hasn't. */
static long told(const char *name)
{
  const char *text = getenv(name);
  return text ? strtol(text, NULL, 10) : 0;
}

static bool may_have_hosts(void)
{
  static const char *const names[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                                         {"PMI_SIZE", "MPI_LOCALNRANKS"}};
  const char *active = getenv("BERTH_RMA"), *one_copy = getenv("BERTH_RMA_ONE_COPY");
  if (active && strcmp(active, "0") == 0) return false;
  /* With MPIR_CVAR_NOLOCAL, MPICH takes each rank for the only one of its host. */
  if (environment_has("BERTH_GROUPS") || environment_has("MPIR_CVAR_NOLOCAL") ||
      (one_copy && strcmp(one_copy, "0") == 0))
    return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    long all = told(names[i][0]), here = told(names[i][1]);
    if (all > 0 && here > 0) return all != here;
  }
  return true;
}

/* Open MPI's osc/pt2pt, which users choose by hand where others fail, makes no windows with
 * MPI_THREAD_MULTIPLE, not even the handles of berth's. Its osc/sm makes those of one rank. */
static void allow_handles(void)
{
  static const char name[] = "OMPI_MCA_osc";
  const char *chosen = getenv(name);
  char both[512];
  if (!chosen || !*chosen || *chosen == '^') return;
  int n = snprintf(both, sizeof both, "sm,%s", chosen);
  if (n > 0 && (size_t)n < sizeof both) setenv(name, both, 1);
}

void rma_job_ask(int *required)
{
  if (!may_have_hosts()) return;
  *required = MPI_THREAD_MULTIPLE;
  allow_handles();
}

static void know_network(rma_job_t *j)
{
  if (rma_tuning_read(&j->byte)) return;
  job_network_t n = job_network_measure(&j->hosts, j->rank, j->n, j->own, MAIL_NETWORK);
  j->byte = job_network_byte(&n);
}

void rma_job_begin(int provided)
{
  rma_job_t *j = &rma_job;
  if (j->ready) return;
  chain_own_begin();
  say_as("berth-rma");
  mpi.Comm_rank(mpi.comm_world, &j->rank);
  mpi.Comm_size(mpi.comm_world, &j->n);
  if (j->rank == 0) read_settings(&j->settings);
  mpi.Bcast(&j->settings, sizeof j->settings, mpi.byte, 0, mpi.comm_world);
  if (j->settings.active && job_hosts_find(j->rank, j->n, false, &j->hosts) &&
      mpi.Comm_split(mpi.comm_world, 0, j->rank, &j->own) == MPI_SUCCESS &&
      mpi.Comm_split(mpi.comm_self, 0, 0, &j->alone) == MPI_SUCCESS) {
    mpi.Comm_set_errhandler(j->alone, mpi.errors_return);
    mpi.Comm_set_errhandler(j->own, mpi.errors_return);
    mpi.Comm_group(mpi.comm_world, &j->world);
    j->threads = provided == MPI_THREAD_MULTIPLE;
    wait_setup(j->hosts.crowded, j->settings.patience, j->rank, progress_poll);
    reduction_setup();
    layout_setup();
    if (j->threads) know_network(j);
    j->ready = true;
  }
  chain_own_end();
}

static void report(void)
{
  static const char *const texts[RMA_COUNTERS] = {
      [RMA_WINDOWS] = "windows served by berth",
      [RMA_WINDOWS_PASSED] = "windows served by the MPI",
      [RMA_OWN] = "operations on a rank's own memory",
      [RMA_IN_MEMORY] = "operations on memory that ranks share",
      [RMA_COPIED] = "operations on memory of another process",
      [RMA_SENT] = "operations in messages",
      [RMA_MESSAGES] = "messages",
      [RMA_FENCES] = "fences",
      [RMA_EXPOSURES] = "exposure epochs",
      [RMA_LOCKS] = "locks",
      [RMA_WOKEN] = "times that a thread made progress"};
  uint64_t own[RMA_COUNTERS], all[RMA_COUNTERS] = {0};
  for (int i = 0; i < RMA_COUNTERS; i++) own[i] = atomic_load(&rma_counts[i]);
  mpi.Reduce(own, all, RMA_COUNTERS, mpi.uint64, mpi.sum, 0, rma_job.own);
  for (int i = 0; i < RMA_COUNTERS && rma_job.rank == 0; i++)
    if (all[i] > 0 || i == RMA_WINDOWS) say_line("%" PRIu64 " %s, on all ranks", all[i], texts[i]);
}

void rma_job_end(void)
{
  rma_job_t *j = &rma_job;
  if (!j->ready) return;
  chain_own_begin();
  if (j->settings.report) report();
  rma_tuning_end();
  mpi.Barrier(j->own); /* nobody's thread is needed any more */
  j->ready = false;
  progress_end();
  layout_forget();
  mpi.Group_free(&j->world);
  mpi.Comm_free(&j->own);
  mpi.Comm_free(&j->alone);
  job_hosts_clear(&j->hosts);
  chain_own_end();
}
