/* SPDX-License-Identifier: BSD-3-Clause */
/* Mappers: they find a placement of the ranks. */
#ifndef BERTH_MAP_H
#define BERTH_MAP_H

#include <berth/cost.h>
#include <berth/error.h>
#include <berth/mapping.h>
#include <berth/pattern.h>
#include <berth/team.h>
#include <berth/topo.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How much work a search does. */
typedef enum berth_quality {
  BERTH_QUALITY_FAST,  /* about the time of a graph partitioner */
  BERTH_QUALITY_ECO,   /* seconds */
  BERTH_QUALITY_STRONG /* as long as it gains something */
} berth_quality_t;

/* What a mapper may use, and what it optimises. */
typedef struct berth_map_options {
  size_t size; /* sizeof this struct, as the caller was compiled: berth_map_defaults sets it */
  berth_model_t objective;
  double sum_share; /* share of model sum in the objective, 0 to 1; both models' costs are relative
                       to the default order's */
  uint64_t seed;
  int threads; /* 1 to 4096; results don't depend on it unless time_limit_s ends a search */
  berth_quality_t quality;
  double time_limit_s; /* for building, searching and the lower bound; 0: no limit. Only without a
                          limit are results always the same */
  uint64_t iterations; /* tries of a search; 0: as many as the quality needs */
  double min_gain;   /* `best` takes a placement only if it gains this share of the price, 0.01 for
                        1%, over the ranks as they are: in `from` if all may stay there, else in
                        default order. It takes second threads only if they gain as much over a core
                        for each rank. Negative: 1%, or the model's error on this machine
                        (model_error of the topology) if that is larger; and 1% of the
                        recorded run: see least_saved_s of the report */
  int reserve;       /* cores left free on each host: its last ones */
  const char *hosts; /* such as node[01-16],login1; NULL: all */
  int ranks_per_pu;  /* at least 1: the maximum of ranks that share a PU, if there are that many */
  int any_thread;    /* 1: cores' second hardware threads are as good as their first ones */
  const int *pinned; /* the PU of each pinned rank, -1 for others; NULL: none */
  const int *from;   /* current PU of each rank, -1: none; NULL: unknown */
  double move_price_s; /* price of each rank that moves away from there, in seconds */
  int max_moves; /* how many ranks may move at most; -1: any number. Ranks without a PU in `from`
                    don't count. Ranks that must leave their PU do, for instance because a pinned
                    rank takes it */
  int stable;    /* 1: ranks stay where they are if they may, unless moves have a price */
  berth_team_t *team; /* processes that share the work, borrowed; NULL: only this one. Results don't
                         depend on their number unless time_limit_s ends a search */
} berth_map_options_t;

/* Defaults: objective port alone, seed 1, one thread, quality eco, no limits, a gain of 1%, no
 * reserved cores, all hosts, one rank a PU, first hardware threads first, no pins, any number of
 * moves. Fills the first `size` bytes of *o, sizeof *o as the caller was compiled, so that the
 * struct may grow. */
BERTH_API void berth_map_options_init(berth_map_options_t *o, size_t size);
static inline berth_map_options_t berth_map_defaults(void)
{
  berth_map_options_t o;
  berth_map_options_init(&o, sizeof o);
  return o;
}

/* Watches a run from another thread, which reads its progress and may stop it. The library installs
 * no signal handlers and prints nothing. A watch serves one run at a time. In a team each process
 * has its own; a stop in one process stops all. */
typedef struct berth_map_watch berth_map_watch_t;

typedef struct berth_map_progress {
  const char *stage; /* the current stage, "" before the run; a constant of the library */
  double elapsed_s;  /* since berth_map_problem_init */
  double best;       /* the lowest price so far, in seconds; negative: none yet */
  double done;       /* the finished share of the stage, 0 to 1; negative: unknown */
  double left_s;     /* until the time limit; negative: no limit */
  int stopped;       /* berth_map_watch_stop was called */
} berth_map_progress_t;

/* NULL when memory is out. Free it after the run has ended. Free accepts NULL. */
BERTH_API berth_map_watch_t *berth_map_watch_new(void);
BERTH_API void berth_map_watch_free(berth_map_watch_t *w);

/* Ends the run now, as its time limit would: it returns its best placement, or the default order.
 * Any thread and any signal handler may call it, also before the run. */
BERTH_API void berth_map_watch_stop(berth_map_watch_t *w);

/* Any thread may call it. */
BERTH_API berth_map_progress_t berth_map_watch_progress(berth_map_watch_t *w);

