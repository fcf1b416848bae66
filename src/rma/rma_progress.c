/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/rma_progress.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "job/job_wait.h"
#include "rma/arrivals.h"
#include "rma/bell.h"

/* Seconds for which the thread goes on after a ring when nothing has come, and sleeps while
 * something of this process is under way, or a message waits for a lock; and while nothing is,
 * because a ring may be lost. Long data let it sleep longer: the MPI, the system and the network
 * have some of them at a time. */
#define GO_ON    30e-6
#define RUNG     100e-6 /* the same, before anything has come */
#define NAP      50e-6
#define DATA_NAP 1600e-6
#define LONG_NAP 5e-3
enum { DATA_NAPS = 4, LOOKS = 20 }; /* while long data are under way; behind a ring or a message */
#define RINGS 1e-3 /* seconds from ring to ring while the same rank is waited for */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int waiting; /* threads in progress_until, which make progress themselves */
static pthread_t thread;
static _Atomic bool running, asleep;

void progress_lock(void) { pthread_mutex_lock(&lock); }
void progress_unlock(void)
{
  bool busy = mail_is_busy();
  pthread_mutex_unlock(&lock);
  if (busy && UNLIKELY(atomic_load_explicit(&asleep, memory_order_relaxed)) &&
      atomic_load_explicit(&waiting, memory_order_relaxed) == 0)
    bell_wake();
}

/* Whether anything came. *waits: messages wait for locks. The caller has the lock. */
static bool poll_once(bool *waits)
{
  bool came = mail_poll(arrivals_handle);
  *waits = arrivals_retry();
  return came;
}

void progress_poll(void)
{
  bool waits;
  if (pthread_mutex_trylock(&lock) != 0) return;
  chain_own_begin();
  poll_once(&waits);
  chain_own_end();
  pthread_mutex_unlock(&lock);
}

void progress_until(bool (*is_so)(void *context), void *context, int rank)
{
  double rang = 0;
  if (is_so(context)) return;
  atomic_fetch_add(&waiting, 1);
  for (int turn = 0; !is_so(context); turn++) {
    double looked = wait_now();
    progress_poll();
    if (rank >= 0 && looked - rang > RINGS && turn > 0) {
      if (rang > 0) progress_ring(rank);
      rang = looked;
    }
    if (is_so(context)) break;
    wait_turn(turn, rank < 0 ? WAIT_NOBODY : rank, looked);
  }
  atomic_fetch_sub(&waiting, 1);
}

/* --- the thread --- */

static double nap_of(size_t under_way)
{
  double data = (double)under_way * rma_job.byte / DATA_NAPS;
  return data < NAP ? NAP : data > DATA_NAP ? DATA_NAP : data;
}

/* Goes on until nothing has come for a while; nobody rang: if nothing has come, no longer. For how
 * long it may sleep then. A ring may be faster than messages that it is for. */
static double make_progress(bool rang)
{
  static int looks; /* for more, that are left */
  bool waits = false, busy = false, did = false, more = false;
  double last = wait_now(), nap = NAP;
  for (;;) {
    if (atomic_load_explicit(&waiting, memory_order_relaxed) > 0) return LONG_NAP;
    if (pthread_mutex_trylock(&lock) != 0) return NAP;
    bool came = poll_once(&waits);
    busy = mail_is_busy();
    nap = nap_of(mail_under_way());
    more = arrivals_expect_more();
    pthread_mutex_unlock(&lock);
    double now = wait_now();
    if (came) last = now;
    did |= came;
    if (now - last > (did ? GO_ON : rang ? RUNG : 10e-6)) break;
  }
  if (did) rma_count(RMA_WOKEN);
  bool expects = did ? more : rang;
  looks = expects ? LOOKS : did || looks == 0 ? 0 : looks - 1;
  if (busy && !waits) return nap;
  return waits || looks > 0 ? NAP : LONG_NAP;
}

/* What sched_setattr(2) takes. */
typedef struct scheduling {
  uint32_t size, policy; /* SCHED_OTHER is 0 */
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period; /* nanoseconds */
} scheduling_t;

/* The thread's turns are short, so that it need not wait until a computing thread's turn on the
 * same core is over: of several milliseconds. Linux before 6.12 leaves turns as they are. */
static void take_short_turns(void)
{
  scheduling_t a = {.size = sizeof a, .runtime = 100000 /* the least */};
  errno = 0;
  a.nice = getpriority(PRIO_PROCESS, 0);
  if (errno == 0 && sched_getscheduler(0) == SCHED_OTHER) syscall(SYS_sched_setattr, 0, &a, 0);
}

static void *run(void *unused)
{
  (void)unused;
  double nap = LONG_NAP;
  chain_own_begin();
  prctl(PR_SET_TIMERSLACK, 1000);
  take_short_turns();
  prctl(PR_SET_NAME, "berth-rma");
  while (atomic_load(&running)) {
    atomic_store(&asleep, nap >= LONG_NAP);
    bool rang = bell_wait(nap);
    atomic_store(&asleep, false);
    if (atomic_load(&running)) nap = make_progress(rang);
  }
  chain_own_end();
  return NULL;
}

bool progress_begin(void)
{
  if (running) return true;
  if (!mail_open() || !bell_open()) return false;
  sigset_t all, before;
  sigfillset(&all);
  running = true;
  pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the program's threads */
  if (pthread_create(&thread, NULL, run, NULL) != 0) running = false;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return running;
}

void progress_end(void)
{
  if (running) {
    running = false;
    bell_wake();
    pthread_join(thread, NULL);
  }
  bell_close();
  mail_close();
}

void progress_ring(int rank) { bell_ring(rank); }
