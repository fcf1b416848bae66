/* SPDX-License-Identifier: BSD-3-Clause */
/* Which algorithm an MPI takes for a call: rules of an MPI that berth knows, or of a file
 * (docs/formats/collectives.md). */
#ifndef BERTH_SCHEDULE_RULES_H
#define BERTH_SCHEDULE_RULES_H

#include <berth/error.h>

#include "base/arena.h"
#include "schedule/schedule.h"
#include "schedule/schedule_hosts.h"

typedef struct schedule_rules schedule_rules_t;

/* Loads the rules of that name ("openmpi-4.1") or, if there are none, of that file. */
int schedule_rules_load(const char *name, schedule_rules_t **out, berth_error_t *err);
/* What berth's own collective library does (two_levels/two_levels.h). `name`: SCHEDULE_LIBRARY, or
 * SCHEDULE_AGENTS: agents carry out calls that don't block; or a file of `berth tune` with what it
 * does by measurements. `half`: see two_levels/choose.h; 0: the
 * usual one; a file's own counts more. `others`: the rules of an MPI for calls that the library
 * leaves to it, or NULL; taken over, also after a failure. */
#define SCHEDULE_LIBRARY "berth"
#define SCHEDULE_AGENTS  "berth-agents"
int schedule_rules_of_library(const char *name, double half, schedule_rules_t *others,
                              schedule_rules_t **out, berth_error_t *err);
/* Whether rules of that name, or of that file, are the library's. */
bool schedule_rules_is_library(const char *name);
void schedule_rules_free(schedule_rules_t *r);

/* Whether berth has rules of that name. */
bool schedule_rules_known(const char *name);
/* The names of all of them, for errors: "berth, berth-agents, mpich-4.0, openmpi-4.1". */
void schedule_rules_list(char *out, size_t size);

/* As the file calls them. */
const char *schedule_rules_name(const schedule_rules_t *r);

/* What a program calls: the rules choose the segment and the degree. The bytes of a block for each
 * rank are at most 2^53 together. */
typedef struct schedule_request {
  schedule_call_t call;
  int64_t element;               /* bytes of an element */
  bool in_place;                 /* all ranks have MPI_IN_PLACE */
  bool user_operation;           /* the program defines the reduction's operation, MPI doesn't */
  schedule_way_t way;            /* calls that don't block have rules of their own */
  const schedule_hosts_t *hosts; /* borrowed; NULL: each rank has a host of its own */
} schedule_request_t;

/* Whether an MPI has one algorithm for such a call, whatever it is told: alltoalls in place. */
static inline bool schedule_has_no_choice(const schedule_request_t *q)
{
  schedule_op_t op = q->call.op;
  return q->in_place &&
         (op == SCHEDULE_ALLTOALL || op == SCHEDULE_ALLTOALLV || op == SCHEDULE_ALLTOALLW);
}

/* A call is made of stages, one after the other. */
typedef struct schedule_stage {
  const schedule_algorithm_t *algorithm;
  schedule_call_t call;
  int64_t element; /* bytes of an element of this call: 1 if the algorithm divides bytes */
} schedule_stage_t;

enum { SCHEDULE_STAGES = 6 }; /* at most */

/* What an MPI may be told besides an algorithm; 0: nothing. */
typedef struct schedule_told {
  int64_t segment; /* bytes */
  int degree;
} schedule_told_t;

/* Fills the stages of a request and returns their number: 0 if it sends nothing, -1 if the rules
 * say nothing of it, or if it has parts that run on groups of ranks. */
int schedule_decide(const schedule_rules_t *r, const schedule_request_t *q,
                    schedule_stage_t stage[SCHEDULE_STAGES]);

/* A stage on a group of ranks. Those of the same step run beside each other. */
typedef struct schedule_piece {
  int step;
  schedule_among_t among;
  schedule_stage_t stage; /* of a communicator that has these ranks alone */
  const int *rank;        /* borrowed from the request's hosts, or the list's; NULL: all ranks */
} schedule_piece_t;

/* A growing list, sorted by step; all zero is an empty one. */
typedef struct schedule_pieces {
  schedule_piece_t *piece;
  size_t n, cap;
  int steps;
  arena_t arena;           /* of ranks */
  schedule_hosts_t *apart; /* hosts, if the request has none; or NULL */
} schedule_pieces_t;

/* Appends the stages of a request, by its hosts, too. Returns BERTH_OK, BERTH_MISSING: memory is
 * out, or BERTH_BAD_INPUT: the rules say nothing of it. */
int schedule_decide_by_hosts(const schedule_rules_t *r, const schedule_request_t *q,
                             schedule_pieces_t *out, berth_error_t *err);
/* Whether the stages of a request may depend on its hosts. */
bool schedule_is_by_hosts(const schedule_rules_t *r, const schedule_request_t *q);
/* Appends a stage of all ranks as the next step; false: memory is out. */
bool schedule_pieces_add(schedule_pieces_t *p, const schedule_stage_t *s);
void schedule_pieces_clear(schedule_pieces_t *p);

/* "hosts": as rules call it. */
const char *schedule_among_name(schedule_among_t among);

/* The same as schedule_decide if the MPI is told which algorithm of the operation to take, by the
 * name that its rules or the list of algorithms have. `with`: the bytes of a segment and the degree
 * that it is told, 0: those of its rules. -1: the algorithm doesn't serve the call, or there is
 * none of that name.
 */
int schedule_decide_by(const schedule_rules_t *r, const schedule_request_t *q, const char *name,
                       const schedule_told_t *with, schedule_stage_t stage[SCHEDULE_STAGES]);

#endif
