/* SPDX-License-Identifier: BSD-3-Clause */
/* A computed report, and functions that the files of src/report share. */
#ifndef BERTH_REPORT_INTERNAL_H
#define BERTH_REPORT_INTERNAL_H

#include <berth/assess.h>
#include <berth/report.h>
#include <stdbool.h>

#include "base/embedded.h"
#include "base/json_out.h"
#include "base/out_file.h"
#include "pattern/summary.h"
#include "pattern/time_summary.h"

/* The loads of all resources in a placement. */
typedef struct loads {
  berth_load_t *load; /* by element and kind */
  size_t n;
} loads_t;

/* A placement and its costs. */
typedef struct rated {
  berth_report_placement_t is;
  char *label; /* "linear", or its file with enough folders to distinguish it from the others */
  const berth_estimate_t
      *estimate[BERTH_N_MODELS];   /* compared with `before`; NULL: not requested */
  const berth_cost_result_t *cost; /* of communication, in the report's model */
  berth_site_traffic_t *site;      /* what each call site puts on each level */
  size_t n_sites;
  loads_t *loads; /* of one occurrence of each phase in `load_phase`, then of all phases */
} rated_t;

/* Messages between two ranks in one occurrence of a phase; or between two groups of ranks. */
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
  berth_report_options_t options; /* with copies of its texts */
  char *title, *pattern_name, *topology_name;
  size_t n;
  rated_t *placement;
  berth_assessment_t *assessment[BERTH_N_MODELS];         /* these own the estimates */
  const berth_uncertainty_t *uncertainty[BERTH_N_MODELS]; /* NULL: no errors are known */
  summary_t summary;
  time_summary_t times;
  cells_t *pairs;                    /* by phase of the pattern */
  size_t n_listed, *listed;          /* phases that the page lists, in order */
  size_t n_load_phases, *load_phase; /* of these, phases with loads, in order */
  cells_t others;                    /* sums over all occurrences of the other phases */
  size_t n_pairs;                    /* of report_cells */
  size_t n_sites, *site;             /* call sites of the page: indices in berth_pattern_sites */
  int *place;                        /* of each call site in that list, or REPORT_OTHER_SITE */
};

/* In place of a call site: none is known; the page has no room for it. */
enum { REPORT_NO_SITE = -1, REPORT_OTHER_SITE = -2 };

/* --- data_tuning.c --- */

/* Writes the member "tuning"; NULL: null. */
void report_put_tuning(json_out_t *j, const berth_tuning_t *t);

/* --- data_node.c --- */

/* Writes the member "nodes": what was measured of the hosts that placements use, by their types. */
int report_put_nodes(json_out_t *j, const berth_report_t *r, berth_error_t *err);
/* The first type of these hosts; -1: nothing was measured. */
int report_node_type(const berth_report_t *r);

/* --- matrix_groups.c --- */

/* Maximum of pairs that are listed. If there are more, ranks are grouped, and the largest pairs are
 * listed besides. */
enum { REPORT_MAX_PAIRS = 150000, REPORT_LARGEST_PAIRS = 50000 };

/* Finds the pairs of a phase. Free cell. */
int report_find_pairs(const berth_pattern_t *p, size_t phase, cells_t *out, berth_error_t *err);

/* The position of each rank, in the order of the placement's PUs (NULL: of ranks). The caller frees
 * it. NULL when memory is out. */
int *report_positions(const berth_report_t *r, const rated_t *placement, berth_error_t *err);

/* Sorts cells, and merges those with equal ends. */
void report_add_up(cells_t *cells);

/* Sums pairs up by groups of `group` neighbouring positions. Free cell. */
int report_group(const cells_t *pairs, const int *position, int group, cells_t *out,
                 berth_error_t *err);

/* The smallest group size with at most `max_groups` groups. */
int report_group_size(const berth_report_t *r, int max_groups);

/* How many lists of pairs the page has: one for each listed phase, and one for all others, if
 * any. */
