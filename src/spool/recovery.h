/* SPDX-License-Identifier: BSD-3-Clause */
/* What berth_recover and berth_snapshot have in common. */
#ifndef BERTH_SPOOL_RECOVERY_H
#define BERTH_SPOOL_RECOVERY_H

#include <berth/spool.h>

#include "spool/assemble/assembly.h"
#include "spool/spool_read.h"

/* A rank's tables in shared memory, until live_table_unmap. */
int live_table_map(const char *path, spool_image_t *live, berth_error_t *err);
void live_table_unmap(const spool_image_t *live);

/* Puts down that a file is left out, and why. */
int recover_refuse(berth_recovery_t *what, const berth_error_t *why, berth_error_t *err);

/* Makes the pattern of what was added of a job (unless rc says that this failed), says in *what
 * what it is made of, and frees the assembly. */
berth_pattern_t *recover_finish(assembly_t *a, int rc, const berth_tables_t *job,
                                berth_recovery_t *what, berth_error_t *err);

#endif
