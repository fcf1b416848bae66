/* SPDX-License-Identifier: BSD-3-Clause */
/* What measurements have chosen for calls of berth's own library (berth/tuning.h). */
#ifndef BERTH_SCHEDULE_CHOSEN_H
#define BERTH_SCHEDULE_CHOSEN_H

#include <berth/tuning.h>

#include "schedule/settings/settings.h"

/* What is done for a call. */
typedef struct chosen {
  bool mpi;    /* the MPI serves it */
  bool told;   /* by an algorithm that it has to be told to take */
  bool agents; /* agents do, by trees of `degree` unless it is 0 */
  bool direct; /* blocks go from rank to rank */
  /* What speakers of hosts do if all give as much, and if they don't. NULL: as choose.h says. */
  const schedule_algorithm_t *equal, *varied;
  int64_t segment; /* bytes, 0: none */
  int degree;
  int64_t overlap; /* bytes, 0: none (choose.h) */
} chosen_t;

/* An operation's choice as a file names it; false: there is no such algorithm. */
bool chosen_of(schedule_op_t op, const berth_tuned_choice_t *named, chosen_t *out);

/* What a cell's choice number k is; false: `wrong` says what is wrong where in the cell. */
enum { CHOSEN_WRONG = 200 };
bool chosen_of_cell(const berth_tuned_cell_t *c, int k, schedule_op_t *op, chosen_t *out,
                    char wrong[CHOSEN_WRONG]);

/* What a job has, so that some choices hold: the MPI was told algorithms of its own; agents. */
typedef struct chosen_job {
  bool is_told, has_agents;
} chosen_job_t;

/* The number of the choice from `from` on that holds for a measured cell, and what it is.
 * -1: none does; `wrong` is empty, or says what is wrong where in the cell. */
int chosen_take(const berth_tuned_cell_t *c, int from, chosen_job_t job, schedule_op_t *op,
                chosen_t *out, char wrong[CHOSEN_WRONG]);

/* The MPI's own algorithm that a choice names, "mpi:binomial"; rules: whose MPI
 * (schedule_settings), NULL: of any. NULL: it names none. */
const schedule_setting_t *chosen_setting(const char *rules, schedule_op_t op,
                                         const char *algorithm);

/* The schedule of the speakers for their call, whose segment and degree it sets. NULL: none is
 * chosen, or it doesn't serve the call. `element` is in bytes. */
const schedule_algorithm_t *chosen_schedule(const chosen_t *c, schedule_call_t *call,
                                            size_t element);

/* The operation whose cells hold for a call of an operation. */
schedule_op_t chosen_op(schedule_op_t op);

#endif