size_t report_n_cells(const berth_report_t *r);
const cells_t *report_cells(const berth_report_t *r, size_t list, double *repeats);

/* The size of a pair over all its occurrences. Equal pairs are ordered by their mixed numbers, so
 * that a choice takes some from everywhere. */
typedef struct weight {
  double bytes, messages;
  uint64_t mixed;
} weight_t;

weight_t report_weigh(const cell_t *cell, double repeats, uint64_t number);
/* Whether a isn't below b. */
bool report_is_large(const weight_t *a, const weight_t *b);

/* Finds the weight of the smallest of the `max` largest pairs of all lists; zeros if there aren't
 * more pairs. Numbers of pairs continue from list to list. */
int report_find_min(const berth_report_t *r, size_t max, weight_t *out, berth_error_t *err);

/* --- data_sites.c --- */

/* Chooses the call sites of the page. */
int report_list_sites(berth_report_t *r, berth_error_t *err);

/* Write members: the list of call sites; the largest pairs and what each call site sends them; the
 * bytes that each call site puts on each level. Elsewhere call sites are places in the list. */
void report_put_call_sites(json_out_t *j, const berth_report_t *r);
int report_put_top_pairs(json_out_t *j, const berth_report_t *r, berth_error_t *err);
void report_put_site_levels(json_out_t *j, const berth_report_t *r, const rated_t *p);

/* Writes the call sites of some pairs of a list (report_cells), sorted as that. A pair that several
 * call sites send to takes as many numbers from *room. */
int report_put_pair_sites(json_out_t *j, const berth_report_t *r, size_t list, const cells_t *pairs,
                          size_t *room, berth_error_t *err);

/* --- data.c --- */

/* Writes all data of the page as one JSON object. */
int report_put_data(const berth_report_t *r, out_file_t *out, berth_error_t *err);

/* --- charts --- */

/* Whether costs have intervals. */
bool report_has_whiskers(const berth_report_t *r);
/* Draws a picture to `out`. `alone`: it is a file, not a part of the page. */
void report_chart_cost(const berth_report_t *r, out_file_t *out, bool alone);
void report_chart_levels(const berth_report_t *r, out_file_t *out, bool alone);
void report_chart_sizes(const berth_report_t *r, out_file_t *out, bool alone);
/* Draws the matrix of bytes of what is shown first, in the order of a placement (NULL: of
 * ranks). */
int report_chart_matrix(const berth_report_t *r, const rated_t *order, out_file_t *out,
                        berth_error_t *err);
/* Draws the machine's ports with the loads of what is shown first. */
int report_chart_tree(const berth_report_t *r, const rated_t *placement, out_file_t *out,
                      berth_error_t *err);

/* Draws the main curves of a node: of the first record in the page's list. There must be one. */
int report_chart_node(const berth_report_t *r, const rated_t *placement, out_file_t *out,
                      berth_error_t *err);

/* What to do about a placement beside the one before, in one sentence. Returns buf. */
enum { REPORT_CONCLUSION = 600 };
const char *report_conclusion(const berth_report_t *r, size_t placement, char *buf, size_t size);

/* "before: ", "after: " or "", and the label. The caller frees it. NULL when memory is out. */
char *report_role_label(const berth_report_t *r, size_t placement);

/* The phase that is shown first, an index or BERTH_REPORT_ALL_PHASES; and its text, which the
 * caller frees. NULL when memory is out. */
size_t report_phase(const berth_report_t *r);
/* What phase 0 has if its name doesn't say that; otherwise NULL. */
const char *report_phase_note(const berth_report_t *r, size_t phase);
char *report_phase_text(const berth_report_t *r);

/* The loads of a placement in the phase that is shown first. */
const loads_t *report_loads(const berth_report_t *r, const rated_t *placement);

/* The page's sources (base/embedded.h). */
extern const embedded_t report_parts[];

#endif
