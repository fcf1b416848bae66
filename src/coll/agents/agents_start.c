/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts an agent beside the ranks of each host, and ends it. The lowest rank of a host starts it;
 * all ranks of the host give it their stores; all agents of the job learn of one another by the
 * ranks. If one can't start, the job goes on without them. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coll/agents/agents.h"
#include "coll/job.h"

enum { DESK_FILE = 3, LIFE_FILE = 4, NAP_MS = 5, STARTING_MS = 60 * 1000, ENDING_MS = 10 * 1000 };

coll_agents_t coll_agents = {.bell = -1, .life = -1};
extern char **environ;

int berth_coll_agents(void) { return coll_agents.active ? coll_agents.n : 0; }

void berth_coll_set_degree(int degree) { coll_job.settings.agents_degree = degree; }

/* What goes wrong here; the first rank to which something happens says so. */
static char trouble[DESK_WHY + 64];

static bool note(const char *what, const char *why)
{
  if (!*trouble) snprintf(trouble, sizeof trouble, "%.100s: %.100s", what, why);
  return false;
}

/* Numbers ranks within hosts, and hosts by their lowest ranks. */
static bool number_ranks(const coll_job_t *j)
{
  coll_agents_t *a = &coll_agents;
  a->place = calloc(2 * (size_t)j->n, sizeof *a->place);
  if (!a->place) return note("agents", strerror(ENOMEM));
  a->agent = a->place + j->n;
  for (int i = 0; i < j->n; i++) { /* a host's lowest rank comes first */
    int lowest = j->hosts.host[i];
    if (lowest == i) a->agent[i] = a->n++;
    a->agent[i] = a->agent[lowest];
  }
  int *members = calloc((size_t)a->n + 1, sizeof *members);
  for (int i = 0; members && i < j->n; i++) a->place[i] = members[a->agent[i]]++;
  bool numbered = members != NULL;
  free(members);
  return numbered || note("agents", strerror(ENOMEM));
}

static int ranks_here(const coll_job_t *j)
{
  int n = 0;
  for (int i = 0; i < j->n; i++) n += coll_agents.agent[i] == coll_agents.agent[j->rank];
  return n;
}

/* The program lies beside the folder of this library. */
static bool find_program(char *path, size_t size)
{
  Dl_info info;
  if (!dladdr((void *)(uintptr_t)agents_begin, &info) || !info.dli_fname) return false;
  const char *end = strrchr(info.dli_fname, '/');
  int length = end ? (int)(end - info.dli_fname) : 1;
  snprintf(path, size, "%.*s/../berth-agent", length, end ? info.dli_fname : ".");
  return access(path, X_OK) == 0;
}

/* The agent isn't one of the job's processes: berth's libraries aren't loaded into it. */
static char **other_environment(void)
{
  size_t n = 0, kept = 0;
  while (environ[n]) n++;
  char **own = malloc((n + 1) * sizeof *own);
  for (size_t i = 0; own && i < n; i++)
    if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0) own[kept++] = environ[i];
  if (own) own[kept] = NULL;
  return own;
}

/* The process that is started leaves the agent behind, and ends at once. */
static bool spawn(const char *path, int desk, int life)
{
  const char *provider = getenv("BERTH_AGENTS_PROVIDER");
  char *const arguments[] = {(char *)(uintptr_t) "berth-agent",
                             provider && *provider ? (char *)(uintptr_t)provider : NULL, NULL};
  posix_spawn_file_actions_t files;
  pid_t process;
  char **own = other_environment();
  if (!own || posix_spawn_file_actions_init(&files) != 0) {
    free(own);
    return note(path, strerror(ENOMEM));
  }
  posix_spawn_file_actions_adddup2(&files, desk, DESK_FILE);
  posix_spawn_file_actions_adddup2(&files, life, LIFE_FILE);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  int rc = posix_spawn(&process, path, &files, NULL, arguments, own);
  posix_spawn_file_actions_destroy(&files);
  free(own);
  while (rc == 0 && waitpid(process, NULL, 0) < 0 && errno == EINTR) {
  }
  return rc == 0 || note(path, strerror(rc));
}

/* Files whose numbers are above those that the agent gets them by. */
static bool make_life(int *reads, int *writes)
{
  int made[2];
  if (pipe2(made, O_CLOEXEC) != 0) return false;
  *reads = fcntl(made[0], F_DUPFD_CLOEXEC, LIFE_FILE + 1);
  *writes = made[1];
  close(made[0]);
  return *reads >= 0;
}

