/* SPDX-License-Identifier: BSD-3-Clause */
/* The report: one page of HTML, or pictures of SVG, of a pattern, a machine and placements. What is
 * in it: docs/report.md. */
#ifndef BERTH_REPORT_H
#define BERTH_REPORT_H

#include <berth/cost.h>
#include <berth/error.h>
#include <berth/pattern.h>
#include <berth/topo.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is shown of a placement beside its costs. Texts are not NULL; each rank's PU is one of the
 * topology's. */
typedef struct berth_report_placement {
  const char *name;      /* its file, or "linear" */
  const char *algorithm; /* "" when unknown */
  const int *pu_of_rank;
} berth_report_placement_t;

/* For `after`: the cheapest of those that aren't `before`. */
#define BERTH_REPORT_CHEAPEST ((size_t)-1)

/* For `phase`: the one that costs most under `before`; all occurrences of all of them. */
#define BERTH_REPORT_MAX_COST_PHASE ((size_t)-1)
#define BERTH_REPORT_ALL_PHASES     ((size_t)-2)

typedef struct berth_report_options {
  size_t size; /* sizeof this struct, as the caller was compiled: berth_report_defaults sets it */
  const char *title;        /* NULL: the pattern's command, or its name */
  const char *pattern_name; /* what the inputs are called, such as paths; not NULL */
  const char *topology_name;
  berth_model_t model;       /* explains: bottlenecks, levels, phases, loads of ports */
  int asked[BERTH_N_MODELS]; /* nonzero: placements are priced by it; by `model` always */
  int intervals;             /* nonzero: how sure costs are, where the topology tells */
  size_t before, after;      /* the placements that are looked at first, which pictures show: below
                                their number */
  size_t phase;              /* so is this one: its place in berth_pattern_phases */
} berth_report_options_t;

/* Defaults: the pattern's own title, "pattern" and "topology" for the inputs, model port, with
 * intervals, the first placement before, the cheapest other one after, the most expensive phase.
 * Fills the first `size` bytes of *o, sizeof *o as the caller was compiled, so that the struct may
 * grow. */
BERTH_API void berth_report_options_init(berth_report_options_t *o, size_t size);
static inline berth_report_options_t berth_report_defaults(void)
{
  berth_report_options_t o;
  berth_report_options_init(&o, sizeof o);
  return o;
}

/* A report that was worked out and can be written. */
typedef struct berth_report berth_report_t;

/* Prices n placements, at least one, under each model that is asked for, with the loads of all
 * ports. Everything is borrowed and must outlive the report, but for the options; PUs of placements
 * aren't checked. NULL with the error filled: BERTH_MISSING when memory is out, BERTH_BAD_INPUT
 * when berth_cost_new refuses the inputs. Free with berth_report_free. */
BERTH_API berth_report_t *berth_report_new(const berth_pattern_t *p, const berth_topo_t *t,
                                           const berth_report_options_t *options, size_t n,
                                           const berth_report_placement_t *placements,
                                           berth_error_t *err);
BERTH_API void berth_report_free(berth_report_t *r);

/* Writes the page, "-" for standard output: one file that needs no other and no network. Its bytes
 * depend on nothing but the inputs and the options. BERTH_MISSING with the error filled when it
 * can't be written or memory is out; then the file is as it was. */
BERTH_API int berth_report_page(const berth_report_t *r, const char *path, berth_error_t *err);

/* Writes the pictures, each a file of SVG, into a folder, which is made where it isn't there,
 * with those above it: cost.svg, levels.svg, sizes.svg, matrix-ranks.svg, matrix-before.svg,
 * matrix-after.svg, tree-before.svg, tree-after.svg. BERTH_MISSING with the error filled as above;
 * pictures before the one that failed are there then. */
BERTH_API int berth_report_pictures(const berth_report_t *r, const char *folder,
                                    berth_error_t *err);

/* The files' names in that order; NULL from number BERTH_REPORT_PICTURES on. */
#define BERTH_REPORT_PICTURES ((size_t)8)
BERTH_API const char *berth_report_picture(size_t number);

#ifdef __cplusplus
}
#endif

#endif
