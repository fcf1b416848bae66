/* SPDX-License-Identifier: BSD-3-Clause */
/* berth-agent: the process beside the ranks of a host that carries their collective calls on while
 * they compute. The collective library starts it (coll/agents/agents_start.c), with the desk as
 * file 3 and the pipe of its life as file 4:
 *
 *   berth-agent [PROVIDER]
 *
 * It is no child of a rank: a program that waits for its children mustn't wait for an agent. It
 * ends when the ranks say so, or when they end. They are told why it can't go on, in the desk: it
 * prints nothing. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/process/agent_state.h"
#include "base/clock.h"

enum {
  DESK_FILE = 3,
  LIFE_FILE = 4,
  NAP_MS = 20,
  SHORT_NAP_MS = 1,
  MEETING_MS = 60 * 1000,
  LEAVING_S = 5
};
/* Seconds that it looks for work before it sleeps, if it has a core of its own. Whether it has, it
 * sees when it offers the core to others: that takes longer if another process runs. So many times
 * it then sleeps at once. */
static const double awake = 1e-3, other_ran = 1.5e-6;
enum { SHARED_TIMES = 256 };

/* `why` is there. */
static int give_up(desk_t *d)
{
  wait_word_set(&d->state, DESK_FAILED);
  return EXIT_FAILURE;
}

static int fail(desk_t *d, const char *what, int reason)
{
  snprintf(d->why, sizeof d->why, "%s: %s", what, strerror(reason));
  return give_up(d);
}

static desk_t *map_desk(void)
{
  struct stat s;
  if (fstat(DESK_FILE, &s) != 0 || s.st_size < (off_t)sizeof(desk_t)) return NULL;
  desk_t *d = mmap(NULL, (size_t)s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, DESK_FILE, 0);
  if (d == MAP_FAILED) return NULL;
  bool right =
      d->ranks > 0 && d->agents > 0 && desk_bytes(d->ranks, d->agents) <= (size_t)s.st_size;
  return right ? d : NULL;
}

static bool ranks_live(void)
{
  struct pollfd life = {.fd = LIFE_FILE};
  return poll(&life, 1, 0) <= 0 || !(life.revents & POLLHUP);
}

/* Waits for a word of the ranks; false: they end, or took too long. */
static bool wait_for_word(wait_word_t *w, uint32_t value)
{
  for (int ms = 0; !wait_word_over(w, value); ms += NAP_MS) {
    if (ms > MEETING_MS || !ranks_live()) return false;
    wait_word_sleep(w, value, NAP_MS * 1000000L);
  }
  return true;
}

/* A rank's store and bell. */
static bool meet_rank(agent_t *a, int rank)
{
  rank_t *r = &a->rank[rank];
  char path[64];
  r->desk = desk_rank(a->desk, rank);
  r->bell = -1;
  errno = ETIMEDOUT;
  if (!wait_for_word(&r->desk->ready, 1)) return false;
  r->name = r->desk->store;
  r->store = store_map(&r->name);
  if (!r->store) return false;
  snprintf(path, sizeof path, "/proc/%d/fd/%d", r->desk->process, r->desk->bell);
  r->bell = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  return r->bell >= 0;
}

static bool set_up(agent_t *a, const char *provider)
{
  desk_t *d = a->desk;
  const wire_user_t user = agent_work_user(a);
  if (!agent_work_begin(a) || !store_new("berth-agent", &a->store))
    return !fail(d, "its memory", errno);
  for (int i = 0; i < d->ranks; i++)
    if (!meet_rank(a, i)) return !fail(d, "a rank's memory", errno);
  d->store = a->store.name;
  a->wire = wire_open(provider, d->patience, &user, d->why);
  if (!a->wire) return !give_up(d);
  wire_address(a->wire, desk_address(d, d->own_agent));
  wait_word_set(&d->state, DESK_MET);
  if (!wait_for_word(&d->told, 1)) return !fail(d, "a word of other agents", ETIMEDOUT);
  if (!wire_meet(a->wire, d->agents, d->own_agent, desk_address(d, 0), d->secret, d->why))
    return !give_up(d);
  wait_word_set(&d->state, DESK_RUNS);
  return true;
}

/* Empties a rank's pipe. It ends when the rank does. */
static void listen_to(agent_t *a, int rank)
{
  char bytes[64];
  rank_t *r = &a->rank[rank];
  ssize_t n = read(r->bell, bytes, sizeof bytes);
  if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR))) return;
  close(r->bell);
  r->bell = -1;
  if (!wait_word_over(&a->desk->told, 2)) structure_fail_rank(a, rank);
}

/* Sleeps until there is something to do. Connections are made without waking anybody: who has calls
 * under way looks often. */
