/* SPDX-License-Identifier: BSD-3-Clause */
/* Data and functions that the module's files share. */
#ifndef BERTH_CHECK_INTERNAL_H
#define BERTH_CHECK_INTERNAL_H

#include <berth/check.h>
#include <stdbool.h>

/* One of the two patterns, with its costs. */
typedef struct check_side {
  const berth_pattern_t *pattern;
  const int *pu_of_rank;
  berth_cost_t *evaluator; /* NULL: this side doesn't exist */
  berth_cost_result_t cost; /* without packing */
  double packing_s, total_s;
  const berth_phase_t *phases;
  size_t n_phases;
} check_side_t;

typedef struct check_job {
  const berth_topo_t *topo;
  const berth_check_options_t *options;
  check_side_t now, was;
} check_job_t;

/* The end of a reason for no verdict. */
#define CHECK_MAKES_NEW "`berth_check_make_baseline` makes a new baseline"

/* Not a phase of this side; without messages. */
#define CHECK_NONE SIZE_MAX

/* Whether `now` exceeds `was` by more than rounding. Models count in units that depend on a phase's
 * total, 2^-60 of it. */
static inline bool check_grew(double now, double was) { return now > was + 1e-9 * now; }

/* Matches the phases of both sides: fills out->phases, sorted, with costs. */
int check_match_phases(const check_job_t *job, berth_check_t *out, berth_error_t *err);

/* Whether two texts name the same place of a program, ignoring line numbers ("halo.c:120") and
 * offsets ("app+0x1f40"), which change when the program does. */
bool check_same_place(const char *a, const char *b);
/* The text without these numbers. The caller frees it. NULL when memory is out. */
char *check_place_text(const char *text);

/* Fills the port that made the phase more expensive, and its pairs. k and was_k are the phase's
 * indices in both sides, or CHECK_NONE. */
int check_explain(const check_job_t *job, size_t k, size_t was_k, berth_check_phase_t *phase,
                  berth_error_t *err);
/* The index of the phase with that identity. */
size_t check_place(const check_side_t *side, int id);

/* Fills a pair's call sites: in one occurrence of a phase (k and was_k as above), or, if k is
 * CHECK_ALL, over all phases and repeats of the pattern. */
#define CHECK_ALL (SIZE_MAX - 1)
int check_sites(const check_job_t *job, size_t k, size_t was_k, berth_check_pair_t *pair,
                berth_error_t *err);

/* Checks the pattern against one budget. */
int check_budget(const check_job_t *job, const berth_budget_t *budget, berth_check_budget_t *out,
                 berth_error_t *err);

/* Whether the numbers of calls or bytes changed. */
static inline bool check_unpriced_changed(const berth_check_unpriced_t *u)
{
  return u->calls != u->was_calls || u->bytes != u->was_bytes;
}

/* Lists operations of the pattern and (unless NULL) the baseline that estimates don't include. */
int check_unpriced(const berth_pattern_t *p, const berth_pattern_t *baseline, double tolerance,
                   berth_check_t *out, berth_error_t *err);
/* Writes the reason for no verdict if the first of them grew. */
void check_unpriced_reason(const berth_topo_t *t, berth_check_t *out, berth_error_t *why);

void check_pairs_free(berth_check_pair_t *pairs, size_t n);
void check_phases_free(berth_check_phase_t *phases, size_t n);

#endif
