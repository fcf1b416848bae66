/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibration without MPI: which experiments a topology asks for, and the topology that their
 * results make. What is measured and how is said in docs/calibrate.md.
 *
 * The caller gets one experiment after another from berth_calib_next, has it done by whatever sends
 * its messages, and gives the times back by berth_calib_take; what comes next depends on what was
 * found. At any moment berth_calib_fit makes a topology of what is known so far. Sizes are bytes,
 * times are seconds, bandwidths bytes per second. A calibration is used by one thread at a time;
 * several may go on beside each other, on one topology, too. */
#ifndef BERTH_CALIB_H
#define BERTH_CALIB_H

#include <berth/error.h>
#include <berth/topo.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_calib berth_calib_t;

/* Messages from one PU of the topology to another. */
typedef struct berth_calib_flow {
  int src, dst;
} berth_calib_flow_t;

typedef enum berth_calib_mode {
  BERTH_CALIB_STREAM,  /* messages one behind another, in batches that the receiver acknowledges */
  BERTH_CALIB_PINGPONG /* one message there, one back */
} berth_calib_mode_t;

/* One experiment: all its flows at once. The result of a flow is seconds per message: in a stream
 * from its clock's start to its end at the receiver, in a ping-pong half a round trip. */
typedef struct berth_calib_experiment {
  berth_calib_mode_t mode;
  size_t size;           /* bytes of a message */
  int batch;             /* messages of a batch */
  int depth;             /* batches on their way at once, 1 or 2 */
  long warm, count;      /* batches before the clock starts, and at least timed; round trips */
  double warm_s, time_s; /* seconds before the clock starts, and at least timed */
  double hold_s;         /* how long a flow goes on at least, so that others are timed beside it */
  double estimate_s;     /* what all of it may take */
  size_t n_flows;
  const berth_calib_flow_t *flows; /* borrowed until the next call */
  const char *what;                /* for people, borrowed */
} berth_calib_experiment_t;

typedef struct berth_calib_options {
  size_t size;   /* sizeof this struct, as the caller was compiled: berth_calib_defaults sets it */
  double time_s; /* for all experiments together, above 0 */
  double spread; /* that is small enough, as in a curve, at least 0; 0.01 is usual */
  int max_samples; /* of one experiment, at least 1; four times as many where they lie far apart */
} berth_calib_options_t;

/* Defaults: 240 seconds, a spread of 1%, 12 samples. Fills the first `size` bytes of *o, sizeof *o
 * as the caller was compiled, so that the struct may grow. */
BERTH_API void berth_calib_options_init(berth_calib_options_t *o, size_t size);
static inline berth_calib_options_t berth_calib_defaults(void)
{
  berth_calib_options_t o;
  berth_calib_options_init(&o, sizeof o);
  return o;
}

/* has_rank says for each PU of the topology whether a rank sits on it, nonzero for yes. Both are
 * borrowed and must outlive the calibration. NULL with the error filled when an option isn't as
 * above (BERTH_USAGE) or memory is out; free with berth_calib_free. */
BERTH_API berth_calib_t *berth_calib_new(const berth_topo_t *t, const unsigned char *has_rank,
                                         const berth_calib_options_t *o, berth_error_t *err);
BERTH_API void berth_calib_free(berth_calib_t *c);

/* The next experiment, with `left_s` seconds left. 0 when there is nothing more to be measured, or
 * no time for it, or memory is out, which berth_calib_fit then says; else 1. */
BERTH_API int berth_calib_next(berth_calib_t *c, double left_s, berth_calib_experiment_t *out);
/* The result of the experiment that berth_calib_next gave last: seconds per message of each flow,
 * all above 0. BERTH_BAD_INPUT where one isn't, or no experiment was given; nothing is changed
 * then. An experiment that failed needs no result: the next call of berth_calib_next may give it
 * again. */
BERTH_API int berth_calib_take(berth_calib_t *c, const double *seconds, berth_error_t *err);

/* How many experiments are done, how many are planned by now, and what the rest will take. */
typedef struct {
  int done, planned;
  double left_s;
} berth_calib_progress_t;
BERTH_API berth_calib_progress_t berth_calib_progress(const berth_calib_t *c);

