/* SPDX-License-Identifier: BSD-3-Clause */
/* Mappers: they find which rank should run on which PU. */
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

/* How much work a search may put into a placement. */
typedef enum berth_quality {
  BERTH_QUALITY_FAST,  /* about what a graph partitioner takes */
  BERTH_QUALITY_ECO,   /* seconds */
  BERTH_QUALITY_STRONG /* as long as it pays */
} berth_quality_t;

/* What a mapper may use and what it optimises. */
typedef struct berth_map_options {
  size_t size; /* sizeof this struct, as the caller was compiled: berth_map_defaults sets it */
  berth_model_t objective;
  double sum_share; /* of model sum in the objective, 0 to 1; both relative to linear's costs */
  uint64_t seed;
  int threads; /* at least 1; the result doesn't depend on it, unless time_limit_s ends a search */
  berth_quality_t quality;
  double time_limit_s; /* of building, searching and the lower bound; 0: none, the work alone is
                          bounded, and the result always the same */
  uint64_t iterations; /* tries of a search; 0: as many as the quality asks for */
  double min_gain;     /* `best` leaves ranks as they are (in `from`, if they may all stay there,
                          else linear's) where less of that price is gained, 0.01 for 1%; nor does
                          it take second threads where less is gained over a core each */
  int reserve;         /* cores left free on each host, the last ones */
  const char *hosts;   /* host names as in node[01-16],login1; NULL for all */
  int ranks_per_pu;    /* at least 1; so many ranks share a PU at most, where they are that many */
  int any_thread;      /* cores' second hardware threads are as good as their first ones */
  const int *pinned;   /* the PU of each rank that may not move, -1 for others; NULL: none */
  const int *from;     /* where each rank is now, -1: nowhere; NULL: unknown */
  double move_price_s; /* added to the objective for each rank that moves away from there */
  int max_moves;       /* so many ranks move away from there at most; -1: any number. Ranks that
                           `from` doesn't place aren't counted; those that must leave their PU are,
                           such as one whose PU a pinned rank takes */
  int stable;          /* ranks that may stay there do, unless moves have a price */
  berth_team_t *team;  /* processes that share the work, borrowed; the result doesn't depend on
                          their number, unless time_limit_s ends a search. NULL: this one alone */
} berth_map_options_t;

/* Defaults: objective port alone, seed 1, one thread, quality eco, no limits, 1% to gain, nothing
 * reserved, all hosts, a rank a PU, first hardware threads first, nothing pinned, any number of
 * moves. Fills the first `size` bytes of *o, sizeof *o as the caller was compiled, so that the
 * struct may grow. */
BERTH_API void berth_map_options_init(berth_map_options_t *o, size_t size);
static inline berth_map_options_t berth_map_defaults(void)
{
  berth_map_options_t o;
  berth_map_options_init(&o, sizeof o);
  return o;
}

/* Watches a run from outside: another thread sees how far it is and may stop it. The library
 * installs no signal handlers and prints nothing. A watch serves one run at a time; with a team
 * each process has its own, and a stop in one of them stops all. */
typedef struct berth_map_watch berth_map_watch_t;

typedef struct berth_map_progress {
  const char *stage; /* what is done now, "" before the run; a constant of the library */
  double elapsed_s;  /* since berth_map_problem_init */
  double best;       /* the lowest price so far, in seconds of the objective; negative: none yet */
  double done;       /* the share of the stage that is done, 0 to 1; negative: unknown */
  double left_s;     /* until the time limit; negative: there is none */
  int stopped;       /* somebody called berth_map_watch_stop */
} berth_map_progress_t;

/* NULL when memory is out. Free it when the run has ended; free takes NULL. */
BERTH_API berth_map_watch_t *berth_map_watch_new(void);
BERTH_API void berth_map_watch_free(berth_map_watch_t *w);

/* Ends the run as its time limit would, but now: it returns the best placement that it has, or
 * linear. Any thread and any signal handler may call it, before the run as well. */
BERTH_API void berth_map_watch_stop(berth_map_watch_t *w);

/* Any thread may ask. */
BERTH_API berth_map_progress_t berth_map_watch_progress(berth_map_watch_t *w);

/* What was looked at on the way to a placement. Prices are in seconds of the objective, with the
 * share of model sum and moves. */
typedef struct berth_candidate {
  const char *name; /* of the mapper */
  double price;
  int any_thread; /* it was looked for with cores' second threads as good as their first ones */
  const berth_phase_t *phase; /* the mapper saw this phase alone: one of berth_pattern_phases,
                                 borrowed; NULL: the whole pattern */
} berth_candidate_t;

enum { BERTH_MAX_CANDIDATES = 48, BERTH_MAX_POINTS = 48 };

/* How cheap a placement was found of which at most so many ranks aren't where `from` has them. */
typedef struct berth_move_point {
  int max, moved; /* asked for, and moved: at most as many */
  double cost_s;  /* a price without that of moves */
} berth_move_point_t;

typedef struct berth_map_report {
  size_t n; /* candidates, in the order in which they were found; linear is the first */
  berth_candidate_t candidate[BERTH_MAX_CANDIDATES];
  size_t chosen, cheapest;
  int left_as_it_is;  /* `best` found something cheaper, which gains less than min_gain */
  int stopped;        /* a watch stopped the run: more work might have found a lower price */
  double lower_bound; /* no placement has a lower price; negative: unknown, since the run was
                         stopped or its time limit left no time for it */
  /* Second threads are used though each rank could have a core: that is cheaper than this price,
   * the least of those that don't. Negative where they aren't. */
  double price_of_first_threads;
  int moved; /* ranks that leave the PU where `from` has them; -1 without `from` */
  /* Where moves have a price or a limit: points by their numbers of moves, from the fewest that
   * must move to those of the cheapest placement found, moves apart; costs never rise. */
  size_t n_points;
  berth_move_point_t point[BERTH_MAX_POINTS];
} berth_map_report_t;

