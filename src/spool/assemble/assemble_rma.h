/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided operations. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_RMA_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_RMA_H

#include "spool/assemble/assemble_load.h"
#include "spool/assemble/assemble_team.h"

/* Load the windows and lines of one rank image. `comm` and sites are the assembly's numbers. */
int rmas_load_window(rank_load_t *load, const spool_window_t *w, uint32_t comm, berth_error_t *err);
int rmas_load_line(rank_load_t *load, const spool_rma_t *r, uint32_t site, berth_error_t *err);
uint32_t rmas_phase(const assembly_t *a, uint32_t line); /* `line` counts from 1 */

/* rmas_reserve makes room for the rank's operations and returns false if memory is out.
 * rmas_take then moves them into the assembly. */
bool rmas_reserve(const rank_load_t *load);
void rmas_take(rank_load_t *load);

/* Marks the sites of operations as used. */
void rmas_mark_sites(const assembly_t *a, uint32_t *sites);
/* Adds operations to the pattern. */
int rmas_add(assembly_t *a, berth_pattern_t *to, const names_t *names, berth_error_t *err);
void rmas_clear(assembly_t *a);

/* Calls visit with every count, and its bytes, that must be a multiple of the phase's
 * occurrences. */
typedef void counts_visit_t(void *context, uint32_t phase, uint64_t count, uint64_t bytes);
void rmas_visit_counts(const assembly_t *a, counts_visit_t *visit, void *context);

/* The index of a window, by its communicator's index + 1 (0: MPI_COMM_WORLD) and its number
 * there; -1 if memory is out. rma_windows_key returns its key. */
long rma_windows_intern(assembly_t *a, uint32_t comm, uint32_t number);
void rma_windows_key(const assembly_t *a, size_t window, uint32_t *comm, uint32_t *number);
/* Marks the communicators of windows as used, by their index + 1. */
void rma_windows_mark_comms(const assembly_t *a, uint32_t *comms);
/* The trace's numbers of all windows, by the assembly's. The caller frees them. NULL if memory
 * is out. */
uint32_t *rma_windows_number(const assembly_t *a);

#endif
