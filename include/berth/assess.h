/* SPDX-License-Identifier: BSD-3-Clause */
/* One estimated placement: its cost and interval, what sharing cores costs, and how it compares
 * with a reference such as the default order: ranks moved, gain of communication time, gain of run
 * time. */
#ifndef BERTH_ASSESS_H
#define BERTH_ASSESS_H

#include <berth/cost.h>
#include <berth/uncertainty.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How much is known of the gain of the whole run. */
typedef enum berth_run_gain {
  BERTH_RUN_GAIN_KNOWN,
  BERTH_RUN_GAIN_LIMIT,    /* an upper limit: estimates leave out some calls, which took an unknown
                              part of the time in MPI */
  BERTH_RUN_GAIN_NO_CALLS, /* some calls are known by name alone, without times (MPI-IO) */
  BERTH_RUN_GAIN_NO_TIMES, /* the pattern lacks the ranks' times */
  BERTH_RUN_GAIN_NO_UNIT,  /* costs are distances, not times */
  BERTH_RUN_GAIN_NO_REFERENCE /* there is no reference */
} berth_run_gain_t;

typedef struct berth_estimate {
  double cost_s;    /* communication and shared cores; negative: there is no such placement */
  double sharing_s; /* the part of it for computing on shared cores (berth/sharing.h) */
  berth_interval_t interval; /* of the communication; a single point unless intervals were asked for
                                and the topology states errors */
  /* Compared with the reference; of the reference itself, and without one, as for equal placements.
   */
  int same;                /* 1: every rank is on the same PU */
  int moved;               /* ranks on another PU, */
  int moved_hosts;         /* and on another host */
  double gain;             /* (reference's cost - cost) / reference's cost; 0 if that is 0 */
  berth_verdict_t verdict; /* BERTH_VERDICT_NONE: the intervals leave it open which is cheaper */
  berth_run_gain_t run_gain_kind;
  double
      run_gain; /* of the run time: known, or its limit; else 0. When communication gets cheaper,
                   the gain times the share of the run spent in MPI (the paper, section 7.1); less
                   time lost by sharing cores counts as a share of the longest rank's time. If
                   estimates leave out calls, at most all of the time in MPI belongs to these */
} berth_estimate_t;

typedef struct berth_assess_options {
  size_t size; /* sizeof this struct, as the caller was compiled: berth_assess_defaults sets it */
  berth_model_t model;
  const int *reference; /* a PU for each rank, borrowed; NULL: none */
  int intervals;        /* nonzero: evaluates with each measured number off by its error, too */
} berth_assess_options_t;

/* Defaults: model port, no reference, with intervals. Fills the first `size` bytes of *o, sizeof *o
 * as the caller was compiled, so that the struct may grow. */
BERTH_API void berth_assess_options_init(berth_assess_options_t *o, size_t size);
static inline berth_assess_options_t berth_assess_defaults(void)
{
  berth_assess_options_t o;
  berth_assess_options_init(&o, sizeof o);
  return o;
}

/* Estimates n placements, pu_of_rank[i][r] being the PU of rank r. out has room for n estimates,
 * and for one more, the reference's, if there is one. Everything is borrowed for the call. Fails as
 * berth_cost_new does, with BERTH_USAGE for options of another size, with BERTH_MISSING when memory
 * is out. */
BERTH_API int berth_assess(const berth_pattern_t *p, const berth_topo_t *t,
                           const berth_assess_options_t *options, size_t n,
                           const int *const *pu_of_rank, berth_estimate_t *out, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