static bool start(const coll_job_t *j, shared_file_t *desk)
{
  coll_agents_t *a = &coll_agents;
  char path[4096];
  int ranks = ranks_here(j), reads = -1;
  size_t bytes = desk_bytes(ranks, a->n);
  if (!find_program(path, sizeof path)) return note(path, "not found");
  if (!shared_file_new("berth-desk", bytes, desk)) return note("shared memory", strerror(errno));
  desk_t *d = shared_file_map(desk, bytes, bytes);
  if (!d) return note("shared memory", strerror(errno));
  d->ranks = ranks;
  d->agents = a->n;
  d->own_agent = a->agent[j->rank];
  d->patience = j->settings.patience > 0 ? j->settings.patience : DESK_PATIENCE;
  d->cores = j->hosts.cores;
  d->free = j->hosts.groups.free;
  bool made = make_life(&reads, &a->life);
  if (!made) note("a pipe", strerror(errno));
  d->starter = (int)getpid();
  d->life = a->life;
  a->started = made && spawn(path, desk->file, reads);
  if (reads >= 0) close(reads);
  munmap(d, bytes);
  return a->started;
}

/* The own end of the pipe that another rank has made. */
static int open_life(const desk_t *d)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", d->starter, d->life);
  return open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

/* Maps the desk, and tells the agent of this rank. It is told even what can't be used, so that it
 * doesn't wait. */
static bool meet(const coll_job_t *j, const shared_file_t *desk, int *listening)
{
  coll_agents_t *a = &coll_agents;
  int bell[2] = {-1, -1};
  a->desk_size = desk_bytes(ranks_here(j), a->n);
  a->desk = desk->file >= 0 ? shared_file_map(desk, a->desk_size, a->desk_size) : NULL;
  if (!a->desk) return note("shared memory", desk->file >= 0 ? strerror(errno) : "none");
  a->own = desk_rank(a->desk, a->place[j->rank]);
  if (a->life < 0) a->life = open_life(a->desk);
  bool able = a->life >= 0 && store_new("berth-rank", &a->store) &&
              pipe2(bell, O_CLOEXEC | O_NONBLOCK) == 0;
  if (!able) note("shared memory", strerror(errno));
  a->bell = bell[1];
  *listening = bell[0];
  a->own->store = a->store.name;
  a->own->process = (int)getpid();
  a->own->bell = bell[0];
  wait_word_set(&a->own->ready, 1);
  return able;
}

/* Waits for the agent to come so far. */
static bool wait_for_state(desk_state_t state)
{
  coll_agents_t *a = &coll_agents;
  desk_t *d = a->desk;
  for (int ms = 0; !wait_word_over(&d->state, state); ms += NAP_MS) {
    if (ms > STARTING_MS) return note("berth-agent", "no answer within 60 s");
    if (a->started && d->process && kill(d->process, 0) != 0) {
      snprintf(d->why, sizeof d->why, "it has ended");
      wait_word_set(&d->state, DESK_FAILED);
    }
    wait_word_sleep(&d->state, state, NAP_MS * 1000000L);
  }
  if (atomic_load(&d->state.value) == (uint32_t)state) return true;
  return note("berth-agent", d->why);
}

/* Where all agents are in the network, and the job's secret. `all` has room for each rank's. */
static bool introduce(const coll_job_t *j, bool able, char *all)
{
  coll_agents_t *a = &coll_agents;
  char own[DESK_ADDRESS] = "";
  unsigned char secret[DESK_SECRET] = "";
  if (able) memcpy(own, desk_address(a->desk, a->desk->own_agent), sizeof own);
  if (j->rank == 0 && getrandom(secret, sizeof secret, 0) != sizeof secret)
    able = note("random numbers", strerror(errno));
  bool told = mpi.Bcast(secret, sizeof secret, mpi.byte, 0, mpi.comm_world) == MPI_SUCCESS &&
              mpi.Allgather(own, sizeof own, mpi.byte, all, sizeof own, mpi.byte, mpi.comm_world) ==
                  MPI_SUCCESS;
  if (!able || !told || !a->started) return able && told;
  memcpy(a->desk->secret, secret, sizeof secret);
  for (int i = 0; i < j->n; i++)
    if (j->hosts.host[i] == i)
      memcpy(desk_address(a->desk, a->agent[i]), all + (size_t)i * sizeof own, sizeof own);
  wait_word_set(&a->desk->told, 1);
  return true;
}

