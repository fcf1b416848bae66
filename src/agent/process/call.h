/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective call, as an agent carries it out: it gathers what its host's members give, goes
 * through messages with other agents, and tells members where their results are. */
#ifndef BERTH_AGENT_CALL_H
#define BERTH_AGENT_CALL_H

#include "agent/process/agent_state.h"

/* What a member has given, and where it gets its result. */
typedef struct part {
  bool here, told;
  uint16_t channel;
  const char *in;
  size_t at, bytes; /* of the result, in `out` */
} part_t;

typedef enum call_stage {
  CALL_GATHERS, /* members are missing */
  CALL_RUNS,
  CALL_DONE, /* results are there */
  CALL_FAILED
} call_stage_t;

typedef struct bundles bundles_t;

/* A schedule between hosts (schedule/schedule.h), as far as it has come. */
typedef struct course {
  const schedule_algorithm_t *algorithm;
  schedule_call_t what;
  schedule_blocks_t *blocks;
  schedule_steps_t steps;
  bool then_down; /* a broadcast follows */
  size_t step;
  int64_t round, rounds;
  char *scratch;
} course_t;

struct call {
  agent_t *a;
  structure_t *s;
  uint32_t stream, number;
  desk_order_t order; /* of the first member that came */
  int told, untaken;
  call_stage_t stage;
  bool queued;
  int error; /* errno */
  part_t *part;
  kernel_t *kernel;
  size_t bytes;    /* of a block, or of the vector */
  char *in;        /* of the host; own memory */
  uint64_t out_at; /* the result, in the agent's store */
  size_t out_bytes;
  int pending;               /* messages */
  uint32_t *sent, *received; /* messages, by host */
  course_t course;
  bundles_t *bundles;
  call_t *next, *next_ready;
};

/* Takes a member's order; an errno if it can't be one. */
int call_order(agent_t *a, int rank, const desk_order_t *o);
void call_taken(agent_t *a, const desk_order_t *o);
/* Goes on with calls that may. Whether there were any. */
bool call_go_on(agent_t *a);
void call_fail_all(structure_t *s);
/* Those that wait for a host's word. */
void call_wake_all(structure_t *s);

static inline char *call_out(const call_t *c)
{
  return c->out_at ? c->a->store.base + c->out_at : NULL;
}
/* Room for the result, before it is there. False: there is no memory. */
bool call_make_out(call_t *c, size_t bytes);

/* Messages of a call (call_words.c). False: memory is out. `call_may_send`: whether the host is
 * near enough; if not, the call goes on when it has said a word. */
bool call_may_send(const call_t *c, int host);
bool call_send(call_t *c, int host, const void *data, size_t bytes, wire_done_t *done, void *with);
bool call_receive(call_t *c, int host, void *data, size_t bytes, wire_done_t *done, void *with);
/* A message of the call is done. */
void call_message_done(void *call);
/* Other hosts are told that it has begun. */
void call_tell_begun(call_t *c);
/* A host has said a word: by a message, or by itself. */
void call_heard(agent_t *a, structure_t *s, int host, uint32_t number);

/* What members' data are for each operation (layouts.c). */
/* The first member is here: what the call is. 0 or an errno. */
int layout_take_call(call_t *c);
/* Whether the call can begin without this member. */
bool layout_needs(const call_t *c, int member);
/* All that are needed are here: the host's data are put together. */
int layout_plan(call_t *c);
/* The messages are over: results are put where members take them. */
int layout_end(call_t *c);

/* Between hosts: 1: it is over, 0: it waits for messages, -1: memory is out. */
int course_run(call_t *c);
int course_begin(call_t *c, schedule_op_t op, int root, int64_t count, const int64_t *host_counts);
void course_clear(course_t *course);

int bundles_begin(call_t *c);
int bundles_run(call_t *c);
int bundles_end(call_t *c);
void bundles_free(bundles_t *b);

#endif
