/* SPDX-License-Identifier: BSD-3-Clause */
/* The trace's path, and what its header says about the process. */
#ifndef BERTH_TRACE_OUTPUT_H
#define BERTH_TRACE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The trace's path, from BERTH_TRACE_FILE. In it, %j is the job's identity, followed by
 * SPOOL_SPAWNED if another job spawned this one, and %% is a percent sign. The default is
 * berth-PROGRAM-ID.acp; ID is Slurm's job or rank 0's process. A relative path starts at the
 * current folder. Returns false, with "" in buf, if it doesn't fit. */
bool output_trace_path(char *buf, size_t size);

/* Whether berth chose that name or part of it. */
bool output_trace_is_chosen(void);

/* The folder of the spool files: BERTH_TRACE_SPOOL, or berth-spool-USER in TMPDIR or /tmp.
 * Returns false, with "" in buf, if it doesn't fit. */
bool output_spool_dir(char *buf, size_t size);

/* Reads a file without malloc, at most `size` bytes. Returns how many; -1: it can't be read. */
ssize_t output_read(const char *path, char *buf, size_t size);

/* Copies the process's command line, each word with its NUL. Returns the number of bytes. */
uint32_t output_header_command(char *buf, size_t size);

/* The PU that the process is bound to, or the first one of the core that it is bound to. -1 if
 * it may use more than a core. */
int32_t output_header_pu(void);

#endif
