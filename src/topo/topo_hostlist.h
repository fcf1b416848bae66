/* SPDX-License-Identifier: BSD-3-Clause */
/* Slurm's host ranges, such as rack[1-4,7]node[01-16]. */
#ifndef BERTH_TOPO_HOSTLIST_H
#define BERTH_TOPO_HOSTLIST_H

#include <berth/topo.h>

#include "base/arena.h"

/* A growing list of names. The arena owns the names; free() frees the array. */
typedef struct name_list {
  const char **names;
  size_t n, cap;
} name_list_t;

/* Appends the names that a text expands to. As in Slurm, the last range varies fastest, and a lower
 * bound with a leading 0 sets the number of digits. The names are counted first: a list of more
 * than BERTH_MAX_PUS names is refused. Errors begin with "found". */
int hostlist_expand(const char *text, arena_t *arena, name_list_t *list, berth_error_t *err);

#endif
