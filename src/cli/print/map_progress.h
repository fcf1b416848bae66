/* SPDX-License-Identifier: BSD-3-Clause */
/* How a run of a mapper gets on, on the terminal: stage, time, best cost, share done, time left. */
#ifndef BERTH_CLI_PRINT_MAP_PROGRESS_H
#define BERTH_CLI_PRINT_MAP_PROGRESS_H

#include <berth/map.h>

/* Shows on the terminal's last line how the watched run gets on, several times a second, until the
 * end. Without a terminal on standard error, or a watch, nothing is shown. */
void map_progress_begin(berth_map_watch_t *watch, const berth_topo_t *t);
void map_progress_end(void);

/* The line, for tests and for the above: at most MAP_PROGRESS_LINE - 1 characters. */
enum { MAP_PROGRESS_LINE = 160 };
char *map_progress_line(const berth_map_progress_t *p, const berth_topo_t *t,
                        char line[MAP_PROGRESS_LINE]);

#endif
