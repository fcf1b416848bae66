/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibration without MPI: the experiments that a topology needs, and the topology that results
 * from them. docs/calibrate.md says what is measured and how.
 *
 * berth_calib_next gives the caller one experiment after the other. The caller executes it and
 * passes the times to berth_calib_take; later experiments depend on the results. At any time,
 * berth_calib_fit makes a topology of the results so far. Sizes are bytes, times are seconds,
 * bandwidths bytes per second. One thread at a time may use a calibration. Several calibrations may
 * run at once, also on one topology. */
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
  BERTH_CALIB_STREAM,  /* messages one after the other, in batches that the receiver acknowledges */
  BERTH_CALIB_PINGPONG /* one message in each direction */
} berth_calib_mode_t;

/* One experiment: all its flows at once. A flow's result is seconds per message: in a stream from
 * the start of its clock to its end at the receiver, in a ping-pong half a round trip. */
typedef struct berth_calib_experiment {
  berth_calib_mode_t mode;
  size_t size;      /* bytes of a message */
  int batch;        /* messages of a batch */
  int depth;        /* maximum of unacknowledged batches, 1 or 2 */
  long warm, count; /* batches before the clock starts; minimum of timed batches or round trips */
  double warm_s, time_s; /* seconds before the clock starts; minimum of timed seconds */
  double hold_s;         /* minimum duration of a flow, so that others are timed beside it */
  double estimate_s;     /* estimated duration */
  size_t n_flows;
  const berth_calib_flow_t *flows; /* borrowed until the next call */
  const char *what;                /* for people, borrowed */
} berth_calib_experiment_t;

typedef struct berth_calib_options {
  size_t size;   /* sizeof this struct, as the caller was compiled: berth_calib_defaults sets it */
  double time_s; /* for all experiments together, above 0 */
  double spread; /* spread that is small enough, defined as in a curve, at least 0; 0.01 is usual */
  int max_samples; /* of one experiment, at least 1; four times as many if they differ much */
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

/* has_rank says for each PU of the topology whether a rank is on it (nonzero: yes). Both are
 * borrowed and must outlive the calibration. NULL with the error filled: BERTH_USAGE for an invalid
 * option, or memory is out. Free with berth_calib_free. */
BERTH_API berth_calib_t *berth_calib_new(const berth_topo_t *t, const unsigned char *has_rank,
                                         const berth_calib_options_t *o, berth_error_t *err);
BERTH_API void berth_calib_free(berth_calib_t *c);

/* Gives the next experiment, if `left_s` seconds are left. Returns 1; 0 if nothing is left to
 * measure, there is no time for it, or memory is out, which berth_calib_fit then reports. */
BERTH_API int berth_calib_next(berth_calib_t *c, double left_s, berth_calib_experiment_t *out);
/* Takes the result of the last experiment: seconds per message of each flow, all above 0.
 * BERTH_BAD_INPUT, with nothing changed, for other values or without an experiment. A failed
 * experiment needs no result: berth_calib_next may give it again. */
BERTH_API int berth_calib_take(berth_calib_t *c, const double *seconds, berth_error_t *err);

/* How many experiments are done, how many are planned so far, and how long the rest will take. */
typedef struct {
  int done, planned;
  double left_s;
} berth_calib_progress_t;
BERTH_API berth_calib_progress_t berth_calib_progress(const berth_calib_t *c);

/* Where the numbers come from. Borrowed during the call. */
typedef struct berth_calib_origins {
  berth_origin_t inside, between; /* of measurements inside hosts, and between them */
} berth_calib_origins_t;
/* The topology with all results so far, otherwise unchanged. The caller frees it. NULL with the
 * error filled when memory is out. */
BERTH_API berth_topo_t *berth_calib_fit(berth_calib_t *c, const berth_calib_origins_t *origins,
                                        berth_error_t *err);

/* Results for people. Everything is borrowed, and valid until the next fit, or until the
 * calibration is freed. */
typedef struct berth_calib_number {
  double value;  /* bytes per second; 0 when not measured */
  double spread; /* INFINITY when unknown: fewer than two samples */
  int samples;
} berth_calib_number_t;

/* A kind of link, or the link of one element that differs from its kind. */
typedef struct berth_calib_link {
  const char *name; /* such as "switch-host", "switch-host (h3) in" */
  const char *pair; /* such as "h0 pu 0 to h1 pu 0" */
  int element;      /* the element that differs, -1 for a kind */
  int out, in;      /* nonzero: the link's directions that this is for */
  double latency_s; /* half a round trip of the smallest message; 0 when not measured */
  double latency_spread;
  int latency_samples;
  int points;                       /* of the curve; 0 if there are too few to use it */
  int unsure;                       /* points of the curve with a large spread */
  int once;                         /* points with one sample, so that their spread is unknown */
  berth_calib_number_t largest;     /* the pair's bandwidth at its best size */
  berth_calib_number_t capacity[2]; /* out, in: for several pairs together */
  int has_reverse;                  /* nonzero: an experiment for both directions was planned */
  double reverse;                   /* bytes that each byte adds to the other direction */
  const char *reverse_at;           /* the element where it was measured, NULL when unknown */
} berth_calib_link_t;

/* A switch with all its ports busy in both directions. */
typedef struct berth_calib_switch {
  const char *name; /* such as "A", "host, 4 PUs, scattered" */
  int element;
  berth_calib_number_t total;
  double ports, ports_spread; /* the sum that its ports allow */
  int limited;  /* nonzero: the total is clearly lower; it is the switch's max_bandwidth */
  int unsure;   /* nonzero: samples differ too much to decide */
  int is_other; /* nonzero: another series of the element decides, because this one carries less */
} berth_calib_switch_t;

/* A type of the new topology for elements that differ from others of their type. */
enum { BERTH_CALIB_DIFFERENCES = 5 };
typedef struct berth_calib_type {
  const char *name, *usual; /* such as "host (h3)", "host" */
  const char *elements;     /* such as "h3", "h3, h5 and 4 more" */
  int n_elements, n_differences;
  struct {
    const char *what;    /* such as "up in", "all together": which max_bandwidth */
    double value, usual; /* bytes per second; 0: no limit */
  } difference[BERTH_CALIB_DIFFERENCES];
} berth_calib_type_t;

/* A port between hosts whose experiments contradict each other. Its direction is left as it was. */
typedef struct berth_calib_port {
  const char *name;          /* such as "h3 in" */
  int element, in;           /* in: nonzero: the direction towards the PUs */
  berth_calib_number_t seen; /* the maximum that went through it */
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
  const char *const *unsure; /* results that leave the value open */
  size_t n_unsure;
  const char *const *unmeasured; /* what couldn't be measured, and why */
  size_t n_unmeasured;
} berth_calib_findings_t;
/* The findings of the last berth_calib_fit; all 0 before. */
BERTH_API const berth_calib_findings_t *berth_calib_findings(const berth_calib_t *c);

#ifdef __cplusplus
}
#endif

#endif
