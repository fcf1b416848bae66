/* SPDX-License-Identifier: BSD-3-Clause */
/* What a pattern has, for the one line of commands that write patterns. */
#ifndef BERTH_CLI_PRINT_CONTENTS_H
#define BERTH_CLI_PRINT_CONTENTS_H

#include <berth/pattern.h>
#include <stdio.h>

/* "16 ranks, 484 messages, 48.75 MiB, 2 collective calls", of the whole run. Bytes are left out if
 * there are collective calls only. */
void print_contents(FILE *to, const berth_pattern_t *p);

#endif
