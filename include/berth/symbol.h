/* SPDX-License-Identifier: BSD-3-Clause */
/* Call sites for people: a frame that the tracer stored as
 *     /path/module+0x1234 (build id)
 * becomes "exchange halo.c:120" where the module has debug information on this machine (in itself
 * or below /usr/lib/debug; nothing is fetched), "exchange+0x34 module" where it has a symbol only,
 * and stays as it is where it has neither, or where the module isn't the one that was traced. A
 * frame in inlined functions becomes several. What lies outside of main is left out. */
#ifndef BERTH_SYMBOL_H
#define BERTH_SYMBOL_H

#include <berth/error.h>
#include <berth/pattern.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_resolution {
  size_t sites;    /* call sites of the pattern */
  size_t resolved; /* those whose innermost frame was resolved */
  size_t named;    /* those whose innermost frame is none that a tracer stores: resolved before */
  size_t unread;   /* modules that aren't read, as the first of them: */
  char why[256];   /* "PATH: found a pipe (FIFO), expected a file"; "" where there are none */
} berth_resolution_t;

/* A copy of a pattern with the frames of its sites resolved, and its automatic phases named by
 * them, but without a baseline; the caller frees it. *counts may be NULL. That nothing could be
 * resolved is no error: NULL with the error filled when memory is out. Modules are files that the
 * pattern names, so the function reads what it was given by whoever made the pattern: regular files
 * alone, and debug information elsewhere only below /usr/lib/debug. Threads may resolve patterns at
 * the same time, also the same one. */
BERTH_API berth_pattern_t *berth_resolve(const berth_pattern_t *p, berth_resolution_t *counts,
                                         berth_error_t *err);

/* The same for patterns of others: each file that the pattern names is read in a process of its
 * own, as a file can be made so that reading it crashes, hangs or takes all memory. Modules on
 * which it does are left as they are. All of it takes at most about `seconds`, of which one module
 * gets half of what is left. The function forks without exec: threads that the process has are no
 * part of the child. It waits for its own children alone and raises no signal but theirs. */
BERTH_API berth_pattern_t *berth_resolve_apart(const berth_pattern_t *p, double seconds,
                                               berth_resolution_t *counts, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
