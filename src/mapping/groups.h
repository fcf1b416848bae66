/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of groups, for tests that have no file. */
#ifndef BERTH_MAPPING_GROUPS_H
#define BERTH_MAPPING_GROUPS_H

#include <berth/groups.h>
#include <stddef.h>

/* Reads n bytes of text; otherwise as berth_groups_load. */
int groups_parse(const char *text, size_t n, const char *name, int ranks, berth_groups_t *out,
                 berth_error_t *err);

#endif
