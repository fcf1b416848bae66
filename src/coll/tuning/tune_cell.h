/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures the choices of one cell, on the ranks of its communicator. */
#ifndef BERTH_COLL_TUNE_CELL_H
#define BERTH_COLL_TUNE_CELL_H

#include <berth/tuning.h>

#include "coll/coll.h"
#include "coll/tuning/told.h"
#include "schedule/two_levels/chosen.h"

enum { TUNE_ROUNDS = 16 }; /* in which every choice is measured once, at most */

/* A choice while it is measured. */
typedef struct tune_tried {
  bool given_up;
  chosen_t choice;
  told_t told;              /* of a choice that the MPI is told */
  double time[TUNE_ROUNDS]; /* medians of rounds */
  int n;
  double *call; /* times of all calls */
  size_t n_calls;
  double typical; /* the median of the rounds */
  double spent;   /* seconds */
} tune_tried_t;

/* Choices, and what is found. */
typedef struct tune_cell {
  int n;
  berth_tuned_choice_t choice[BERTH_MAX_CHOICES];
  tune_tried_t tried[BERTH_MAX_CHOICES];
  /* In seconds, and the relative error of a choice's time; below 0: not measured. `hosts`: what the
   * ranks of a host add to a choice's prediction. */
  struct {
    double within, of_choice[BERTH_MAX_CHOICES], error[BERTH_MAX_CHOICES];
    double hosts[BERTH_MAX_CHOICES];
    berth_histogram_t times[BERTH_MAX_CHOICES];
  } answer;
} tune_cell_t;

/* All ranks of the communicator call it with the same choices, and get the same answer. */
void tune_cell(tune_cell_t *m, MPI_Comm comm, schedule_op_t op, size_t bytes);

/* The job's limit of time begins; whether there is time for more, by this rank's clock. */
void tune_start_clock(void);
bool tune_time_left(void);

#endif
