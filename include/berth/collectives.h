/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations of a pattern as the messages that an MPI sends for them, so that estimates
 * and mappers see them. */
#ifndef BERTH_COLLECTIVES_H
#define BERTH_COLLECTIVES_H

#include <berth/pattern.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Adds to a finished pattern the messages of its collective operations. Each round of a call
 * becomes a phase that occurs as often as the call; calls of the same kind on communicators without
 * a common rank share their phases, because they run beside each other. `rules` says which
 * algorithm is taken for a call: "openmpi-4.1", "mpich-4.0", "berth", a file
 * (docs/formats/collectives.md), or "auto": those of the pattern's MPI, and none if berth has none.
 * Operations that rules say nothing of stay as they are, and so do those on communicators that the
 * pattern doesn't have.
 *
 * The trace doesn't have sizes of elements, so they are the largest power of two up to 8 that
 * divides a block; reductions are taken for commutative. Where blocks may differ, as in
 * MPI_Alltoallv, the trace has their totals: one call has these divided by the calls.
 *
 * If the rounds of calls would add more than BERTH_MAX_ROUND_MESSAGES messages to those added
 * before, estimates count their messages instead of a list (docs/formats/cost-models.md). The
 * phases of these rounds have some messages with the bytes of all, so that mappers see which ranks
 * belong together; all-to-alls of all ranks have none. Calls that can't be counted either stay as
 * they are. *too_many is then larger than 0: the calls of all phases. It may be NULL.
 *
 * The additions are for estimates; berth_pattern_save leaves them out. After an error the pattern
 * can only be freed. */
enum { BERTH_MAX_ROUND_MESSAGES = 1 << 22 }; /* in a list they take up to a GiB in searches */
BERTH_API int berth_collectives_include(berth_pattern_t *p, const char *rules, double *too_many,
                                        berth_error_t *err);

/* The same for placements that put several ranks on a host. Some MPIs (mpich-4.0) compose calls of
 * parts within hosts and between them, so that their messages depend on the placement. Each kind of
 * such calls becomes one phase without messages (berth_phase_t.by_hosts). Estimates work out its
 * rounds for the hosts of each placement; mappers don't see them. Calls that take part in too many
 * messages for that count as if each rank had a host of its own, and so do all calls of a job that
 * had set MPIR_CVAR_NOLOCAL. A pattern takes such calls once.
 *
 * With the rules "berth" all blocking calls are such calls: those of berth's own collective library
 * (docs/coll.md), in which hosts are connected in the order of their numbers. With "berth-agents"
 * all others are, too, as agents carry them out. Other calls have the rules of the pattern's MPI.
 * `half` is of these rules only: how many bytes the link between two hosts carries in the time in
 * which a message begins; 0: berth_collectives_half's default. */
BERTH_API int berth_collectives_include_by_hosts(berth_pattern_t *p, const char *rules, double half,
                                                 double *too_many, berth_error_t *err);

/* What the library takes for `half` on a network in which a message of 8 B takes `small` seconds
 * from one host to another, and one of 32 KiB `large` seconds: a power of two from 256 to 65,536. 0
 * and 0, or numbers that make no sense: 4,096. */
BERTH_API double berth_collectives_half(double small, double large);

/* The rules for an MPI, given as in berth_pattern_mpi: those of its version or, with *nearest set
 * to 1, of another one. NULL: berth knows none of that MPI. */
BERTH_API const char *berth_collectives_rules(const char *mpi, int *nearest);

#ifdef __cplusplus
}
#endif

#endif