/* Whether all ranks are able; if not, the first one that isn't says why. */
static bool all_able(const coll_job_t *j, bool able)
{
  const uint64_t own = able ? (uint64_t)j->n : (uint64_t)j->rank;
  uint64_t first = 0;
  if (mpi.Allreduce(&own, &first, 1, mpi.uint64, mpi.min, mpi.comm_world) != MPI_SUCCESS)
    return false;
  if (first == (uint64_t)j->rank)
    say_line("rank %d: its host has no agent (%s); the job goes on without agents", j->rank,
             trouble);
  return first == (uint64_t)j->n;
}

static void clear(void)
{
  coll_agents_t *a = &coll_agents;
  if (a->results) store_unmap(a->results, &a->results_name);
  if (a->desk) munmap(a->desk, a->desk_size);
  if (a->bell >= 0) close(a->bell);
  if (a->life >= 0) close(a->life);
  store_free(&a->store);
  free(a->place);
  *a = (coll_agents_t){.bell = -1, .life = -1};
}

/* An agent that hasn't ended by itself ends when all ranks of the host have closed its life. */
static void stop(void)
{
  coll_agents_t *a = &coll_agents;
  bool waits = a->started && a->active && !a->broken;
  for (int ms = 0; waits && ms < ENDING_MS && !wait_word_over(&a->desk->state, DESK_ENDED);
       ms += NAP_MS)
    wait_word_sleep(&a->desk->state, DESK_ENDED, NAP_MS * 1000000L);
  clear();
}

static bool run(const coll_job_t *j, bool able, char *all)
{
  coll_agents_t *a = &coll_agents;
  able = introduce(j, able && wait_for_state(DESK_MET), all);
  able = able && wait_for_state(DESK_RUNS);
  if (!able) return false;
  a->results_name = a->desk->store;
  a->results = store_map(&a->results_name);
  return a->results || note("the agent's memory", strerror(errno));
}

/* Each host's desk, made by its lowest rank; `all` has room for each rank's. */
static bool begin(const coll_job_t *j, bool able, shared_file_t *desks, char *all)
{
  shared_file_t desk = {.file = -1};
  int listening = -1;
  if (able && j->hosts.host[j->rank] == j->rank) able = start(j, &desk);
  if (mpi.Allgather(&desk, sizeof desk, mpi.byte, desks, sizeof desk, mpi.byte, mpi.comm_world) !=
      MPI_SUCCESS)
    able = note("MPI_Allgather", "an error");
  able = able && meet(j, &desks[j->hosts.host[j->rank]], &listening);
  able = run(j, able, all);
  bool started = all_able(j, able);
  if (listening >= 0) close(listening);
  shared_file_close(&desk);
  return started;
}

/* Agents on hosts where ranks leave them no core take time from the ranks. */
static void say_who_shares(const coll_job_t *j)
{
  uint64_t own = coll_agents.started && coll_agents.desk->shares_cores, all = 0;
  mpi.Reduce(&own, &all, 1, mpi.uint64, mpi.sum, 0, mpi.comm_world);
  if (j->rank == 0 && all > 0)
    say_line("on %d of %d hosts the agent has no core of its own and shares those of the ranks",
             (int)all, coll_agents.n);
}

void agents_begin(const coll_job_t *j)
{
  coll_agents_t *a = &coll_agents;
  if (!j->settings.agents) return;
  bool able = number_ranks(j);
  shared_file_t *desks = malloc((size_t)j->n * sizeof *desks);
  char *all = malloc((size_t)j->n * DESK_ADDRESS);
  uint64_t room = desks && all && able, rooms = 0;
  mpi.Allreduce(&room, &rooms, 1, mpi.uint64, mpi.min, mpi.comm_world);
  if (rooms) a->active = begin(j, able, desks, all);
  free(desks);
  free(all);
  if (a->active)
    say_who_shares(j);
  else
    stop();
}

void agents_end(void)
{
  coll_agents_t *a = &coll_agents;
  if (!a->active) return;
  mpi.Barrier(mpi.comm_world); /* no agent ends while another one's host needs it */
  if (a->started) wait_word_set(&a->desk->told, 2);
  stop();
}
