/* SPDX-License-Identifier: BSD-3-Clause */
/* A pattern that is generalised: what traces have in common, step by step. */
#ifndef BERTH_SCALE_INTERNAL_H
#define BERTH_SCALE_INTERNAL_H

#include <berth/scale.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/grid.h"
#include "scale/scale_law.h"

/* --- units: what the traces have at one call site, in one phase (scale_units.c) --- */

typedef struct scale_pair {
  int src, dst;
  size_t first, n;        /* entries */
  double messages, bytes; /* of all entries, in one occurrence of the phase */
} scale_pair_t;

/* Messages of one unit in one trace, by source, destination and size. */
typedef struct scale_cell {
  size_t n_pairs;
  berth_message_t *entries; /* src, dst, size, count and bytes */
  scale_pair_t *pairs;
  size_t *row;            /* the first pair of each rank, and the number of pairs */
  double messages, bytes; /* of all pairs */
} scale_cell_t;

enum { SCALE_SIZES = 4 }; /* of one call site's messages that are told apart */

typedef enum scale_unit_kind { SCALE_MESSAGES, SCALE_ONE_SIDED, SCALE_CALLS } scale_unit_kind_t;

/* Calls of a collective operation by one group of ranks: all that had the same bytes. */
typedef struct scale_call {
  int group;           /* index into the trace's groups */
  int root;            /* place in the group; -1: none */
  double bytes, count; /* of one call at one rank, the mean if it differs; calls */
  bool uneven;         /* ranks gave different amounts, or sent different amounts to others */
  bool shared;         /* the trace says what each rank gave */
  bool between;        /* of two groups of ranks */
} scale_call_t;

typedef struct scale_calls {
  size_t n, cap;
  scale_call_t *call; /* sorted by group, root and bytes */
} scale_calls_t;

typedef struct scale_unit {
  scale_unit_kind_t kind;
  int phase, site;          /* indices */
  const berth_rma_t *rma;   /* one-sided: sync, op, window and communicator, of some trace */
  const berth_coll_t *coll; /* calls: op, root and nature, of some trace */
  bool all;                 /* calls: all ranks make them together */
  int size, sizes;          /* messages: which of the sizes that each pair has, from 1; 0: all */
  scale_cell_t *cell;       /* of each trace, if it has messages or one-sided operations */
  scale_calls_t *calls;     /* of each trace, if it has calls */
  double *epochs;           /* of each trace: the mean of a rank that has operations */
  double messages;          /* in the last trace, over all occurrences; calls count for each rank */
  double bytes;             /* in the last trace, over all occurrences, of all ranks */
  double share;             /* of that trace's bytes */
} scale_unit_t;

/* A set of ranks that traces have a communicator of. */
typedef struct scale_group {
  size_t n;
  const int *ranks;
} scale_group_t;

typedef struct scale_groups {
  size_t n, cap;
  scale_group_t *group; /* group 0: all ranks in order */
} scale_groups_t;

typedef struct scale_site {
  const char *op;
  size_t n_frames;
  const char *const *frames;
} scale_site_t;

typedef struct scale_phase {
  const char *name;
  double *repeats; /* in each trace */
} scale_phase_t;

/* Phases of one trace, by identity. */
typedef struct scale_traced_phase {
  int id;
  const char *name;
  double repeats;
} scale_traced_phase_t;

typedef struct scale_traced_phases {
  size_t n, cap;
  scale_traced_phase_t *phase;
} scale_traced_phases_t;

/* Grids that the program made itself, of which all traces have one. */
typedef struct scale_recorded {
  grid_t traced[BERTH_SCALE_TRACES];
  unsigned periodic; /* bit d: dimension d */
} scale_recorded_t;

typedef struct scale_job {
  arena_t arena;
  size_t n; /* traces, by number of ranks */
  const berth_pattern_t *trace[BERTH_SCALE_TRACES];
  int ranks[BERTH_SCALE_TRACES];
  berth_scale_options_t options;
  bool merged; /* phases differ between traces, and count as one */
  size_t n_phases, n_sites, n_units, cap_sites, cap_units;
  scale_phase_t *phases;
  scale_traced_phases_t traced[BERTH_SCALE_TRACES];
  scale_site_t *sites;              /* site 0: unknown */
  int *site_of[BERTH_SCALE_TRACES]; /* index of each site of a trace */
  scale_unit_t *units;
  scale_groups_t groups[BERTH_SCALE_TRACES];
  double bytes, messages; /* of the last trace */
  size_t n_recorded;
  scale_recorded_t *recorded;
  size_t done, steps; /* for options.progress */
} scale_job_t;

/* So many steps are done. A step explains a unit with a family, or makes a unit. */
void scale_step(scale_job_t *job, size_t n);

