/* SPDX-License-Identifier: BSD-3-Clause */
/* What a team's members tell each other, in this order. All of them make all of these calls.
 * Without a team nothing is done. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_TEAM_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_TEAM_H

#include "spool/assemble/assemble_internal.h"
#include "team/team_facts.h"

/* Phases and what is held against them, before and after team_gather. */
int team_phases(assembly_t *a, int rc, berth_error_t *err);
/* Gives the first member what belongs to no rank; others have it no more. */
int team_gather(assembly_t *a, int rc, berth_error_t *err);

/* Numbers in the trace of what a member's messages, calls and rows refer to. */
typedef struct names {
  uint32_t *site;   /* a mark for each of the sites that are used becomes a number from 1 */
  uint32_t *window; /* numbers of windows */
  uint32_t *sorted; /* the assembly's numbers of sites from 0, in their order */
  size_t n_sites;
  numbers_t comm; /* 0: it isn't in the trace */
} names_t;

/* Fills *names, in which `comm` has the numbers of communicators at the first member, and gets
 * those that rows have at all. Texts of sites are those of all members in that order. All arrays
 * are the caller's to free. Rows learn of their calls' changes. */
int team_names(assembly_t *a, names_t *names, int rc, berth_error_t *err);

/* Adds up the totals of all ranks. */
int team_totals(assembly_t *a, int rc, berth_error_t *err);

#endif
