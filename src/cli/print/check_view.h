/* SPDX-License-Identifier: BSD-3-Clause */
/* What `berth check` found, for people, for scripts and for CI systems. */
#ifndef BERTH_CLI_PRINT_CHECK_VIEW_H
#define BERTH_CLI_PRINT_CHECK_VIEW_H

#include <berth/check.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct check_view {
  const char *pattern_path, *topology_path;
  const char *baseline_path; /* NULL: none */
  const char *algorithm;     /* what placed the ranks, "" when unknown */
  const berth_pattern_t *pattern;
  const berth_topo_t *topo;
  const berth_check_options_t *options;
  berth_check_t result;
  int updated; /* the baseline was written */
  int misfit;  /* it was of another machine or of other ranks, so that its placement was dropped */
  const berth_baseline_t *old; /* what it said before, NULL when there was none */
  int old_differs; /* that was of another machine, model or number of ranks: not comparable */
} check_view_t;

/* One line without its end: the verdict with both costs. */
void check_print_headline(FILE *to, const check_view_t *v);
/* What made it worse, line by line: the placement, phases, ports, pairs, call sites. */
void check_print_culprits(FILE *to, const check_view_t *v);
/* What the result leaves out or rests on: a note a line, with items below it. */
void check_print_notes(FILE *to, const check_view_t *v);
/* The culprits of one phase, and the first of each in half a line: "phase 1 \"solve\", C: down port
 * to A, out, 3 -> 12, MPI_Isend  exchange halo.c:120". */
void check_print_phase(FILE *to, const check_view_t *v, const berth_check_phase_t *phase);
void check_print_first(FILE *to, const check_view_t *v, const berth_check_phase_t *phase);
/* One line without its end; and what contributes most to a broken one. */
void check_print_budget(FILE *to, const check_view_t *v, const berth_check_budget_t *b);
void check_print_contributors(FILE *to, const check_view_t *v, const berth_check_budget_t *b);
/* "phase 1 \"solve\"". */
void check_print_phase_name(FILE *to, const berth_check_phase_t *phase);

/* All of it. */
void check_print(FILE *to, const check_view_t *v);

/* Writes the object of docs/formats/check.md. */
int check_json(const check_view_t *v, const char *path, berth_error_t *err);
/* Writes JUnit XML as GitLab, Jenkins and others read it. */
int check_junit(const check_view_t *v, const char *path, berth_error_t *err);
/* Prints GitHub's workflow commands: an annotation for each thing that failed, where its call site
 * is in the repository. `to` passes on every byte (clean_stream_raw). */
void check_github(FILE *to, const check_view_t *v);

/* The same where there is no result, for the reason `text`. */
int check_junit_failure(const char *text, const char *path, berth_error_t *err);
void check_github_failure(FILE *to, const char *text);

#endif
