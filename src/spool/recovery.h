/* SPDX-License-Identifier: BSD-3-Clause */
/* Common parts of berth_recover and berth_snapshot. */
#ifndef BERTH_SPOOL_RECOVERY_H
#define BERTH_SPOOL_RECOVERY_H

#include <berth/spool.h>

#include "spool/assemble/assembly.h"
#include "spool/spool_read.h"

/* Maps a running rank's tables. Ends with live_table_unmap. */
int live_table_map(const char *path, spool_image_t *live, berth_error_t *err);
void live_table_unmap(const spool_image_t *live);

/* Notes that a file is left out, and why. */
int recover_refuse(berth_recovery_t *what, const berth_error_t *why, berth_error_t *err);

/* Fills all but the refused files. */
int recover_fill(berth_recovery_t *what, const assembly_stats_t *s, berth_error_t *err);

/* Makes the pattern of a job's added tables and frees the assembly. Does nothing else if rc is a
 * failure. *what says what the pattern is made of. */
berth_pattern_t *recover_finish(assembly_t *a, int rc, const berth_tables_t *job,
                                berth_recovery_t *what, berth_error_t *err);

#endif
