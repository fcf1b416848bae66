/* SPDX-License-Identifier: BSD-3-Clause */
/* Readable call sites. The tracer stores a frame as
 *     /path/module+0x1234 (build id)
 * With the module's debug information it becomes "exchange halo.c:120". That may be in the module
 * or below /usr/lib/debug; berth downloads nothing. With a symbol only, it becomes "exchange+0x34
 * module". Without both, or if the module has changed since the trace, it stays as it is. A frame
 * in inlined functions becomes several frames. Frames outside of main are dropped. */
#ifndef BERTH_SYMBOL_H
#define BERTH_SYMBOL_H

#include <berth/error.h>
#include <berth/pattern.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_resolution {
  size_t sites;    /* call sites of the pattern, without those that have only times of calls */
  size_t resolved; /* those whose innermost frame was resolved */
  size_t named;    /* those whose innermost frame isn't the tracer's, so it was resolved before */
  size_t unread;   /* modules that weren't read; the reason of the first one: */
  char why[256];   /* such as "PATH: found a pipe (FIFO), expected a file"; "" if there are none */
} berth_resolution_t;

/* A copy of a pattern with resolved frames, automatic phases named by them, and no baseline. The
 * caller frees it. *counts may be NULL. NULL with the error filled when memory is out; frames that
 * can't be resolved are no error. The pattern names the files to read, so its author chooses them.
 * Only regular files are read; separate debug information only from below /usr/lib/debug. Several
 * threads may resolve patterns at a time, also the same one. */
BERTH_API berth_pattern_t *berth_resolve(const berth_pattern_t *p, berth_resolution_t *counts,
                                         berth_error_t *err);

/* The same for untrusted patterns. Each file is read in a process of its own, because files can be
 * made to crash their reader, or to take endless time or memory. Frames of such modules stay as
 * they are. The call takes about `seconds` at most; each module gets half of the remaining time. It
 * forks without exec, so the child has none of the process's other threads. It
 * waits only for its own children, and raises no signals but SIGCHLD for these. */
BERTH_API berth_pattern_t *berth_resolve_apart(const berth_pattern_t *p, double seconds,
                                               berth_resolution_t *counts, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
