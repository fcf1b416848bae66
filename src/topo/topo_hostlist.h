/* SPDX-License-Identifier: BSD-3-Clause */
/* Slurm's host ranges. */
#ifndef BERTH_TOPO_HOSTLIST_H
#define BERTH_TOPO_HOSTLIST_H

#include <berth/topo.h>

#include "base/arena.h"

/* A growing list of names; the arena owns them, the array is freed with free(). */
typedef struct name_list {
  const char **names;
  size_t n, cap;
} name_list_t;

/* Appends the names that a text such as rack[1-4,7]node[01-16],login1 stands for. As with Slurm the
 * last range runs fastest, and a bound that begins with 0 gives all numbers of its range as many
 * digits. Counts first: more than BERTH_MAX_PUS names in the list are refused. The error begins
 * with "found". */
int hostlist_expand(const char *text, arena_t *arena, name_list_t *list, berth_error_t *err);

#endif