/* Where the numbers come from, borrowed for the call. */
typedef struct berth_calib_origins {
  berth_origin_t inside, between; /* of what is measured inside hosts, and between them */
} berth_calib_origins_t;
/* The topology with everything measured so far, all else as it was; the caller's to free. NULL with
 * the error filled when memory is out. */
BERTH_API berth_topo_t *berth_calib_fit(berth_calib_t *c, const berth_calib_origins_t *origins,
                                        berth_error_t *err);

/* What was found, for people. Everything is borrowed and valid until the calibration is fitted
 * again or freed. */
typedef struct berth_calib_number {
  double value;  /* bytes per second; 0 when not measured */
  double spread; /* INFINITY when unknown: below two samples */
  int samples;
} berth_calib_number_t;

/* A kind of link, or one element's own where that differs from its kind. */
typedef struct berth_calib_link {
  const char *name; /* "switch-host", "switch-host (h3) in" */
  const char *pair; /* "h0 pu 0 to h1 pu 0" */
  int element;      /* the element that differs, -1 for a kind */
  int out, in;      /* nonzero: the directions that it is about */
  double latency_s; /* half a round trip of the smallest message; 0 when not measured */
  double latency_spread;
  int latency_samples;
  int points; /* of the curve; 0 when too few were measured for it to be used */
  int unsure; /* points of the curve that spread so far that they say little */
  int once;   /* points that were measured once, so that their spread is unknown */
  berth_calib_number_t largest;     /* the pair's bandwidth at its best size */
  berth_calib_number_t capacity[2]; /* out, in: of several pairs */
  int has_reverse;                  /* nonzero: both directions at once were to be measured */
  double reverse;                   /* bytes that each byte adds in the other direction */
  const char *reverse_at;           /* the element that it was measured at, NULL when unknown */
} berth_calib_link_t;

/* A switch with all of its ports busy in both directions. */
typedef struct berth_calib_switch {
  const char *name; /* "A", or "host, 4 PUs, scattered" */
  int element;
  berth_calib_number_t total;
  double ports, ports_spread; /* what its ports would allow */
  int limited;  /* nonzero: the total is clearly less, and written as its max_bandwidth */
  int unsure;   /* nonzero: samples lie too far apart to tell */
  int is_other; /* nonzero: another series of the element decides, this one carries less in all */
} berth_calib_switch_t;

/* A type that the new topology has because some elements differ from others of theirs. */
enum { BERTH_CALIB_DIFFERENCES = 5 };
typedef struct berth_calib_type {
  const char *name, *usual; /* "host (h3)", "host" */
  const char *elements;     /* "h3", "h3, h5 and 4 more" */
  int n_elements, n_differences;
  struct {
    const char *what;    /* "up in", "all together": the max_bandwidth */
    double value, usual; /* bytes per second, 0 for no limit */
  } difference[BERTH_CALIB_DIFFERENCES];
} berth_calib_type_t;

/* A port between hosts that the experiments disagree about: its direction is as it was. */
typedef struct berth_calib_port {
  const char *name;          /* "h3 in" */
  int element, in;           /* in: nonzero for the direction towards the PUs */
  berth_calib_number_t seen; /* the most that went through it */
  const char *why;
} berth_calib_port_t;

typedef struct {
  const berth_calib_link_t *links;
  size_t n_links;
  const berth_calib_switch_t *switches;
  size_t n_switches;
  const berth_calib_type_t *types;
  size_t n_types;
  const berth_calib_port_t *unidentified;
  size_t n_unidentified;
  const char *const *unsure; /* what was measured, but could not be told */
  size_t n_unsure;
  const char *const *unmeasured; /* what could not be measured, and why */
  size_t n_unmeasured;
} berth_calib_findings_t;
/* That of the last berth_calib_fit; everything 0 before. */
BERTH_API const berth_calib_findings_t *berth_calib_findings(const berth_calib_t *c);

#ifdef __cplusplus
}
#endif

#endif
