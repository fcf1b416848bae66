/* SPDX-License-Identifier: BSD-3-Clause */
/* Appends steps to lists. */
#include "schedule/put_steps.h"

#include "base/array.h"

static void put(schedule_steps_t *s, schedule_step_t step)
{
  if (!ARRAY_ADD(&s->step, &s->n, &s->cap, step)) s->lost = true;
}

void put_send(schedule_steps_t *s, int peer, schedule_place_t from, int64_t n)
{
  put(s, (schedule_step_t){.kind = STEP_SEND, .peer = peer, .from = from, .n = n});
}

void put_recv(schedule_steps_t *s, int peer, schedule_place_t to, int64_t n)
{
  put(s, (schedule_step_t){.kind = STEP_RECV, .peer = peer, .to = to, .n = n});
}

static void put_local(schedule_steps_t *s, schedule_kind_t kind, schedule_place_t to,
                      schedule_place_t from, int64_t n)
{
  if (n > 0 && !s->messages_only)
    put(s, (schedule_step_t){.kind = kind, .peer = -1, .to = to, .from = from, .n = n});
}

void put_copy(schedule_steps_t *s, schedule_place_t to, schedule_place_t from, int64_t n)
{
  put_local(s, STEP_COPY, to, from, n);
}

void put_reduce(schedule_steps_t *s, schedule_place_t to, schedule_place_t from, int64_t n)
{
  put_local(s, STEP_REDUCE, to, from, n);
}

void put_reduce_left(schedule_steps_t *s, schedule_place_t to, schedule_place_t from, int64_t n)
{
  put_local(s, STEP_REDUCE_LEFT, to, from, n);
}
