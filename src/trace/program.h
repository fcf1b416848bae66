/* SPDX-License-Identifier: BSD-3-Clause */
/* Folds the steps of a rank into loops while they are taken, in bounded memory.
 *
 * The records are a stack of elements: steps and loops. An element is closed when another one
 * follows. If the last elements then equal those before them, both become a loop of 2, and the next
 * steps are compared with its body: as long as they agree, only numbers change. */
#ifndef BERTH_TRACE_PROGRAM_H
#define BERTH_TRACE_PROGRAM_H

#include <stdbool.h>
#include <string.h>

#include "interpose/chain.h"
#include "spool/spool_phase.h"

/* A place in the body of the last loop: the step that is expected, and the loops around it, the
 * outermost first. */
typedef struct program_place {
  const spool_step_t *at;          /* NULL: no step is expected */
  const spool_step_t *first, *end; /* the body of the innermost loop */
  uint64_t left;                   /* how often this step is still expected */
  int depth;                       /* index of the innermost loop */
  struct {
    uint32_t loop;
    uint64_t left; /* iterations, the current one included; unused for the outermost loop */
  } in[SPOOL_MAX_LOOPS];
} program_place_t;

/* An element of the stack. Hashes are those of the closed elements. */
typedef struct program_element {
  uint64_t hash, before; /* of the element; of all elements before it */
  uint64_t body;         /* of a loop's body */
  uint32_t at;           /* its record */
  uint16_t inside;       /* elements of a loop's body; 0: a step */
  uint16_t same;         /* 1 + the latest element before that may be equal; 0: none */
  uint16_t height;       /* of loops in loops; 0: a step */
} program_element_t;

enum { PROGRAM_HEADS = 4096 };

typedef struct program {
  spool_step_t *step; /* the records, in the caller's memory */
  uint32_t n, room;   /* records in use; records that there is room for */
  uint64_t *pending;  /* as in spool_phase_t */
  bool open;          /* the last element isn't closed */
  uint32_t n_elements;
  uint32_t sent; /* the peer of the last step, if it is a SPOOL_STEP_SENT; else SPOOL_ANY_RANK */
  uint32_t came; /* whose message the last receive for any rank got; no rank: unknown */
  program_place_t place;
  program_element_t element[SPOOL_MAX_STEPS + 1];
  uint16_t head[PROGRAM_HEADS];        /* 1 + the latest element by hash */
  uint64_t power[SPOOL_MAX_STEPS + 1]; /* of the hashes' base */
} program_t;

/* Begins a program in zeroed or used memory. `step` has room for that many records. */
void program_begin(program_t *p, spool_step_t *step, uint32_t room, uint64_t *pending);
/* Takes one step, whose `times` is 1. If it answers the rank whose message a receive for any rank
 * got just before, that receive becomes one for the first message, which was that rank's. Returns
 * false if there is no room. The program is as before then, and the caller may try again with more
 * room. */
bool program_add(program_t *p, const spool_step_t *s);
/* The records were copied to other memory. */
void program_move(program_t *p, spool_step_t *step);
/* Goes on to the next step behind the end of a loop in a loop, or in another loop. */
void program_next_slow(program_t *p);
/* Folds the last elements, after the last step. More steps may follow nevertheless. */
void program_end(program_t *p);

/* Whether two steps differ at most in `times`. Field by field, so that a caller may keep a step in
 * registers, and with one branch. */
static inline bool program_same(const spool_step_t *a, const spool_step_t *b)
{
  uint64_t differ = (a->phase ^ b->phase) | (a->peer ^ b->peer) | (a->root ^ b->root) |
                    (uint32_t)(a->kind ^ b->kind) | (uint32_t)(a->mode ^ b->mode) |
                    (a->size ^ b->size);
  return differ == 0;
}

/* Goes on to the next step of the loop's body. */
static inline void program_next(program_t *p)
{
  program_place_t *x = &p->place;
  const spool_step_t *next = x->at + 1;
  bool over = next == x->end;
  if (over) next = x->first;
  if (UNLIKELY(next->kind == SPOOL_STEP_LOOP || (over && x->depth > 0))) {
    program_next_slow(p);
    return;
  }
  if (over) p->step[x->in[0].loop].times++, *p->pending = 0;
  x->at = next;
  x->left = next->times;
}

/* Takes a step if it is the expected one. Otherwise program_add has to take it. */
static inline __attribute__((always_inline)) bool program_expects(program_t *p,
                                                                  const spool_step_t *s)
{
  if (UNLIKELY(!p->place.at || !program_same(p->place.at, s))) return false;
  p->sent = s->kind == SPOOL_STEP_SENT ? s->peer : SPOOL_ANY_RANK;
  ++*p->pending;
  if (--p->place.left == 0) program_next(p);
  return true;
}

#endif