/* A problem to map: the inputs and the PUs that may be used. */
typedef struct berth_map_problem {
  const berth_pattern_t *pattern;
  const berth_topo_t *topo;
  berth_map_options_t options; /* `pinned` and `from` are copies; in `from`, ranks on PUs that may
                                  not be used any more are nowhere */
  int n_pus;                   /* places for ranks, at least as many as ranks */
  int *pus;         /* the PU of each place, increasing: a PU that ranks share has several. One PU a
                       core unless there are more ranks than cores, one place a PU unless there are
                       more ranks than PUs; besides, a place for each pinned rank */
  int max_on_pu;    /* places of the PU that has most */
  int shares_cores; /* some core has several places */
  /* The same with all hardware threads of cores, where those places aren't in `pus` but prices can
   * say whether they are worth it: the topology has the slow-down of the cores and the pattern the
   * ranks' times (berth/sharing.h). NULL elsewhere. `best` and `exact` look at both. */
  int n_any_pus;
  int *any_pus;
  const int *linear_pus;    /* the PUs that linear takes as the baseline, borrowed; NULL: of pus */
  const int *const *starts; /* placements to search from, the cheapest first, borrowed; NULL: a
                               search finds its own */
  size_t n_starts;
  berth_map_report_t *report; /* to be filled by berth_map_run, borrowed; NULL: nobody asks */
  berth_map_watch_t *watch;   /* to be told how the run gets on, borrowed; NULL: nobody asks */
  void *shared;               /* the library's own */
  double started_s;           /* when berth_map_problem_init was called, by the monotonic clock */
} berth_map_problem_t;

/* Checks the options against the inputs and finds the usable PUs. Fails with BERTH_BAD_INPUT when
 * there are fewer places than ranks, with BERTH_USAGE when a host isn't there or a rank can't be
 * where it is pinned to. The pattern and topology are borrowed; free the rest with
 * berth_map_problem_clear, which a failure leaves nothing to do. */
BERTH_API int berth_map_problem_init(berth_map_problem_t *problem, const berth_pattern_t *p,
                                     const berth_topo_t *t, const berth_map_options_t *options,
                                     berth_error_t *err);
BERTH_API void berth_map_problem_clear(berth_map_problem_t *problem);

/* What `best` takes a mapper for. */
typedef enum berth_mapper_role {
  BERTH_MAPPER_BUILDS,   /* placements from nothing */
  BERTH_MAPPER_SEARCHES, /* from placements for cheaper ones: problem->starts */
  BERTH_MAPPER_APART     /* nothing */
} berth_mapper_role_t;

typedef struct berth_mapper {
  const char *name;
  const char *help; /* one line */
  /* Fills pu_of_rank[0 … ranks - 1] with different places. *chosen is the name of the mapper that
   * made it, which for `best` is another's, or what `best` made of others' placements: "partial"
   * (fewer moves), "even-ports" (the same sum, less on the busiest ports). BERTH_USAGE says
   * that it doesn't serve such a problem; `best` then goes without it. Call it through
   * berth_map_run, which keeps pinned ranks where they belong. */
  int (*map)(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
             berth_error_t *err);
  berth_mapper_role_t role;
  berth_quality_t min_quality; /* `best` runs it from that quality on */
  int max_ranks;               /* and for so many ranks at most; 0: any number */
  int shares_work; /* with the processes of a team; the others work in one process of it */
} berth_mapper_t;

/* Places the ranks by a mapper, and then gives pinned ranks their places where it didn't. Fills
 * problem->report, if there is one: by a mapper other than `best`, with linear and itself. With a
 * team all its processes call this, for the same problem, and all get the result or the error. */
BERTH_API int berth_map_run(const berth_map_problem_t *problem, const berth_mapper_t *mapper,
                            int *pu_of_rank, const char **chosen, berth_error_t *err);

/* Prices random placements, each of all possible ones with equal chance (ranks that are pinned
 * stay), under what `best` goes by: the objective, shared cores, and the other parts that the
 * options ask for. They are numbers 0, 1, 2, … of a sequence that options.seed stands for, the same
 * in whatever parts they are taken and with any number of threads. No team is asked.
 *
 * A sampler keeps what its threads price by, one set for each: at most options.threads, and not
 * more than `max_samples` in one part keep busy. It borrows the problem. NULL with the error
 * filled; free takes NULL. */
typedef struct berth_map_sampler berth_map_sampler_t;
BERTH_API berth_map_sampler_t *berth_map_sampler_new(const berth_map_problem_t *problem,
                                                     size_t max_samples, berth_error_t *err);
BERTH_API void berth_map_sampler_free(berth_map_sampler_t *s);

/* Fills price[0 … n - 1] with samples first … first + n - 1. */
BERTH_API int berth_map_sample(berth_map_sampler_t *s, uint64_t first, size_t n, double *price,
                               berth_error_t *err);

/* All mappers, in the order of help texts; and one by name, NULL when there is none. */
BERTH_API const berth_mapper_t *berth_mappers(size_t *n);
BERTH_API const berth_mapper_t *berth_mapper_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
