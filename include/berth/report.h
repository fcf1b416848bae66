/* SPDX-License-Identifier: BSD-3-Clause */
/* The report on a pattern, a machine and placements: an HTML page, or SVG pictures
 * (docs/report.md). */
#ifndef BERTH_REPORT_H
#define BERTH_REPORT_H

#include <berth/cost.h>
#include <berth/error.h>
#include <berth/pattern.h>
#include <berth/topo.h>
#include <berth/tuning.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A placement in the report. Texts aren't NULL. Each rank's PU must exist in the topology. */
typedef struct berth_report_placement {
  const char *name;      /* its file, or "linear" */
  const char *algorithm; /* "" when unknown */
  const int *pu_of_rank;
} berth_report_placement_t;

/* For `after`: the cheapest placement except `before`. */
#define BERTH_REPORT_CHEAPEST ((size_t)-1)

/* For `phase`: the most expensive one in `before`; all occurrences of all phases. */
#define BERTH_REPORT_MAX_COST_PHASE ((size_t)-1)
#define BERTH_REPORT_ALL_PHASES     ((size_t)-2)

typedef struct berth_report_options {
  size_t size; /* sizeof this struct, as the caller was compiled: berth_report_defaults sets it */
  const char *title;        /* NULL: the pattern's command, or its name */
  const char *pattern_name; /* names of the inputs, such as paths; not NULL */
  const char *topology_name;
  berth_model_t model;       /* the model of bottlenecks, levels, phases and loads of ports */
  int asked[BERTH_N_MODELS]; /* 1: evaluate placements in this model; `model` always is */
  int intervals;             /* 1: intervals of costs, if the topology states errors */
  size_t before, after;      /* indices of the placements that are shown first, and in pictures */
  size_t phase;              /* the phase that is shown first: its index in berth_pattern_phases */
  const berth_tuning_t
      *tuning; /* shown as a table; borrowed until the page is written. NULL: none */
} berth_report_options_t;

/* Defaults: the pattern's own title, "pattern" and "topology" for the inputs, model port, with
 * intervals, the first placement as before, the cheapest other one as after, the most expensive
 * phase. Fills the first `size` bytes of *o, sizeof *o as the caller was compiled, so that the
 * struct may grow. */
BERTH_API void berth_report_options_init(berth_report_options_t *o, size_t size);
static inline berth_report_options_t berth_report_defaults(void)
{
  berth_report_options_t o;
  berth_report_options_init(&o, sizeof o);
  return o;
}

/* A computed report, ready to be written. */
typedef struct berth_report berth_report_t;

/* Evaluates n placements, at least one, in each requested model, with the loads of all ports. It
 * borrows everything except the options; PUs of placements aren't checked. NULL with the error
 * filled: BERTH_MISSING when memory is out, BERTH_BAD_INPUT if berth_cost_new refuses the inputs.
 * Free with berth_report_free. */
BERTH_API berth_report_t *berth_report_new(const berth_pattern_t *p, const berth_topo_t *t,
                                           const berth_report_options_t *options, size_t n,
                                           const berth_report_placement_t *placements,
                                           berth_error_t *err);
BERTH_API void berth_report_free(berth_report_t *r);

/* What the report concludes about the placement after, in one sentence such as "Remap by best.json:
 * 12.2 times less communication time than in the default order.". "" if there is no other placement
 * than the one before. It is truncated if it doesn't fit into `size` bytes, at least 1. Returns
 * buf. */
BERTH_API const char *berth_report_conclusion(const berth_report_t *r, char *buf, size_t size);

/* Writes the page; "-" is standard output. It is a single file that needs no network. Equal inputs
 * and options give equal bytes. BERTH_MISSING if it can't be written or memory is out; the file is
 * then unchanged. */
BERTH_API int berth_report_page(const berth_report_t *r, const char *path, berth_error_t *err);

/* Writes the pictures as SVG files into a folder, which is created if needed: cost.svg, levels.svg,
 * sizes.svg, matrix-ranks.svg, matrix-before.svg, matrix-after.svg, tree-before.svg,
 * tree-after.svg; and node.svg if a placement uses hosts of which a node's record is known. Fails
 * as above; the pictures before the one that failed then exist. */
BERTH_API int berth_report_pictures(const berth_report_t *r, const char *folder,
                                    berth_error_t *err);

/* The files' names in that order; NULL from number BERTH_REPORT_PICTURES on. */
#define BERTH_REPORT_PICTURES ((size_t)9)
BERTH_API const char *berth_report_picture(size_t number);

#ifdef __cplusplus
}
#endif

#endif
