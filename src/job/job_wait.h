/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for a number in shared memory to rise. A rank first looks again and again, then lets the
 * MPI make progress in between, which other ranks may need, then gives the core to others, and at
 * last sleeps until it is woken, or until it is time for the MPI again. How long it does what
 * depends on how many ranks there are for each core. */
#ifndef BERTH_JOB_WAIT_H
#define BERTH_JOB_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/wait_word.h"
#include "interpose/chain.h"

/* `crowded`: there are more ranks than cores. `patience` is in seconds: whoever has waited for so
 * long says so once a call; 0: nobody does. `rank` is the own one, in MPI_COMM_WORLD. */
void wait_setup(bool crowded, double patience, int rank, void (*let_mpi_work)(void));

/* Who waits in this thread, for the line that says so: set at the beginning of a call. */
typedef struct wait_call {
  const char *name;
  const void *caller; /* where the program makes the call */
  const int *rank;    /* of MPI_COMM_WORLD: the members of the host */
  bool said;
} wait_call_t;
extern __thread wait_call_t wait_call __attribute__((tls_model("initial-exec")));

/* How often a rank looks before wait_slow. */
extern _Atomic int wait_looks;
extern bool wait_crowded; /* as set up */

void wait_slow(wait_word_t *word, uint32_t value, int member);
/* Waits for so many seconds, or a little more, and for nobody in particular. False: the word isn't
 * there yet. `asleep`: whoever will set it needs this rank's core, so it sleeps at once. */
bool wait_until(wait_word_t *word, uint32_t value, double seconds, bool asleep);
/* Seconds of a clock that rises. */
double wait_now(void);
enum { WAIT_NOBODY = -1 }; /* whom it is that the rank waits for, if it can't be said */
/* One turn of a wait for messages: leaves the core to others if that helps, and if the MPI hasn't
 * done so. `turn` counts from 0; the caller has looked for messages since `looked`. */
void wait_turn(int turn, int rank, double looked);

/* `member` is whom it is that the rank waits for. */
static inline void wait_for(wait_word_t *w, uint32_t value, int member)
{
  int looks = atomic_load_explicit(&wait_looks, memory_order_relaxed);
  for (int i = 0; i < looks; i++) {
    if (LIKELY(wait_word_over(w, value))) return;
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
  }
  wait_slow(w, value, member);
}

/* What was written before is visible to those who see the value. Where ranks sleep often, the store
 * must be seen before sleepers are looked up. Elsewhere that would cost a cache miss each time; if
 * in a few nanoseconds a rank falls asleep unseen, it sleeps for its nap. */
static inline void wait_set(wait_word_t *w, uint32_t value)
{
  if (wait_crowded)
    atomic_exchange(&w->value, value);
  else
    atomic_store_explicit(&w->value, value, memory_order_release);
  if (UNLIKELY(atomic_load_explicit(&w->sleepers, memory_order_relaxed))) wait_word_wake(w);
}

#endif
