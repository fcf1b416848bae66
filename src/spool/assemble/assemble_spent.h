/* SPDX-License-Identifier: BSD-3-Clause */
/* Times in MPI by function, call site and communicator. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_SPENT_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_SPENT_H

#include "spool/assemble/assemble_load.h"
#include "spool/assemble/assemble_team.h"

/* Reads a record, unless it is of another thread than the one whose time counts. */
int spent_load(rank_load_t *load, const spool_spent_t *s, berth_error_t *err);
/* Shortens the rank's times if they are above its time in MPI: where calls that weren't timed would
 * take longer than the whole run, or in a snapshot, which has records of different moments. */
void spent_limit(rank_load_t *load, double mpi_s);
bool spent_reserve(const rank_load_t *load);
void spent_take(rank_load_t *load); /* needs the room */
/* Merges times of equal calls: they add up, and the most that one rank spent stays known. */
void spent_merge(assembly_t *a);
/* Leaves out calls on communicators that nobody lists, when those of all ranks are known. */
void spent_settle(assembly_t *a);
void spent_merge_one(spent_t *into, const spent_t *more);
int spent_add(const assembly_t *a, berth_pattern_t *to, const names_t *names, berth_error_t *err);

#endif
