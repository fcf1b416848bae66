/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided operations of a pattern as the messages that an MPI sends for them, so that estimates
 * and mappers see them. */
#ifndef BERTH_ONE_SIDED_H
#define BERTH_ONE_SIDED_H

#include <berth/pattern.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Adds to a finished pattern the messages of its one-sided operations: the operations, what comes
 * back from their targets, and the messages of fences, post and complete, lock and unlock. An epoch
 * becomes a few phases, a round of messages each, that occur as often as the epoch.
 * docs/formats/cost-models.md says which epochs of a pattern run beside each other, and what
 * happens to operations that epochs don't have equally often.
 *
 * `rules` says what is sent: "openmpi-4.1", "mpich-4.0", or "berth" for berth's one-sided library
 * (docs/rma.md). BERTH_USAGE for other names. Operations of which berth doesn't know what is sent
 * stay as they are. What ends a fence of the library depends on which ranks share a host, so its
 * phase has no messages (berth_phase_t.by_hosts), as in berth_collectives_include_by_hosts.
 *
 * Epochs of a window whose rounds would add more than BERTH_MAX_ROUND_MESSAGES messages
 * (berth/collectives.h) to those added before stay as they are, too. *too_many is then larger than
 * 0: their operations in all phases. It may be NULL.
 *
 * The additions are for estimates; berth_pattern_save leaves them out. After an error the pattern
 * can only be freed. */
BERTH_API int berth_one_sided_include(berth_pattern_t *p, const char *rules, double *too_many,
                                      berth_error_t *err);

/* The rules for an MPI, given as in berth_pattern_mpi: those of its version or, with *nearest set
 * to 1, of another one. They are Open MPI's if berth knows nothing of that MPI. */
BERTH_API const char *berth_one_sided_rules(const char *mpi, int *nearest);

#ifdef __cplusplus
}
#endif

#endif
