/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/schedule_round.h"

#include "base/array.h"

static bool add_sends(const schedule_steps_t *steps, int rank, schedule_messages_t *out)
{
  bool added = !steps->lost;
  for (size_t i = 0; i < steps->n && added; i++) {
    const schedule_step_t *s = &steps->step[i];
    if (s->kind == STEP_SEND)
      added =
          ARRAY_ADD(&out->message, &out->n, &out->cap, (schedule_message_t){rank, s->peer, s->n});
  }
  return added;
}

bool schedule_round_messages(const schedule_stage_t *s, int64_t round, size_t most,
                             schedule_messages_t *out)
{
  bool added = true;
  schedule_steps_t steps = {0};
  out->n = 0;
  for (int rank = 0; rank < s->call.size && added && out->n <= most; rank++) {
    steps.n = 0;
    schedule_steps(s->algorithm, &s->call, rank, round, &steps);
    added = add_sends(&steps, rank, out);
  }
  schedule_steps_clear(&steps);
  return added;
}
