/* SPDX-License-Identifier: BSD-3-Clause */
/* How a rank waits when looking a few times wasn't enough. */
#include "job/job_wait.h"

#include <math.h>
#include <sched.h>
#include <time.h>

#include "job/say.h"

/* Looks between two turns; turns that give the core away before the rank sleeps. A rank that shares
 * its core gives it away at once: the one that it waits for may need it. */
enum { ALONE_LOOKS = 2000, ALONE_TURNS = 2000, CROWDED_LOOKS = 1, CROWDED_TURNS = 100 };
/* Other programs may share the cores, too. From so many waits on in which giving the core away let
 * another process run, more than those in which it didn't, a rank looks less often. */
enum { SHARED_WAITS = 4, MOST_SHARED_WAITS = 8, SHARED_LOOKS = 20 };
/* Seconds: a turn takes so long if another process ran in it, and a look for messages if the MPI
 * gave the core away. */
#define SWITCH     1.5e-6
#define MPI_SWITCH 4e-6
enum { RETRY = 256 }; /* waits */
enum {
  NAP = 200 * 1000,
  LONGEST_NAP = 10 * 1000 * 1000
}; /* ns; after a nap it is the MPI's turn */

_Atomic int wait_looks = ALONE_LOOKS;
bool wait_crowded;
__thread wait_call_t wait_call;

static int turns = ALONE_TURNS;
static double patience;
static int own_rank;
static void (*mpi_work)(void);

void wait_setup(bool crowded, double seconds, int rank, void (*let_mpi_work)(void))
{
  own_rank = rank;
  mpi_work = let_mpi_work;
  wait_crowded = crowded;
  wait_looks = crowded ? CROWDED_LOOKS : ALONE_LOOKS;
  turns = crowded ? CROWDED_TURNS : ALONE_TURNS;
  patience = seconds;
}

double wait_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void say_who_waits(double begin, int rank)
{
  if (patience == 0 || wait_call.said || wait_now() - begin < patience) return;
  wait_call.said = true;
  say_line("rank %d has waited for rank %d for %g s in %s at %p", own_rank, rank, patience,
           wait_call.name, wait_call.caller);
}

/* How many turns a crowded rank gives its core away before it sleeps. sched_yield does nothing
 * where the scheduler has each rank in a group of its own (Hydra's ranks are sessions, Slurm's have
 * control groups). A turn that returns at once was in vain. If all were, and the rank then had to
 * sleep, there are fewer turns next time; now and then the first number is tried again. */
static int crowded_turns(bool helped)
{
  static __thread int now = CROWDED_TURNS, waits;
  if (helped || ++waits % RETRY == 0)
    now = CROWDED_TURNS;
  else if (now > 1)
    now /= 2;
  return now;
}

static int looks_now(void) { return atomic_load_explicit(&wait_looks, memory_order_relaxed); }

/* Gives the core away. Whether another process ran. */
static bool give_core(void)
{
  double before = wait_now();
  sched_yield();
  return wait_now() - before > SWITCH;
}

/* Learns from the first turn of a wait whether others use the core. */
static void learn(bool shared)
{
  static __thread int waits;
  if (wait_crowded) return;
  if (shared && waits < MOST_SHARED_WAITS) waits++;
  if (!shared && waits > 0) waits--;
  int looks = waits >= SHARED_WAITS ? SHARED_LOOKS : ALONE_LOOKS;
  atomic_store_explicit(&wait_looks, looks, memory_order_relaxed);
}

/* Lets the MPI work and sleeps by turns, until a moment; false: the word isn't there yet. */
static bool wait_asleep(wait_word_t *word, uint32_t value, int member, double begin, double end)
{
  for (long nap = NAP; !wait_word_over(word, value);) {
    mpi_work();
    wait_word_sleep(word, value, nap);
    if (nap < LONGEST_NAP) nap += nap / 4;
    if (member != WAIT_NOBODY) say_who_waits(begin, wait_call.rank[member]);
    if (isfinite(end) && wait_now() > end) return false;
  }
  return true;
}

/* Until a moment; false: the word isn't there yet. */
static bool wait_slowly(wait_word_t *word, uint32_t value, int member, double end)
{
  static __thread int most; /* 0: none yet */
  double begin = patience > 0 ? wait_now() : 0;
  bool helped = false;
  if (most == 0 || !wait_crowded) most = turns;
  for (int turn = 0; turn < most; turn++) {
    if (wait_word_over(word, value)) return true;
    if (turn % 8 == 7) mpi_work();
    bool other_ran = give_core();
    helped |= other_ran;
    if (turn == 0) learn(other_ran);
    int looks = looks_now();
    for (int i = 0; i < looks && !wait_word_over(word, value); i++) {
    }
  }
  if (wait_word_over(word, value)) return true;
  bool there = wait_asleep(word, value, member, begin, end);
  if (wait_crowded) most = crowded_turns(helped);
  return there;
}

void wait_slow(wait_word_t *word, uint32_t value, int member)
{
  wait_slowly(word, value, member, INFINITY);
}

bool wait_until(wait_word_t *word, uint32_t value, double seconds, bool asleep)
{
  for (int i = 0; i < (asleep ? 1 : looks_now()); i++)
    if (wait_word_over(word, value)) return true;
  double end = wait_now() + seconds;
  return asleep ? wait_asleep(word, value, WAIT_NOBODY, 0, end)
                : wait_slowly(word, value, WAIT_NOBODY, end);
}

void wait_turn(int turn, int rank, double looked)
{
  static __thread double begin;
  double passed = wait_now() - looked;
  if (turn == 0) begin = looked;
  bool shared = wait_crowded || looks_now() == SHARED_LOOKS || turn >= turns;
  if (shared && passed < MPI_SWITCH) sched_yield();
  if (turn >= turns && rank != WAIT_NOBODY) say_who_waits(begin, rank);
}