int scale_phases(scale_job_t *job, berth_error_t *err); /* scale_phases.c */
/* Of a phase of a trace, by its identity: its index in the job; how often it occurs; and what one
 * of its messages stands for: 1, or the occurrences of a phase that was merged with others. */
int scale_phase_of(const scale_job_t *job, size_t trace, int id);
double scale_repeats(const scale_job_t *job, size_t trace, int id);
double scale_times(const scale_job_t *job, size_t trace, int id);

int scale_units(scale_job_t *job, berth_error_t *err);
int scale_units_calls(scale_job_t *job, berth_error_t *err); /* scale_unit_calls.c */
void scale_units_free(scale_job_t *job);

/* For scale_unit_calls.c: the index of a trace's phase and site, and the unit of a kind; NULL when
 * memory is out. */
int scale_unit_site(const scale_job_t *job, size_t trace, int id);
scale_unit_t *scale_unit_add(scale_job_t *job, const scale_unit_t *like);
const char *scale_unit_op(const scale_job_t *job, const scale_unit_t *u);        /* "": unknown */
const scale_pair_t *scale_pair_find(const scale_cell_t *cell, int src, int dst); /* or NULL */

/* --- grids: rules that divide any number of ranks (scale_family.c) --- */

typedef struct scale_family {
  grid_t traced[BERTH_SCALE_TRACES], made;
  const scale_recorded_t *recorded; /* NULL: the program didn't make these grids */
  char rule[80];
} scale_family_t;

typedef struct scale_families {
  size_t n, n_others;
  scale_family_t *family;
  /* Families with the same grids of the traces as another one before them, and another grid of the
   * pattern: others[i] is like family[like[i]]. */
  scale_family_t *others;
  size_t *like;
} scale_families_t;

int scale_families(scale_job_t *job, scale_families_t *out, berth_error_t *err);
bool scale_same_grid(const grid_t *a, const grid_t *b);
/* The most ranks that a dimension has in any trace. */
int scale_most_ranks(const scale_job_t *job, const scale_family_t *f, int dim);

/* Fills in the job's recorded grids; finds those that are a family's (scale_recorded.c). */
int scale_recorded(scale_job_t *job, berth_error_t *err);
const scale_recorded_t *scale_recorded_as(const scale_job_t *job, const grid_t *traced);

void scale_families_free(scale_families_t *families);

/* --- relations: pairs of ranks in a grid (scale_relation.c) --- */

typedef enum scale_relation_kind {
  SCALE_SELF,   /* each rank, and itself */
  SCALE_ALL,    /* all ranks of the same line */
  SCALE_STEP,   /* the rank that is `step` away */
  SCALE_BITS,   /* ranks whose place in the line differs in one bit */
  SCALE_POWERS, /* ranks 1, 2, 4… places after it in the line, around its end */
  SCALE_POWERS_BACK,
  SCALE_TREE, /* down a binomial tree: from a place with its lowest bit cleared */
  SCALE_TREE_UP,
  SCALE_HALVES, /* down the other one: from a place with its highest bit cleared */
  SCALE_HALVES_UP,
  SCALE_BINARY, /* down a binary tree: from (place - 1) / 2 */
  SCALE_BINARY_UP,
  SCALE_FROM_FIRST, /* from the line's first rank to all others */
  SCALE_TO_FIRST,
  SCALE_REVERSE,   /* the rank at the same distance from the line's other end */
  SCALE_TRANSPOSE, /* the rank whose coordinates in two dimensions are exchanged */
  SCALE_N_RELATIONS
} scale_relation_kind_t;

/* How amounts grow with the bit or power. Sizes of messages double or halve; numbers of messages
 * rise by one, or fall by one to 1 for the highest. */
typedef enum scale_growth {
  SCALE_EVEN,
  SCALE_DOUBLES,
  SCALE_HALVES_EACH,
  SCALE_RISES,
  SCALE_FALLS
} scale_growth_t;

typedef struct scale_relation {
  scale_relation_kind_t kind;
  scale_growth_t growth;
  unsigned dims;     /* a line: ranks that share the coordinates in all other dimensions. Of
                        SCALE_STEP: the dimensions in which it moves */
  unsigned periodic; /* dimensions in which SCALE_STEP goes around */
  int step[GRID_DIMS];
  bool itself; /* SCALE_TRANSPOSE: ranks on the diagonal send to themselves */
} scale_relation_t;

/* What a pair's amounts are multiplied by. */
typedef struct scale_weight {
  double messages, bytes;
} scale_weight_t;

/* The i-th rank to which src sends, -1 if there is none with this i. i is below
 * scale_relation_most. */
