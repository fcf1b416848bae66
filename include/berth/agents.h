/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions over hosts, by processes of the hosts or by an agent beside them on each host: how
 * long they take, by which tree, and what noise does to them.
 *
 * Source: A. Moody, "NIC-based Reduction on Large-Scale Quadrics Clusters" (Master's thesis, The
 * Ohio State University, 2003), called "the thesis" here. */
#ifndef BERTH_AGENTS_H
#define BERTH_AGENTS_H

#include <berth/error.h>
#include <berth/times.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A time that depends on an amount. Between points it is linear, from the last one on it goes on as
 * between the last two, and below the first it is the first one's. */
typedef struct berth_time_point {
  double amount, seconds;
} berth_time_point_t;

/* What one reduction of two vectors takes. */
typedef struct berth_compute {
  const char *operation, *type; /* such as "sum" and "double" */
  int bytes;                    /* of an element */
  size_t n;
  const berth_time_point_t *points; /* by elements; at least one */
} berth_compute_t;

/* Who carries out reductions, with the parameters of the thesis (table 4.1). */
typedef struct berth_executor {
  const char *name; /* "host" or "agent" */
  double latency_s; /* L: until the first of several messages that were sent at once has come */
  double start_s;   /* C: to start a reduction and take its result */
  size_t n_receive; /* at least one */
  const berth_time_point_t *receive; /* r: to receive a message, by bytes */
  size_t n_compute;
  const berth_compute_t *compute; /* c */
} berth_executor_t;

/* Where a reduction's work is done. */
typedef enum berth_reduce_place {
  BERTH_REDUCE_HOST,         /* by a process of each host */
  BERTH_REDUCE_AGENT,        /* by the agent of each host */
  BERTH_REDUCE_INTERMEDIATE, /* by agents of hosts that receive and send, elsewhere by processes
                                (thesis, section 3.3.2) */
  BERTH_REDUCE_N_PLACES
} berth_reduce_place_t;

typedef struct berth_agents berth_agents_t;

/* Reads a file (docs/formats/agents.md); "-" is standard input. NULL with the error filled:
 * BERTH_BAD_INPUT, or BERTH_MISSING if it can't be read. */
BERTH_API berth_agents_t *berth_agents_load(const char *path, berth_error_t *err);
BERTH_API void berth_agents_free(berth_agents_t *a);
/* Results are borrowed until berth_agents_free. */
BERTH_API const char *berth_agents_name(const berth_agents_t *a); /* "" if it has none */
BERTH_API const berth_executor_t *berth_agents_host(const berth_agents_t *a);
BERTH_API const berth_executor_t *berth_agents_agent(const berth_agents_t *a);

enum { BERTH_REDUCE_MAX_HOSTS = 1 << 20, BERTH_REDUCE_MAX_ELEMENTS = 1 << 20 };

/* A reduction to one host, of a vector from each. */
typedef struct berth_reduction {
  const berth_agents_t *agents;
  const char *operation, *type;
  int hosts;    /* 1 to BERTH_REDUCE_MAX_HOSTS */
  int elements; /* of the vector, 1 to BERTH_REDUCE_MAX_ELEMENTS */
} berth_reduction_t;

/* How: an f-nomial tree (section 3.2.3), for each part of a vector that was halved some times
 * among the hosts before (section 3.2.4). */
typedef struct berth_reduce_tree {
  int degree; /* f, at least 2; from the number of hosts on, all send to the root at once */
  int splits; /* 0: none. Hosts and elements must be at least 2^splits */
} berth_reduce_tree_t;

/* Checks a reduction: BERTH_OK, or BERTH_BAD_INPUT if a number can't be, or the file doesn't have
 * the operation for the type. The functions below take only what passes. */
BERTH_API int berth_reduction_check(const berth_reduction_t *r, berth_error_t *err);
/* The most splits that it can have. */
BERTH_API int berth_reduction_max_splits(const berth_reduction_t *r);

/* The model, in seconds. Serial (section 4.1): all send to the root at once. Full (4.2.1): the
 * expression for numbers of hosts that are powers of the degree. */
BERTH_API double berth_reduction_serial(const berth_reduction_t *r, berth_reduce_place_t place);
BERTH_API double berth_reduction_full(const berth_reduction_t *r, berth_reduce_place_t place,
                                      int degree);
/* Refined for any number of hosts (4.2.3), and with splits: each is a message of half the vector
 * and its reduction; in the end the root receives the other parts. BERTH_REDUCE_INTERMEDIATE has no
 * expression in the thesis: it is played, as in berth_reduction_simulate without noise. -1: memory
 * is out. */
BERTH_API double berth_reduction_time(const berth_reduction_t *r, berth_reduce_place_t place,
                                      berth_reduce_tree_t tree);
/* The degree and number of splits with the least time, by trying them (section 4.2.3). Splits stay
 * `splits` unless that is below 0. */
BERTH_API berth_reduce_tree_t berth_reduction_best(const berth_reduction_t *r,
                                                   berth_reduce_place_t place, int splits,
                                                   double *seconds);

/* Detours: the operating system takes a core away for `length_s`, every `every_s` on average. They
 * begin at random, independently on each host. */
typedef struct berth_noise {
  double length_s, every_s; /* length 0: none; otherwise length < every */
} berth_noise_t;

typedef struct berth_simulation {
  size_t size;               /* sizeof this struct, as the caller was compiled */
  berth_noise_t host, agent; /* of the cores of processes, and of agents */
  uint64_t seed;
  /* Called in the caller's thread after each reduction, or NULL. */
  void (*progress)(void *data, size_t done, size_t n);
  void *progress_data;
} berth_simulation_t;

/* Plays n reductions, each from a moment at which all hosts start it, and writes their times in
 * seconds. Work that a detour interrupts goes on behind it. Processes start and end a reduction,
 * also for agents. BERTH_BAD_INPUT if the noise, the place or the tree can't be, BERTH_USAGE for
 * another `size`, BERTH_MISSING when memory is out. */
BERTH_API int berth_reduction_simulate(const berth_reduction_t *r, berth_reduce_place_t place,
                                       berth_reduce_tree_t tree, const berth_simulation_t *options,
                                       size_t n, double *times, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
