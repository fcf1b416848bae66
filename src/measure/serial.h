/* SPDX-License-Identifier: BSD-3-Clause */
/* What the command `serial` measures, for `berth calibrate --agents`. It is answered by lines that
 * say how many agents there are, then by one for each time, then by one that says that it is done:
 *
 *   {…,"agents":8}
 *   {…,"executor":"host","what":"receive","hosts":3,"bytes":64,"seconds":2.1e-5}
 *   {…,"degree":2,"hosts":3,"bytes":64,"seconds":2.1e-5}
 *   {…,"done":true}
 *
 * The executor is host, agent or both; what it does: receive, reduce or compute. A line with a
 * degree is of a reduction by agents' trees. */
#ifndef BERTH_MEASURE_SERIAL_H
#define BERTH_MEASURE_SERIAL_H

/* All ranks call it. Rank 0 tells `say` the members of each line. Returns 0 if memory is out. */
int serial_run(void (*say)(const char *members));

#endif
