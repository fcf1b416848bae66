/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging of equal entries. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_MERGE_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_MERGE_H

#include "spool/assemble/assemble_internal.h"

/* Merges equal messages of one source and applies the rule for sizes. Returns the new number of
 * entries. */
size_t merge_sent(sent_t *sent, size_t n);
/* Merges equal calls. Counts of a rank's threads add up; over ranks, the maximum counts. */
size_t merge_called(called_t *called, size_t n, bool over_ranks);
void merge_called_add(called_t *into, const called_t *more, bool over_ranks);
/* Compares kinds of calls, for sorting. Entries of one kind differ only in source, destination
 * and, if `phases` is false, phase. */
int merge_called_kind_order(const called_t *a, const called_t *b, bool phases);

#endif
