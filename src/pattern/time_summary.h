/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the time in MPI calls goes: sums of a pattern's times by function, call site and
 * communicator. */
#ifndef BERTH_PATTERN_TIME_SUMMARY_H
#define BERTH_PATTERN_TIME_SUMMARY_H

#include <berth/pattern.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/json_out.h"

/* The times of one function, of one function at one call site, of one communicator, or of one
 * function on one communicator. What isn't part of the sum's kind is meaningless. */
typedef struct time_sum {
  const char *op;
  int site, comm;
  double total_s;    /* of all ranks */
  double max_s;      /* at max_rank; no rank spent more, or: */
  int max_rank;      /* -1: unknown */
  bool max_is_bound; /* the lines don't say which rank spent the most: it spent at least max_s.
                        False for functions */
} time_sum_t;

typedef struct time_list {
  time_sum_t *items;
  size_t n;
} time_list_t;

typedef struct time_summary {
  const berth_pattern_t *pattern;
  double all_s;          /* in MPI, of all ranks; at least the sum of the lines */
  double other_s;        /* the part of it in no line; 0 also if the ranks' times are unknown */
  time_list_t functions; /* this and the next two descend by total_s */
  time_list_t sites;
  time_list_t comms;
  time_list_t comm_functions; /* see time_comm_functions */
} time_summary_t;

/* Computes all sums. Free with time_summary_clear, also after a failure. */
int time_summary_init(time_summary_t *s, const berth_pattern_t *p, berth_error_t *err);
void time_summary_clear(time_summary_t *s);

/* The number of ranks of a communicator. 0: unknown. */
size_t time_comm_size(const berth_pattern_t *p, int comm);

/* The functions of a communicator, by total_s, descending. */
const time_sum_t *time_comm_functions(const time_summary_t *s, int comm, size_t *n);

/* How many times the average of a rank, of n, the one with the most spent; at least 1. */
double time_imbalance(const time_sum_t *sum, double n);

/* Whether the rest is large enough to be named. */
bool time_has_other(const time_summary_t *s);

/* Writes the member "mpi_time"; null if the pattern has no times. */
void time_summary_put(json_out_t *j, const time_summary_t *s);

#endif
