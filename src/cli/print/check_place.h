/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a call site is in the repository that is checked. */
#ifndef BERTH_CLI_PRINT_CHECK_PLACE_H
#define BERTH_CLI_PRINT_CHECK_PLACE_H

#include <stdbool.h>

/* Of a frame such as "exchange halo.c:120", which has a file's name without its folder: the path of
 * the only such file in the checkout ($GITHUB_WORKSPACE, else the current folder), from there, and
 * the line. The caller frees it; NULL where there is no such file, or several. */
char *check_place_of(const char *frame, int *line);

#endif