int scale_relation_target(const scale_relation_t *r, const grid_t *grid, int src, int i);
scale_weight_t scale_relation_weight(const scale_relation_t *r, const grid_t *grid, int i);
int scale_relation_most(const scale_relation_t *r, const grid_t *grid, int src);
scale_place_t scale_relation_place(const scale_relation_t *r, const grid_t *grid, int ranks);
unsigned scale_flat_dims(const grid_t *grid);      /* dimensions of two ranks */
int scale_line(const grid_t *grid, unsigned dims); /* ranks of a line */
/* The place of a rank in its line, and the rank at a place of the line of another one. */
int scale_line_place(const grid_t *grid, unsigned dims, int rank);
int scale_line_rank(const grid_t *grid, unsigned dims, int rank, int place);

/* --- explanations: relations that make up a unit (scale_explain.c) --- */

/* What the parts of an explanation cost, in percent of the amounts that it leaves unexplained. */
#define SCALE_COST_DIM      1.0
#define SCALE_COST_FLAT_DIM 1.0 /* a dimension of at most two ranks */
#define SCALE_COST_ERROR    20.0

enum { SCALE_RELATIONS = 96, SCALE_FAR = 4 }; /* the longest step in a dimension */
enum { SCALE_SHORT = 64 }; /* bytes of flags and numbers, which don't grow with the problem */

/* Sizes of a relation's messages: part of the messages, and size relative to the mean. */
typedef struct scale_sizes {
  int n;
  double part[SCALE_SIZES], size[SCALE_SIZES];
} scale_sizes_t;

typedef struct scale_rule {
  scale_relation_t relation;
  scale_law_t messages; /* of a pair, in one occurrence of the phase */
  scale_law_t bytes;    /* the same, or of one message */
  bool each;            /* of one message */
  scale_sizes_t sizes;
} scale_rule_t;

typedef struct scale_explanation {
  size_t family; /* index */
  int n;
  scale_rule_t *rules; /* in the job's arena */
  double explained;    /* part of the amounts, on average of the traces */
  double last, error;  /* the same of the last trace; of the laws */
  double cost;         /* the lower, the better */
  const char *why;     /* not; NULL if it is kept */
} scale_explanation_t;

/* The best explanation of a unit's messages with a family's grids. */
int scale_explain(scale_job_t *job, const scale_unit_t *unit, const scale_families_t *families,
                  size_t family, scale_explanation_t *out, berth_error_t *err);

/* --- collective calls (scale_calls.c) --- */

typedef enum scale_roots {
  SCALE_ROOT_SAME, /* all calls have the same root, or none */
  SCALE_ROOT_LAST, /* the last rank of each line */
  SCALE_ROOT_EACH  /* each rank of a line in turn */
} scale_roots_t;

typedef struct scale_call_rule {
  scale_roots_t roots;
  int root;                   /* SCALE_ROOT_SAME: its place in the line; -1: none */
  unsigned dims;              /* the lines that call; all dimensions: all ranks */
  bool first;                 /* only the first line calls */
  int n;                      /* different bytes that a line calls with */
  scale_law_t *bytes, *count; /* with SCALE_ROOT_EACH: the calls of each root */
  bool shared;
} scale_call_rule_t;

typedef struct scale_calls_explanation {
  size_t family;
  scale_call_rule_t rule;
  double error, cost;
  const char *why;
} scale_calls_explanation_t;

int scale_explain_calls(scale_job_t *job, const scale_unit_t *unit,
                        const scale_families_t *families, size_t family,
                        scale_calls_explanation_t *out, berth_error_t *err);

/* --- the pattern (scale_make.c) --- */

typedef struct scale_found {
  scale_explanation_t messages;
  scale_calls_explanation_t calls;
  scale_law_t epochs;
} scale_found_t;

/* What became of a unit. */
static inline const char *scale_why_not(const scale_unit_t *u, const scale_found_t *f)
{
  return u->kind == SCALE_CALLS ? f->calls.why : f->messages.why;
}

static inline double scale_cost(const scale_unit_t *u, const scale_found_t *f)
{
  return u->kind == SCALE_CALLS ? f->calls.cost : f->messages.cost;
}

static inline size_t scale_family_of(const scale_unit_t *u, const scale_found_t *f)
{
  return u->kind == SCALE_CALLS ? f->calls.family : f->messages.family;
}

/* How often a phase occurs. If that follows no law, it is the last trace's number. */
typedef struct scale_repeats {
  scale_law_t law;
  bool sure;
} scale_repeats_t;

int scale_make(scale_job_t *job, const scale_families_t *families, const scale_found_t *found,
               const scale_repeats_t *repeats, berth_pattern_t *p, berth_error_t *err);

#endif
