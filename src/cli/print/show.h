/* SPDX-License-Identifier: BSD-3-Clause */
/* What `berth show` says of a pattern. */
#ifndef BERTH_CLI_PRINT_SHOW_H
#define BERTH_CLI_PRINT_SHOW_H

#include "pattern/summary.h"
#include "pattern/time_summary.h"

/* How many of n are listed where `top` is asked for: 0 is all. */
static inline size_t show_listed(size_t n, size_t top) { return top && top < n ? top : n; }

/* Says how many of n aren't listed, if any. */
void show_print_rest(size_t n, size_t top, const char *noun, const char *of);

/* The first `top` pairs, sites, communicators and phases; 0 for all. In JSON the times are
 * complete. */
void show_print(const summary_t *s, const time_summary_t *times, size_t top);
int show_json(const summary_t *s, const time_summary_t *times, const char *path, size_t top,
              berth_error_t *err);

/* The time in MPI calls by function, call site and communicator (show_times.c). */
void show_print_times(const time_summary_t *s, size_t top);

/* The matrix of bytes as a picture of characters (show_matrix.c), of at most so many rows; 0: as
 * many as suit the terminal's width. */
void show_print_matrix(const summary_t *s, int max_rows);

#endif
