/* SPDX-License-Identifier: BSD-3-Clause */
/* What `berth view` shows: the screens of a pattern and of a machine. */
#ifndef BERTH_CLI_VIEW_SCREENS_H
#define BERTH_CLI_VIEW_SCREENS_H

#include <berth/cost.h>

#include "pattern/summary.h"
#include "view/view.h"

/* The load of a link's direction, over all phases. */
typedef struct view_load {
  double bytes, cost_s;
} view_load_t;

enum { VIEW_SCREENS = 5 };

typedef struct view_data {
  const berth_pattern_t *pattern; /* as it was recorded; NULL: only a machine is shown */
  const summary_t *summary;       /* of it */
  const berth_topo_t *topo;       /* NULL: only a pattern is shown */
  /* The placement that loads are of; NULL: there is none. */
  const int *pu_of_rank;
  view_load_t *up, *down; /* of the elements' links; NULL: there is no placement */
  berth_model_t model;    /* of the loads */
  /* The pattern's collective calls by bytes, descending, from view_sort_calls. */
  const berth_coll_t **calls;
  size_t n_calls;
} view_data_t;

/* Lists the pattern's collective calls. Free calls alone. */
int view_sort_calls(view_data_t *d, berth_error_t *err);

/* Adds up the loads of a placement of `priced`, the pattern with the messages that estimates
 * include. Free up and down alone. */
int view_add_loads(view_data_t *d, const berth_pattern_t *priced, berth_model_t model,
                   const int *pu_of_rank, berth_error_t *err);

/* Fills in the screens that there is data for, which they borrow. Returns how many. */
size_t view_screens(view_data_t *d, view_screen_t screens[VIEW_SCREENS]);

#endif
