/* SPDX-License-Identifier: BSD-3-Clause */
/* What estimates include besides messages: --collectives and --one-sided. */
#ifndef BERTH_CLI_OPTIONS_INCLUDED_H
#define BERTH_CLI_OPTIONS_INCLUDED_H

#include <berth/pattern.h>
#include <berth/topo.h>

#include "cli/options/option.h"

/* --one-sided: a const char *, NULL if it isn't given. */
option_take_t included_one_sided_rules;

/* Adds the messages of one-sided operations to a pattern. `asked`: rules, "none", or "auto" for
 * those of the pattern's MPI. Notes say which ones stand in for an MPI that berth doesn't know. */
int included_one_sided(berth_pattern_t *p, const char *asked, berth_error_t *err);

/* Adds those of collective operations, by hosts if placements on the topology may share one.
 * `asked` is the same, or a file with rules. NULL: those of the pattern's MPI if berth has them. */
int included_collectives(berth_pattern_t *p, const berth_topo_t *t, const char *asked,
                         berth_error_t *err);

#endif
