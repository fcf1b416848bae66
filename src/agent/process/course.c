/* SPDX-License-Identifier: BSD-3-Clause */
/* Carries out a schedule step by step, and never waits: what coll/run.c does in a process of MPI.
 * Hosts are the schedule's ranks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/process/call.h"
#include "schedule/two_levels/choose.h"

static char *address(call_t *c, schedule_place_t place)
{
  char *base = place.buffer == SCHEDULE_IN    ? c->in
               : place.buffer == SCHEDULE_OUT ? call_out(c)
                                              : c->course.scratch;
  return base + (size_t)place.first * (size_t)c->order.element;
}

/* The schedule of an operation, and its memory. 0 or an errno. */
static int take_schedule(call_t *c, schedule_op_t op, int root)
{
  course_t *k = &c->course;
  size_t element = (size_t)c->order.element;
  k->what.op = op;
  k->what.root = root;
  if (k->what.degree)
    k->algorithm = schedule_find(op, "knomial");
  else
    k->algorithm = choose_schedule(&k->what, element, c->s->half);
  if (!k->algorithm) return ENOTSUP;
  size_t scratch = (size_t)schedule_scratch(k->algorithm, &k->what, c->s->me) * element;
  free(k->scratch);
  k->scratch = NULL;
  if (scratch && !(k->scratch = malloc(scratch))) return ENOMEM;
  k->rounds = k->algorithm->rounds(&k->what);
  k->round = -1;
  k->step = k->steps.n = 0;
  return 0;
}

/* An all-reduce by a tree goes up, and then down again. */
int course_begin(call_t *c, schedule_op_t op, int root, int64_t count, const int64_t *host_counts)
{
  course_t *k = &c->course;
  int hosts = c->s->hosts;
  bool tree = op == SCHEDULE_REDUCE || op == SCHEDULE_BCAST || op == SCHEDULE_ALLREDUCE;
  if (host_counts && !(k->blocks = schedule_blocks_new(op, hosts, host_counts))) return ENOMEM;
  k->what =
      (schedule_call_t){.size = hosts, .count = count, .blocks = k->blocks, .commutative = true};
  if (tree) k->what.degree = c->order.degree;
  k->then_down = k->what.degree && op == SCHEDULE_ALLREDUCE;
  return take_schedule(c, k->then_down ? SCHEDULE_REDUCE : op, root);
}

static void local_step(call_t *c, const schedule_step_t *s)
{
  char *to = address(c, s->to), *from = address(c, s->from);
  size_t n = (size_t)s->n;
  if (n == 0) return;
  if (s->kind == STEP_COPY) {
    if (to != from) memmove(to, from, n * (size_t)c->order.element);
  } else if (s->kind == STEP_REDUCE) {
    c->kernel(to, from, to, n);
  } else {
    c->kernel(from, to, to, n);
  }
}

/* 1: the step is done, or under way; 0: it has to wait; -1: memory is out. */
static int do_step(call_t *c, const schedule_step_t *s)
{
  size_t bytes = (size_t)s->n * (size_t)c->order.element;
  bool good = true;
  if (s->kind == STEP_SEND) {
    if (!call_may_send(c, s->peer)) return 0;
    good = call_send(c, s->peer, address(c, s->from), bytes, call_message_done, c);
  } else if (s->kind == STEP_RECV) {
    good = call_receive(c, s->peer, address(c, s->to), bytes, call_message_done, c);
  } else {
    if (c->pending > 0) return 0;
    local_step(c, s);
  }
  return good ? 1 : -1;
}

/* The steps of the next round. False: memory is out. */
static bool next_round(call_t *c)
{
  course_t *k = &c->course;
  k->round++;
  k->step = k->steps.n = 0;
  if (k->round < k->rounds) schedule_steps(k->algorithm, &k->what, c->s->me, k->round, &k->steps);
  return !k->steps.lost;
}

int course_run(call_t *c)
{
  course_t *k = &c->course;
  for (;;) {
    for (; k->step < k->steps.n; k->step++) {
      int done = do_step(c, &k->steps.step[k->step]);
      if (done <= 0) return done;
    }
    if (c->pending > 0) return 0;
    if (!next_round(c)) return -1;
    if (k->round < k->rounds) continue;
    if (!k->then_down) return 1;
    k->then_down = false;
    if (take_schedule(c, SCHEDULE_BCAST, 0)) return -1;
  }
}

void course_clear(course_t *k)
{
  schedule_steps_clear(&k->steps);
  free(k->blocks);
  free(k->scratch);
  *k = (course_t){0};
}
