/* SPDX-License-Identifier: BSD-3-Clause */
/* --pin: ranks that the user has a place for. */
#ifndef BERTH_CLI_PINS_H
#define BERTH_CLI_PINS_H

#include <berth/error.h>
#include <berth/topo.h>
#include <stddef.h>

/* The PU of each of `ranks` ranks, -1 for those that aren't pinned. A wish is RANK=PU, with the
 * topology's number of the PU; RANK=HOST:CORE, the core's first thread that nobody is pinned to
 * yet; or the name of a file with such lines, where # starts a comment. The caller frees *pinned,
 * which is NULL without wishes. */
int pins_read(const char *const *wish, size_t n_wishes, const berth_topo_t *t, int ranks,
              int **pinned, berth_error_t *err);

#endif