/* A placement that a run considered. Its price is in seconds of the objective, with the share of
 * model sum and with moves. */
typedef struct berth_candidate {
  const char *name; /* of its mapper */
  double price;
  int any_thread;             /* it treats cores' second threads like their first ones */
  const berth_phase_t *phase; /* the mapper saw only this phase: one of berth_pattern_phases,
                                 borrowed; NULL: the whole pattern */
  int apart; /* 1: the mapper saw calls whose messages depend on hosts (berth_phase_t.by_hosts) as
                if each rank had a host of its own. The price is that of the real calls */
} berth_candidate_t;

enum { BERTH_MAX_CANDIDATES = 48, BERTH_MAX_POINTS = 48 };

/* The cheapest placement found that moves at most `max` ranks. */
typedef struct berth_move_point {
  int max, moved; /* the limit, and how many it moves */
  double cost_s;  /* its price without that of moves */
} berth_move_point_t;

typedef struct berth_map_report {
  size_t n; /* candidates in the order in which they were found; the default order is the first */
  berth_candidate_t candidate[BERTH_MAX_CANDIDATES];
  size_t chosen, cheapest;
  int left_as_it_is; /* `best` found a cheaper placement, but it gains less than min_gain, or saves
                        less than least_saved_s */
  double min_gain;   /* that of the options, or what it stands for */
  double least_saved_s; /* 1% of the recorded run, in seconds, if ranks were where they are now, the
                           price is a time and the options leave min_gain open; else 0 */
  int stopped;          /* a watch stopped the run: more work might have found a lower price */
  double lower_bound;   /* no placement has a lower price; negative: unknown, because the run was
                           stopped or had no time left */
  /* If second threads are used although each rank could have a core: the lowest price found without
   * them. Otherwise negative. */
  double price_of_first_threads;
  int moved; /* ranks that leave their PU in `from`; -1 without `from` */
  /* If moves have a price or a limit: points by number of moves, from the fewest possible to those
   * of the cheapest placement (without the price of moves). Costs never rise. */
  size_t n_points;
  berth_move_point_t point[BERTH_MAX_POINTS];
} berth_map_report_t;

/* A mapping problem: inputs, options, and the PUs that may be used. */
typedef struct berth_map_problem {
  const berth_pattern_t *pattern;
  const berth_topo_t *topo;
  berth_map_options_t options; /* `pinned` and `from` are copies; ranks on unusable PUs count as not
                                  placed in `from` */
  int n_pus;                   /* places: room for one rank each; at least as many as ranks */
  int *pus; /* the PU of each place, increasing; a PU that ranks share has several places. Unless
               ranks outnumber them, each core has one PU and each PU one place. Pinned ranks have
               places in any case */
  int max_on_pu;    /* the maximum of places of one PU */
  int shares_cores; /* some core has several places */
  /* The same with all hardware threads of cores. Only set if `pus` lacks them and prices can tell
   * whether they pay: if the topology has the cores' slow-downs and the pattern has the ranks'
   * times (berth/sharing.h). Otherwise NULL. `best` and `exact` consider both. */
  int n_any_pus;
  int *any_pus;
  const int *linear_pus;    /* the PUs of the default order, borrowed; NULL: pus */
  const int *const *starts; /* placements to search from, the cheapest first, borrowed; NULL: the
                               search makes its own */
  size_t n_starts;
  berth_map_report_t *report; /* filled by berth_map_run, borrowed; NULL: not needed */
  berth_map_watch_t *watch;   /* gets the run's progress, borrowed; NULL: none */
  void *shared;               /* the library's own */
  double started_s;           /* time of berth_map_problem_init, by the monotonic clock */
} berth_map_problem_t;

/* Checks the options and finds the usable PUs. BERTH_BAD_INPUT: fewer places than ranks.
 * BERTH_USAGE: unknown host, or impossible pin. Borrows the pattern and the topology. Free the rest
 * with berth_map_problem_clear; after a failure that isn't needed. */
BERTH_API int berth_map_problem_init(berth_map_problem_t *problem, const berth_pattern_t *p,
                                     const berth_topo_t *t, const berth_map_options_t *options,
                                     berth_error_t *err);
BERTH_API void berth_map_problem_clear(berth_map_problem_t *problem);

/* How `best` uses a mapper. */
typedef enum berth_mapper_role {
  BERTH_MAPPER_BUILDS,   /* makes placements */
  BERTH_MAPPER_SEARCHES, /* improves placements: problem->starts */
  BERTH_MAPPER_APART     /* not at all */
} berth_mapper_role_t;

