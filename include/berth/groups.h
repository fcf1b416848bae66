/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of groups for collectives, as `berth map --groups` writes it (docs/formats/groups.md).
 */
#ifndef BERTH_GROUPS_H
#define BERTH_GROUPS_H

#include <berth/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A level of the machine. Group g has the ranks order[start[g]] to order[start[g + 1] - 1]. */
typedef struct berth_group_level {
  char *name;
  int n;      /* groups */
  int *start; /* n + 1 places in the order */
} berth_group_level_t;

/* PUs of a host on whose cores there are no ranks, by the operating system's numbers. */
typedef struct berth_free_pus {
  int coordinator; /* the lowest rank of the host */
  int n;
  int *pu;
} berth_free_pus_t;

typedef struct berth_groups {
  int ranks;
  int *order;   /* all ranks, depth first through the machine's tree */
  int n_levels; /* from the PUs upwards */
  berth_group_level_t *levels;
  int n_free; /* hosts that have ranks and free cores */
  berth_free_pus_t *free;
} berth_groups_t;

/* Reads a file of groups for `ranks` ranks (-1: any number). The caller frees *out with
 * berth_groups_clear. It is empty after a failure: BERTH_BAD_INPUT, or BERTH_MISSING if the file
 * can't be read. */
BERTH_API int berth_groups_load(const char *path, int ranks, berth_groups_t *out,
                                berth_error_t *err);
BERTH_API void berth_groups_clear(berth_groups_t *g);

#ifdef __cplusplus
}
#endif

#endif
