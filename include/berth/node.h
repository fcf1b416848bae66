/* SPDX-License-Identifier: BSD-3-Clause */
/* What was measured of one node: how fast its cores copy, read and write memory, alone and
 * together, what dynamic work costs, and which noise interrupts its cores. `berth calibrate node`
 * measures it; a topology has it as a part of a type of hosts. docs/formats/node.md is the format,
 * docs/node.md says how it is measured. The questions are those of Boyer and Chase, "Insomnia".
 *
 * Sizes are bytes, times are seconds, rates bytes per second. A copy of n bytes counts as n. */
#ifndef BERTH_NODE_H
#define BERTH_NODE_H

#include <berth/error.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_node berth_node_t;

/* What a curve shows, and what its x and y are. */
typedef enum berth_node_what {
  BERTH_NODE_COPY,     /* of a kernel (name): bytes, rate */
  BERTH_NODE_MEMORY,   /* of a use of memory (name) by several cores: cores, rate of all */
  BERTH_NODE_CORE,     /* of a use by each core alone: the PU's os_index, rate */
  BERTH_NODE_BESIDE,   /* of a use while another core sends: cores without it, rate of these */
  BERTH_NODE_SENDING,  /* the sending beside that use: cores as above, rate of the sending one */
  BERTH_NODE_GRANULES, /* of a schedule (name) of work: granules for each core, seconds */
  BERTH_NODE_TIMER,    /* "sleep": seconds that a thread asks for, seconds that it sleeps; "clock":
                          0, seconds to read it */
  BERTH_NODE_WHATS     /* their number */
} berth_node_what_t;

/* The name in files, such as "copy"; NULL for other values. */
BERTH_API const char *berth_node_what_name(berth_node_what_t what);

/* One measured curve. Its y is the median of its samples, its spread as in berth_curve_t. Two
 * curves of a node differ in `what`, `name`, `state` or a NUMA node. */
typedef struct berth_node_curve {
  berth_node_what_t what;
  const char *name;  /* kernel: "memcpy"; use: "read", "write", "copy", "transpose"; schedule:
                        "static", "dynamic", … (docs/formats/node.md) */
  const char *state; /* buffers: "hot", "cold"; order in which cores are added: "close", "spread";
                        work: "equal", "unequal"; else "" */
  int core_numa, memory_numa; /* logical numbers of NUMA nodes; -1: all of them */
  size_t n;
  const double *x;      /* strictly increasing, at least 0 */
  const double *y;      /* above 0 */
  const double *spread; /* at least 0, or BERTH_UNKNOWN_SPREAD (berth/topo.h) */
  const int *samples;   /* at least 1 */
} berth_node_curve_t;

/* Interruptions of one core: work that takes `quantum_s` is done again and again, and what takes
 * longer was interrupted. */
typedef struct berth_node_noise {
  int pu;           /* os_index */
  int idle;         /* os_index of a PU that was left idle meanwhile; -1: none */
  double quantum_s; /* the minimum of a quantum */
  double seconds;   /* how long was watched */
  double lost;      /* share of the time that interruptions took */
  double longest_s; /* the longest interruption */
  double period_s;  /* of the interruptions that take most time, if they are regular; else 0 */
  size_t n;         /* bins of a histogram, at most BERTH_NODE_BINS */
  const double *at_least_s; /* lengths of interruptions: bin i is from at_least_s[i] to the next */
  const double *count;      /* how many: whole numbers */
} berth_node_noise_t;

enum { BERTH_NODE_BINS = 64 };

/* An empty record. `date` is ISO 8601 in UTC, `processor` its model as text; both are copied. The
 * caller frees it. NULL with the error filled if memory is out. */
BERTH_API berth_node_t *berth_node_new(const char *date, const char *processor, berth_error_t *err);
BERTH_API void berth_node_free(berth_node_t *n);
/* A copy that the caller frees. */
BERTH_API berth_node_t *berth_node_copy(const berth_node_t *n, berth_error_t *err);

/* Add a curve or a core's noise, copied. One that is there already is replaced. BERTH_BAD_INPUT if
 * it breaks a rule above. */
BERTH_API int berth_node_add_curve(berth_node_t *n, const berth_node_curve_t *curve,
                                   berth_error_t *err);
BERTH_API int berth_node_add_noise(berth_node_t *n, const berth_node_noise_t *noise,
                                   berth_error_t *err);
/* States how many steps of the measurement are done, and whether these are all. */
BERTH_API void berth_node_set_progress(berth_node_t *n, int steps, int complete);

/* What the record holds, borrowed until it is changed or freed. */
BERTH_API const char *berth_node_date(const berth_node_t *n);
BERTH_API const char *berth_node_processor(const berth_node_t *n);
BERTH_API int berth_node_is_complete(const berth_node_t *n);
BERTH_API int berth_node_steps(const berth_node_t *n);
BERTH_API size_t berth_node_n_curves(const berth_node_t *n);
BERTH_API const berth_node_curve_t *berth_node_curve_at(const berth_node_t *n, size_t i);
BERTH_API size_t berth_node_n_noise(const berth_node_t *n);
BERTH_API const berth_node_noise_t *berth_node_noise_at(const berth_node_t *n, size_t i);

/* The curve with these five; NULL if there is none. */
BERTH_API const berth_node_curve_t *berth_node_find(const berth_node_t *n, berth_node_what_t what,
                                                    const char *name, const char *state,
                                                    int core_numa, int memory_numa);
/* A curve's y at x: linear in log x between points, beyond the ends that of the end. */
BERTH_API double berth_node_at(const berth_node_curve_t *curve, double x);

/* The fastest copy of `bytes` bytes by one core: its rate, and the curve of its kernel in *best
 * unless that is NULL. 0 if nothing was measured. */
BERTH_API double berth_node_best_copy(const berth_node_t *n, const char *state, int core_numa,
                                      int memory_numa, double bytes,
                                      const berth_node_curve_t **best);

/* The kernel for large copies: the one that gains most over memcpy at all measured sizes from some
 * size on, in all places of memory and whether buffers are hot or cold, at least 5% everywhere.
 * *from is that size in bytes. NULL if memcpy is best, or nothing was measured. Borrowed. */
BERTH_API const char *berth_node_large_copy(const berth_node_t *n, double *from);

/* What interruptions add to `work_s` seconds of work on the slowest of so many ranks, before all of
 * them go on: the expected time, and the times for 2 standard deviations fewer and more of each
 * counted interruption. Ranks are in equal numbers on the cores of such nodes; what is left of them
 * is on the first cores. idle (nonzero) takes the noise that was measured with a core left idle. 0
 * if none was measured (berth_node_has_noise). BERTH_MISSING if memory is out. */
typedef struct berth_node_delay {
  double mean_s, low_s, high_s;
} berth_node_delay_t;
BERTH_API int berth_node_noise_delay(const berth_node_t *n, int idle, double work_s, double ranks,
                                     berth_node_delay_t *out, berth_error_t *err);
BERTH_API int berth_node_has_noise(const berth_node_t *n, int idle);

#ifdef __cplusplus
}
#endif

#endif
