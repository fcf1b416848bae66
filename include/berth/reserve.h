/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether to leave a core of each host free for the system: the run's time with all cores and with
 * one less, under the noise that was measured of the hosts (berth/node.h). The question is that of
 * Boyer and Chase, "Insomnia", section 7.
 *
 * Times are seconds. */
#ifndef BERTH_RESERVE_H
#define BERTH_RESERVE_H

#include <berth/error.h>
#include <berth/pattern.h>
#include <berth/topo.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The run's time one way. Its ranks compute (the mean of all), wait for those that compute longer,
 * communicate, and wait in collective calls for the rank that was interrupted longest. */
typedef struct berth_reserve_case {
  int ranks;
  double compute_s, imbalance_s, comm_s, noise_s;
  double total_s, low_s, high_s; /* the sum, and its interval */
} berth_reserve_case_t;

typedef enum berth_reserve_verdict {
  BERTH_RESERVE_NONE,   /* use all cores */
  BERTH_RESERVE_ONE,    /* leave one of each host free */
  BERTH_RESERVE_UNSURE, /* the difference is smaller than its uncertainty, or than 5% */
} berth_reserve_verdict_t;

typedef struct berth_reserve {
  berth_reserve_case_t all, spared; /* with all cores; with one of each host left free */
  int fits;      /* nonzero: all ranks fit on the other cores. Else `spared` is a run with fewer
                    ranks that share the same work */
  double calls;  /* collective calls that block, of a rank on average */
  double step_s; /* computing of a rank between two of them */
  berth_reserve_verdict_t verdict;
} berth_reserve_t;

/* Estimates both. The pattern has the times of its run and the messages of its collective
 * operations (berth/collectives.h); all types of hosts have noise, with and without an idle core.
 * BERTH_NO_VERDICT if one of these is missing, BERTH_MISSING if memory is out. */
BERTH_API int berth_reserve_estimate(const berth_pattern_t *p, const berth_topo_t *t,
                                     berth_reserve_t *out, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
