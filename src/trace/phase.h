/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases that the program tells apart, and automatic ones. */
#ifndef BERTH_TRACE_PHASE_H
#define BERTH_TRACE_PHASE_H

#include "spool/spool_phase.h"
#include "trace/op.h"
#include "trace/program_order.h"

/* Phases (phase.c). phase_setup reads the environment and begins phase 0. */
void phase_setup(void);
/* Starts counting, in this thread. */
void phase_begin(thread_t *t);
/* MPI_Pcontrol(level): begins an occurrence of a phase, returns to phase 0, or stops recording. */
void phase_control(const thread_t *t, int level);
/* Called for a send with this key if tracer.watch isn't 0: records it in the rank's program.
 * Returns false if the send isn't to be counted. */
bool phase_watch(thread_t *t, op_t op, uint64_t key, uint64_t size);
/* Records another step than a send in the current phase's program. */
void phase_step_slow(thread_t *t, spool_step_kind_t kind, uint32_t peer);
/* Whether a program that waits for such a send waits until it has been delivered. */
bool phase_waits_for(op_t op, uint64_t size);
/* A request is unknown from now on: gives up programs that may wait for it. */
void phase_lose_request(void);
/* In MPI_Finalize: the programs end. */
void phase_end(const thread_t *t);

/* Takes a step of the current phase if it is the one that a loop expects. The program is recorded:
 * watched() is WATCH_ORDER. */
static inline __attribute__((always_inline)) bool phase_expects(const thread_t *t,
                                                                const spool_step_t *s)
{
  order_t *o = t->orders[s->phase != 0];
  return LIKELY(o != NULL) && program_expects(&o->program, s);
}

/* Records a step that waits, or that posts a receive, if the current phase's program is recorded.
 */
static inline __attribute__((always_inline)) void phase_step(thread_t *t, spool_step_kind_t kind,
                                                             uint32_t peer)
{
  if (watched() != WATCH_ORDER) return;
  const spool_step_t s = {
      .phase = spool_key_phase(phase_key()), .kind = (uint16_t)kind, .peer = peer, .times = 1};
  if (!LIKELY(phase_expects(t, &s))) phase_step_slow(t, kind, peer);
}

/* The same for a step with more to it, but for its phase. */
void phase_step_of(thread_t *t, spool_step_t s);

/* A receive whose message came first, without its phase. */
static inline spool_step_t phase_first(uint32_t source)
{
  return (spool_step_t){.kind = SPOOL_STEP_RECEIVE,
                        .mode = SPOOL_RECEIVE_FIRST,
                        .peer = source,
                        .times = 1};
}

/* A receive for any rank's message got that of a rank (NOBODY: unknown). */
void phase_came(thread_t *t, uint32_t source);

/* Automatic phases (segment.c). From now on this thread's counts are told apart. */
void segment_setup(thread_t *t);
/* Call these before an untouched record of a thread with segments is counted up. */
void segment_touch(spool_message_t *m);
void segment_touch_row(spool_message_t *row);
void segment_touch_coll(spool_coll_t *c);
/* Ends a segment: after a collective call of all ranks, which was counted in `by` (or NULL), and
 * in MPI_Finalize. */
void segment_end(const thread_t *t, const spool_coll_t *by);
/* Ends automatic phases, for what follows or altogether. */
void segment_give_up(spool_auto_state_t why);

#endif
