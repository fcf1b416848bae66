/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this module share. */
#ifndef BERTH_CHECK_INTERNAL_H
#define BERTH_CHECK_INTERNAL_H

#include <berth/check.h>
#include <stdbool.h>

/* One of the two patterns, priced. */
typedef struct check_side {
  const berth_pattern_t *pattern;
  const int *pu_of_rank;
  berth_cost_t *evaluator; /* NULL: there is no such side */
  berth_cost_result_t cost;
  const berth_phase_t *phases;
  size_t n_phases;
} check_side_t;

typedef struct check_job {
  const berth_topo_t *topo;
  const berth_check_options_t *options;
  check_side_t now, was;
} check_job_t;

/* How the reason of no verdict ends. */
#define CHECK_MAKES_NEW "`berth_check_make_baseline` makes a new baseline"

/* No phase of a side; no message of it. */
#define CHECK_NONE SIZE_MAX

/* Whether `now` is more than `was` by more than rounding: a model counts in units that depend on
 * all of a phase, 2^-60 of it. */
static inline bool check_grew(double now, double was) { return now > was + 1e-9 * now; }

/* Prices one side; clear it, whatever is returned. */
int check_price(check_side_t *side, const berth_pattern_t *p, const berth_topo_t *t,
                berth_model_t model, const int *pu_of_rank, berth_error_t *err);
void check_side_clear(check_side_t *side);

/* Matches the phases of both sides: out->phases, sorted, with their costs. */
int check_match_phases(const check_job_t *job, berth_check_t *out, berth_error_t *err);

/* Whether two texts name the same place in a program, of which lines may have moved: they agree in
 * all but numbers of lines ("halo.c:120") and offsets ("app+0x1f40"). */
bool check_same_place(const char *a, const char *b);
/* The text without them, which the caller frees; NULL when memory is out. */
char *check_place_text(const char *text);

/* Fills in what loads the port that made the phase dearer: its places in both sides are k and
 * was_k, or CHECK_NONE. */
int check_explain(const check_job_t *job, size_t k, size_t was_k, berth_check_phase_t *phase,
                  berth_error_t *err);
/* The place of a phase of that identity. */
size_t check_place(const check_side_t *side, int id);

/* Fills in from where a pair sends: in one occurrence of a phase (its places as above), or with
 * k CHECK_ALL in all phases and repeats of the pattern. */
#define CHECK_ALL (SIZE_MAX - 1)
int check_sites(const check_job_t *job, size_t k, size_t was_k, berth_check_pair_t *pair,
                berth_error_t *err);

/* Holds the priced pattern against one budget. */
int check_budget(const check_job_t *job, const berth_budget_t *budget, berth_check_budget_t *out,
                 berth_error_t *err);

/* Whether calls or bytes are others than they were. */
static inline bool check_unpriced_changed(const berth_check_unpriced_t *u)
{
  return u->calls != u->was_calls || u->bytes != u->was_bytes;
}

/* Lists what isn't priced of the pattern and, unless NULL, of the baseline. */
int check_unpriced(const berth_pattern_t *p, const berth_pattern_t *baseline, double tolerance,
                   berth_check_t *out, berth_error_t *err);
/* Why there is no verdict where the first of them grew. */
void check_unpriced_reason(const berth_topo_t *t, berth_check_t *out, berth_error_t *why);

void check_pairs_free(berth_check_pair_t *pairs, size_t n);
void check_phases_free(berth_check_phase_t *phases, size_t n);

#endif
