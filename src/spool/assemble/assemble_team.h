/* SPDX-License-Identifier: BSD-3-Clause */
/* The exchanges of a team, in this order. All members call all of them. Without a team they do
 * nothing. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_TEAM_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_TEAM_H

#include "spool/assemble/assemble_internal.h"
#include "team/team_facts.h"

/* Exchanges phases and what their occurrences must divide. Called before and after team_gather. */
int team_phases(assembly_t *a, int rc, berth_error_t *err);
/* Moves everything that belongs to no rank to the first member. */
int team_gather(assembly_t *a, int rc, berth_error_t *err);

/* The trace's numbers of what a member's messages, calls and rows refer to. */
/* How a site is used. Those of times alone are numbered last, because which calls take long is up
 * to the machine. */
enum { SITE_OF_TIMES = 1, SITE_USED = 2 };

typedef struct names {
  uint32_t *site;   /* by site: 0 unused, else SITE_…, which becomes the number, from 1 */
  uint32_t *window; /* by window */
  uint32_t *sorted; /* indices of sites in the order of the trace */
  size_t n_sites;
  numbers_t comm; /* 0: not in the trace */
} names_t;

/* Fills *names and sorts the sites of all members. At the first member, `comm` has the numbers
 * of communicators before; others get those that they need. The caller frees all arrays.
 * Also applies the changes of calls to rows. */
int team_names(assembly_t *a, names_t *names, int rc, berth_error_t *err);

/* Sums the totals of all ranks. */
int team_totals(assembly_t *a, int rc, berth_error_t *err);

#endif
