/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of src/report share: a report that was worked out. */
#ifndef BERTH_REPORT_INTERNAL_H
#define BERTH_REPORT_INTERNAL_H

#include <berth/report.h>
#include <berth/uncertainty.h>
#include <stdbool.h>

#include "base/embedded.h"
#include "base/out_file.h"
#include "pattern/summary.h"

/* The loads of all resources under a placement. */
typedef struct loads {
  berth_load_t *load; /* by element and kind */
  size_t n;
} loads_t;

/* A placement and what it costs. */
typedef struct rated {
  berth_report_placement_t is;
  char *label; /* "linear", or its file with as many folders as tell it from the others */
  double cost_s[BERTH_N_MODELS], sharing_s[BERTH_N_MODELS]; /* the first has the second in it */
  berth_cost_result_t cost;  /* of communication under the report's model */
  loads_t *loads;            /* of one occurrence of each phase of `load_phase`, then of all */
  int moved, to_other_hosts; /* ranks that are elsewhere than under `before` */
} rated_t;

/* Messages from one rank to another in one occurrence of a phase; or from some ranks to others. */
typedef struct cell {
  int src, dst;
  double messages, bytes;
} cell_t;

typedef struct cells {
  cell_t *cell; /* sorted by src and dst */
  size_t n;
} cells_t;

struct berth_report {
  const berth_pattern_t *pattern;
  const berth_topo_t *topo;
  berth_report_options_t options; /* with its own texts */
  char *title, *pattern_name, *topology_name;
  size_t n;
  rated_t *placement;
  berth_uncertainty_t *uncertainty[BERTH_N_MODELS]; /* NULL where nothing is known */
  summary_t summary;
  cells_t *pairs;                    /* of each phase of the pattern */
  size_t n_listed, *listed;          /* phases that the page lists, in order */
  size_t n_load_phases, *load_phase; /* of these, phases whose loads are listed, in order */
  cells_t others;                    /* all occurrences of phases that aren't listed, added up */
  size_t n_pairs;                    /* of report_cells */
};

/* --- cells.c --- */

/* Pairs are listed up to so many; where there are more, ranks are put together in groups, and so
 * many of the largest pairs are listed beside them. */
enum { REPORT_MAX_PAIRS = 150000, REPORT_LARGEST_PAIRS = 50000 };

/* The pairs of a phase. Free cell. */
int report_find_pairs(const berth_pattern_t *p, size_t phase, cells_t *out, berth_error_t *err);

/* The ranks in the order of their PUs under a placement (NULL: of their numbers): the position of
 * each. The caller frees it; NULL when memory is out. */
int *report_positions(const berth_report_t *r, const rated_t *placement, berth_error_t *err);

/* Adds cells up that have both ends in common, and sorts them. */
void report_add_up(cells_t *cells);

/* Adds pairs up by groups of `group` neighbouring positions. Free cell. */
int report_group(const cells_t *pairs, const int *position, int group, cells_t *out,
                 berth_error_t *err);

/* How many positions a group has so that there are at most so many groups. */
int report_group_size(const berth_report_t *r, int max_groups);

/* The lists of pairs on the page: of each phase that is listed, then of all others, if any. */
size_t report_n_cells(const berth_report_t *r);
const cells_t *report_cells(const berth_report_t *r, size_t list, double *repeats);

/* How large a pair is in all its occurrences. What is equally large is told apart by its number,
 * mixed, so that a choice of some takes them from everywhere. */
typedef struct weight {
  double bytes, messages;
  uint64_t mixed;
} weight_t;

weight_t report_weigh(const cell_t *cell, double repeats, uint64_t number);
/* Whether a isn't below b. */
bool report_is_large(const weight_t *a, const weight_t *b);

/* The weight of the last of the `most` largest pairs of all lists, whose numbers go through them in
 * order; zeros where there aren't more. */
int report_find_min(const berth_report_t *r, size_t max, weight_t *out, berth_error_t *err);

/* --- data.c --- */

/* All that the page draws from, as one JSON object. */
int report_put_data(const berth_report_t *r, out_file_t *out, berth_error_t *err);

/* --- charts --- */

/* Whether costs have intervals. */
bool report_has_whiskers(const berth_report_t *r);
/* A picture's text goes to `out`. `alone`: it is a file of its own, not a part of the page. */
void report_chart_cost(const berth_report_t *r, out_file_t *out, bool alone);
void report_chart_levels(const berth_report_t *r, out_file_t *out, bool alone);
void report_chart_sizes(const berth_report_t *r, out_file_t *out, bool alone);
/* The matrix of bytes of what is looked at first, in the order of a placement; NULL: by rank. */
int report_chart_matrix(const berth_report_t *r, const rated_t *order, out_file_t *out,
                        berth_error_t *err);
/* The machine's ports with their loads in what is looked at first. */
int report_chart_tree(const berth_report_t *r, const rated_t *placement, out_file_t *out,
                      berth_error_t *err);

/* "before: ", "after: " or "" and the label. The caller frees it; NULL when memory is out. */
char *report_role_label(const berth_report_t *r, size_t placement);

/* What is looked at first: the place of a phase, or BERTH_REPORT_ALL_PHASES, and what it is called,
 * which the caller frees; NULL when memory is out. */
size_t report_phase(const berth_report_t *r);
char *report_phase_text(const berth_report_t *r);

/* The loads of a placement in what is looked at first. */
const loads_t *report_loads(const berth_report_t *r, const rated_t *placement);

/* The page's sources (base/embedded.h). */
extern const embedded_t report_parts[];

#endif
