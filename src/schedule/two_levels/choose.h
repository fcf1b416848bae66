/* SPDX-License-Identifier: BSD-3-Clause */
/* Which schedule one rank of each host carries out between hosts, in berth's own library. */
#ifndef BERTH_SCHEDULE_CHOOSE_H
#define BERTH_SCHEDULE_CHOOSE_H

#include "schedule/schedule.h"

/* `half` is how many bytes the link between two hosts carries in the time in which a message
 * begins: R. Hockney's latency times bandwidth (1994), n_1/2. Usual: between Ethernet's (100 us at
 * 12 MB/s: 1,200) and fast networks' (1.5 us at 12 GB/s: 18,000). */
#define CHOOSE_USUAL_HALF 4096.0

/* The half, rounded to a power of two and kept in sensible limits, of a network in which a message
 * of CHOOSE_SMALL bytes takes so many seconds from one host to another, and one of CHOOSE_LARGE
 * bytes the other number. If these make no sense: the usual one. */
/* Segments that the library chooses, in bytes. */
enum { CHOOSE_LEAST_SEGMENT = 1024, CHOOSE_LONGEST_SEGMENT = 1 << 20 };

enum { CHOOSE_SMALL = 8, CHOOSE_LARGE = 32 * 1024 };
double choose_half(double small, double large);

/* For a call whose operation, size, root and count are set; sets its segment. `element` is in
 * bytes. All ranks get the same. The algorithm of a reduction doesn't depend on `half`, which is
 * measured: its result would differ from run to run. NULL: none serves the call. */
const schedule_algorithm_t *choose_schedule(schedule_call_t *call, size_t element, double half);

/* In which parts a speaker passes bytes on to its host's ranks while it exchanges messages with
 * other hosts: a segment or block at least (M.-S. Wu, 2005, section 3.3.3: total overlapping); 0:
 * it passes on all at the end. */
int64_t choose_overlap(const schedule_algorithm_t *a, const schedule_call_t *call, size_t element);

#endif