typedef struct berth_mapper {
  const char *name;
  const char *help; /* one line */
  /* Fills pu_of_rank[0 … ranks - 1] with different places. *chosen is the name of the mapper that
   * made the placement. For `best` that is another mapper's, or one of its own derivations:
   * "partial" (fewer moves), "even-ports" (the same sum, less traffic on the busiest ports).
   * BERTH_USAGE: the mapper can't solve such a problem; `best` then omits it. Call it through
   * berth_map_run, which handles pins. */
  int (*map)(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
             berth_error_t *err);
  berth_mapper_role_t role;
  berth_quality_t min_quality; /* the lowest quality at which `best` runs it */
  int max_ranks;               /* and the maximum of ranks; 0: no maximum */
  int shares_work; /* 1: divides its work among a team's processes; other mappers run in one of them
                    */
} berth_mapper_t;

/* Runs a mapper, and moves pinned ranks to their places if it didn't. Fills problem->report, if
 * there is one; for mappers other than `best` it has the default order and the result. All
 * processes of a team call this for the same problem, and all get the result or the error. */
BERTH_API int berth_map_run(const berth_map_problem_t *problem, const berth_mapper_t *mapper,
                            int *pu_of_rank, const char **chosen, berth_error_t *err);

/* Prices of random placements, which are equally likely; pinned ranks stay. The price is that of
 * `best`: the objective, shared cores, and what else the options ask for. options.seed defines a
 * sequence of samples 0, 1, 2, …, which doesn't depend on the number of threads or calls. A team
 * isn't used.
 *
 * A sampler holds an evaluator for each thread: at most options.threads, and at most as many as
 * `max_samples` samples in one call need. It borrows the problem. NULL with the error filled. Free
 * accepts NULL. */
typedef struct berth_map_sampler berth_map_sampler_t;
BERTH_API berth_map_sampler_t *berth_map_sampler_new(const berth_map_problem_t *problem,
                                                     size_t max_samples, berth_error_t *err);
BERTH_API void berth_map_sampler_free(berth_map_sampler_t *s);

/* Fills price[0 … n - 1] with the prices of samples first … first + n - 1. */
BERTH_API int berth_map_sample(berth_map_sampler_t *s, uint64_t first, size_t n, double *price,
                               berth_error_t *err);

/* All mappers, in the order of help texts; and one by name, NULL if there is none. */
BERTH_API const berth_mapper_t *berth_mappers(size_t *n);
BERTH_API const berth_mapper_t *berth_mapper_find(const char *name);

/* Statistics of n > 0 costs, sorted by berth_costs_sort. A quantile is the cost that a share (0 to
 * 1) of them reaches at most. berth_costs_above counts the costs above one, and in *equal (unless
 * NULL) those that equal it. */
BERTH_API void berth_costs_sort(double *cost_s, size_t n);
BERTH_API double berth_costs_quantile(const double *cost_s, size_t n, double share);
BERTH_API size_t berth_costs_above(const double *cost_s, size_t n, double cost, size_t *equal);
/* The largest share of all placements that can be cheaper than all of n random ones, with 95%
 * confidence. */
BERTH_API double berth_costs_unseen_share(size_t n);

/* What a mapper reaches for one phase of a pattern alone. */
typedef struct berth_alone {
  const char *algorithm; /* static text; NULL: nothing was found */
  double cost_s;         /* communication of all occurrences of the phase */
  double pattern_cost_s; /* the whole pattern with that placement, with shared cores */
} berth_alone_t;

/* Places ranks for each of n phases alone (places in berth_pattern_phases of the problem's
 * pattern) and fills out[i]. Calls `begins`, unless NULL, before each. Fails as berth_map_run, with
 * what was found before in `out`. */
BERTH_API int berth_map_alone(const berth_map_problem_t *problem, const berth_mapper_t *mapper,
                              size_t n, const size_t *phase,
                              void (*begins)(void *context, size_t i), void *context,
                              berth_alone_t *out, berth_error_t *err);

/* Whether all ranks of a mapping are on cores that `hosts` (NULL: all) and `reserve` leave, as in
 * berth_map_options_t. BERTH_BAD_INPUT names the first rank that isn't. */
BERTH_API int berth_map_check_usable(const berth_mapping_t *m, const berth_topo_t *t,
                                     const char *hosts, int reserve, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
