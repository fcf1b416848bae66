/* SPDX-License-Identifier: BSD-3-Clause */
/* What `berth calibrate --agents` has measured: `berth-measure SECRET agents` prints lines
 *
 *   {"berth-measure":1,"run":"SECRET","ranks":8,"agents":8}
 *   {"berth-measure":1,"run":"SECRET","executor":"host","what":"receive","hosts":3,"bytes":64,
 *    "seconds":2.1e-5}
 *   {"berth-measure":1,"run":"SECRET","done":true}
 *
 * The executor is host, agent or both; what it does: receive, reduce or compute. */
#ifndef BERTH_MEASURE_SERIAL_H
#define BERTH_MEASURE_SERIAL_H

/* All ranks call it. Returns 0 if memory is out. */
int serial_run(const char *secret);

#endif
