/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibration without MPI: which experiments a topology asks for, and the topology that their
 * results make. What is measured and how is said in docs/calibrate.md.
 *
 * The caller gets one experiment after another from calib_next, has it done, and gives the times
 * back by calib_take; what comes next depends on what was found. At any moment calib_fit writes
 * what is known so far. */
#ifndef BERTH_CALIB_CALIB_H
#define BERTH_CALIB_CALIB_H

#include <berth/topo.h>
#include <stdbool.h>

typedef struct calib calib_t;

/* Messages from one PU of the topology to another. */
typedef struct calib_flow {
  int src, dst;
} calib_flow_t;

typedef enum calib_mode {
  CALIB_STREAM,  /* messages one behind another, in batches that the receiver acknowledges */
  CALIB_PINGPONG /* one message there, one back */
} calib_mode_t;

/* One experiment: all its flows at once. The result of a flow is seconds per message: in a stream
 * from its clock's start to its end at the receiver, in a ping-pong half a round trip. */
typedef struct calib_experiment {
  calib_mode_t mode;
  size_t size;           /* bytes of a message */
  int batch;             /* messages of a batch */
  int depth;             /* batches on their way at once, 1 or 2 */
  long warm, count;      /* batches before the clock starts, and at least timed; round trips */
  double warm_s, time_s; /* seconds before the clock starts, and at least timed */
  double hold_s;         /* how long a flow goes on at least, so that others are timed beside it */
  double estimate_s;     /* what all of it may take */
  size_t n_flows;
  const calib_flow_t *flows; /* borrowed until the next call */
  const char *what;          /* for people, borrowed */
} calib_experiment_t;

typedef struct calib_options {
  double time_s; /* for all experiments together */
  double spread; /* that is small enough; 0.01 is usual */
  int max_samples;
} calib_options_t;

/* has_rank says for each PU of the topology, which must outlive the calibration, whether a rank
 * sits on it. NULL with the error filled when memory is out. */
calib_t *calib_new(const berth_topo_t *t, const unsigned char *has_rank, const calib_options_t *o,
                   berth_error_t *err);
void calib_free(calib_t *c);

/* The next experiment, with `left_s` seconds left. False when there is nothing more to be
 * measured, or no time for it. */
bool calib_next(calib_t *c, double left_s, calib_experiment_t *out);
/* The result of the experiment that calib_next gave last: seconds per message of each flow, all
 * above 0. */
int calib_take(calib_t *c, const double *seconds, berth_error_t *err);

/* How many experiments are done, how many are planned by now, and what the rest will take. */
typedef struct calib_progress {
  int done, planned;
  double left_s;
} calib_progress_t;
calib_progress_t calib_progress(const calib_t *c);

/* The topology with everything measured so far, all else as it was. NULL on failure. */
typedef struct calib_origins {
  berth_origin_t inside, between; /* of what is measured inside hosts, and between them */
} calib_origins_t;
berth_topo_t *calib_fit(calib_t *c, const calib_origins_t *origins, berth_error_t *err);

/* What was found, for people and for --json: calib_fit fills it. Strings are borrowed. */
typedef struct calib_number {
  double value;  /* bytes per second; 0 when not measured */
  double spread; /* INFINITY when unknown: below two samples */
  int samples;
} calib_number_t;

/* A kind of link, or one element's own where that differs from its kind. */
typedef struct calib_link {
  const char *name; /* "switch-host", "switch-host (h3) in" */
  const char *pair; /* "h0 pu 0 to h1 pu 0" */
  int element;      /* the element that differs, -1 for a kind */
  bool out, in;     /* the directions that it is about */
  double latency_s; /* half a round trip of the smallest message; 0 when not measured */
  double latency_spread;
  int latency_samples;
  int points;                 /* of the curve; 0 when too few were measured for it to be used */
  int unsure;                 /* points of the curve that spread so far that they say little */
  int once;                   /* points that were measured once, so that their spread is unknown */
  calib_number_t largest;     /* the pair's bandwidth at its best size */
  calib_number_t capacity[2]; /* out, in: of several pairs */
  bool has_reverse;           /* both directions at once were to be measured */
  double reverse;             /* bytes that each byte adds in the other direction */
  const char *reverse_at;     /* the element that it was measured at, NULL when unknown */
} calib_link_t;

/* A switch with all of its ports busy in both directions. */
typedef struct calib_switch {
  const char *name; /* "A", or "host, 4 PUs, scattered" */
  int element;
  calib_number_t total;
  double ports, ports_spread; /* what its ports would allow */
  bool limited;               /* the total is clearly less, and written as its max_bandwidth */
  bool unsure;                /* samples lie too far apart to tell */
  bool is_other; /* another series of the element decides: this one carries less in all */
} calib_switch_t;

/* A type that the new topology has because some elements differ from others of theirs. */
enum { CALIB_DIFFERENCES = 5 };
typedef struct calib_type {
  const char *name, *usual; /* "host (h3)", "host" */
  const char *elements;     /* "h3", "h3, h5 and 4 more" */
  int n_elements, n_differences;
  struct {
    const char *what;    /* "up in", "all together": the max_bandwidth */
    double value, usual; /* bytes per second, 0 for no limit */
  } difference[CALIB_DIFFERENCES];
} calib_type_t;

typedef struct calib_findings {
  const calib_link_t *links;
  size_t n_links;
  const calib_switch_t *switches;
  size_t n_switches;
  const calib_type_t *types;
  size_t n_types;
  const char *const *unsure; /* what was measured, but could not be told */
  size_t n_unsure;
  const char *const *unmeasured; /* what could not be measured, and why */
  size_t n_unmeasured;
} calib_findings_t;
const calib_findings_t *calib_findings(const calib_t *c);

#endif
