/* SPDX-License-Identifier: BSD-3-Clause */
/* Mappings with their estimates, for people and for scripts. */
#ifndef BERTH_CLI_PRINT_COST_VIEW_H
#define BERTH_CLI_PRINT_COST_VIEW_H

#include <berth/advice.h>
#include <berth/map.h>

#include "base/json_out.h"
#include "cli/cost_phases.h"
#include "cli/print/verdict.h"

typedef struct costed {
  const char *path;
  berth_mapping_t mapping;
  berth_advice_t *advice; /* NULL: nobody asked for it */
  berth_site_traffic_t *site;
  size_t n_sites;
} costed_t;

typedef struct cost_view {
  const inputs_t *in;
  berth_model_t model;
  size_t n;
  costed_t *list;
  berth_assessment_t *assessment; /* of the list, with reasons, beside the default order */
  const berth_mapper_t *mapper;   /* by which the mappings for each phase alone were found */
  berth_alone_t *alone;           /* one for each phase; NULL where nobody asked */
  size_t others;                  /* groups of collective calls of which advice is shown */
} cost_view_t;

void cost_view_print(const cost_view_t *v);

/* The call sites of one mapping by level: as a table of those that load the most expensive level
 * most, and as a member of an open object. */
void cost_print_sites(const cost_view_t *v, const costed_t *m, const berth_cost_result_t *r);
void cost_put_sites(json_out_t *j, const cost_view_t *v, const costed_t *m,
                    const berth_cost_result_t *r);

/* Writes the object of docs/formats/cost.md. */
int cost_view_json(const cost_view_t *v, const char *path, berth_error_t *err);

#endif