static void sleep_for_work(agent_t *a, struct pollfd *files)
{
  desk_t *d = a->desk;
  int network, ranks = d->ranks;
  atomic_store(&d->sleeps, 1);
  bool may = !agent_work_has_orders(a) && wire_may_sleep(a->wire, &network);
  for (int i = 0; i < ranks; i++)
    files[i] = (struct pollfd){.fd = a->rank[i].bell, .events = POLLIN};
  if (may) {
    files[ranks] = (struct pollfd){.fd = network, .events = POLLIN};
    poll(files, (nfds_t)ranks + 1, a->under_way > 0 ? SHORT_NAP_MS : NAP_MS);
  } else {
    poll(files, (nfds_t)ranks, 0);
  }
  atomic_store(&d->sleeps, 0);
  for (int i = 0; i < ranks; i++)
    if (files[i].revents) listen_to(a, i);
}

static bool some_rank_lives(const agent_t *a)
{
  for (int i = 0; i < a->desk->ranks; i++)
    if (a->rank[i].bell >= 0) return true;
  return false;
}

/* Whether the agent may end. */
static bool is_over(agent_t *a, double now)
{
  static double since;
  if (!some_rank_lives(a)) return true;
  if (!wait_word_over(&a->desk->told, 2)) return false;
  if (since == 0) since = now;
  return (a->under_way == 0 && wire_is_quiet(a->wire)) || now - since > LEAVING_S;
}

/* Whether it may go on looking. */
static bool may_stay_awake(const agent_t *a, double idle_since, double now)
{
  static int shared;
  if (a->desk->shares_cores || now - idle_since > awake) return false;
  if (shared > 0) return --shared == 0;
  sched_yield();
  if (clock_s() - now > other_ran) shared = SHARED_TIMES;
  return shared == 0;
}

static void work(agent_t *a)
{
  struct pollfd *files = calloc((size_t)a->desk->ranks + 1, sizeof *files);
  double last = clock_s(), watched = last;
  while (files) {
    bool any = agent_work_once(a);
    double now = clock_s();
    atomic_fetch_add_explicit(&a->desk->beat, 1, memory_order_relaxed);
    if (now - watched > 0.1) {
      watched = now;
      wire_watch(a->wire, now);
    }
    if (any) {
      last = now;
      continue;
    }
    if (is_over(a, now)) break;
    if (!may_stay_awake(a, last, now)) sleep_for_work(a, files);
  }
  free(files);
}

/* A core that no rank of the machine may use is the agent's: one that `berth map --reserve` leaves.
 * If ranks may use all of them, it is one that their placement leaves free, where they hardly are.
 */
static void take_core(desk_t *d)
{
  cpu_set_t own;
  CPU_ZERO(&own);
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (!CPU_ISSET(i, &d->cores)) CPU_SET(i, &own);
  d->shares_cores =
      sched_setaffinity(0, sizeof own, &own) != 0 &&
      (CPU_COUNT(&d->free) == 0 || sched_setaffinity(0, sizeof d->free, &d->free) != 0);
}

/* The parent ends at once. False: there is no process. */
static bool leave_parent(void)
{
  pid_t child = fork();
  if (child > 0) _exit(EXIT_SUCCESS);
  return child == 0;
}

/* When the last rank closes its end, a signal comes that nothing withstands. */
static bool live_with_ranks(void)
{
  return fcntl(LIFE_FILE, F_SETOWN, getpid()) == 0 && fcntl(LIFE_FILE, F_SETSIG, SIGKILL) == 0 &&
         fcntl(LIFE_FILE, F_SETFL, O_ASYNC | O_NONBLOCK) == 0 && ranks_live();
}

int main(int argc, char **argv)
{
  desk_t *d = map_desk();
  if (!d) return EXIT_FAILURE;
  close_range(DESK_FILE, DESK_FILE, 0);
  close_range(LIFE_FILE + 1, ~0u, 0);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGINT, SIG_IGN); /* of the terminal: the launcher ends the ranks, and they the agent */
  if (!leave_parent()) return fail(d, "its process", errno);
  prctl(PR_SET_NAME, "berth-agent");
  if (!live_with_ranks()) return fail(d, "its life", errno);
  d->process = (int)getpid();
  take_core(d);
  agent_t a = {.desk = d};
  if (!set_up(&a, argc > 1 ? argv[1] : NULL)) return EXIT_FAILURE;
  work(&a);
  wire_close(a.wire);
  for (int i = 0; i < d->ranks; i++) store_unmap(a.rank[i].store, &a.rank[i].name);
  store_free(&a.store);
  agent_work_end(&a);
  wait_word_set(&d->state, DESK_ENDED);
  return EXIT_SUCCESS;
}
