/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided operations. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_RMA_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_RMA_H

#include "spool/assemble/assemble_load.h"

/* Load the windows and lines of one rank image. Numbers of communicators and sites are the
 * assembly's. */
int rmas_load_window(rank_load_t *load, const spool_window_t *w, uint32_t comm, berth_error_t *err);
int rmas_load_line(rank_load_t *load, const spool_rma_t *r, uint32_t site, berth_error_t *err);
uint32_t rmas_phase(const assembly_t *a, uint32_t line); /* of a line, from 1 */

/* Reserves room for the rank's operations, false when memory is out; then takes them over. */
bool rmas_reserve(const rank_load_t *load);
void rmas_take(rank_load_t *load);

/* Marks the sites that operations have. */
void rmas_mark_sites(const assembly_t *a, uint32_t *sites);
/* Adds operations to the pattern. `sites` and `windows` are numbers in the trace, by the
 * assembly's. */
int rmas_add(assembly_t *a, berth_pattern_t *to, const uint32_t *sites, const uint32_t *windows,
             berth_error_t *err);
void rmas_clear(assembly_t *a);

/* Calls visit with all counts and bytes that each occurrence of a phase must have as many of. */
typedef void counts_visit_t(void *context, uint32_t phase, uint64_t count, uint64_t bytes);
void rmas_visit_counts(const assembly_t *a, counts_visit_t *visit, void *context);

/* The number of a window, from 0, by its communicator's number + 1 (0: MPI_COMM_WORLD) and its own;
 * -1 when memory is out. The second function says what tells a window apart. */
long rma_windows_intern(assembly_t *a, uint32_t comm, uint32_t number);
void rma_windows_key(const assembly_t *a, size_t window, uint32_t *comm, uint32_t *number);
/* Numbers of all windows in the trace, by the assembly's; NULL when memory is out. */
uint32_t *rma_windows_number(const assembly_t *a);

#endif
