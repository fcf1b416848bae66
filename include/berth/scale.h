/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns of sizes that nobody has traced, from traces of the same program on fewer ranks.
 *
 * What all traces have in common is kept: at each call site, who sends to whom as a relation that
 * doesn't depend on the number of ranks (neighbours in a grid, all ranks of a row, a tree…), and
 * bytes and numbers of messages as functions of the number of ranks and of the grid. The rest is
 * left out, and named. */
#ifndef BERTH_SCALE_H
#define BERTH_SCALE_H

#include <berth/pattern.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  BERTH_SCALE_DIMS = 4,   /* the most dimensions of a grid */
  BERTH_SCALE_TRACES = 16 /* the most traces */
};

/* How the problem's size depends on the number of ranks. */
typedef enum berth_scaling {
  BERTH_SCALING_FOUND, /* as the traces say, of which there must be two */
  BERTH_SCALING_WEAK,  /* the same for each rank */
  BERTH_SCALING_STRONG /* the same for all ranks together */
} berth_scaling_t;

typedef struct berth_scale_options {
  size_t size;                /* sizeof this struct, as the caller was compiled */
  int ranks;                  /* of the pattern to make; 0: those of the grid */
  int n_grid;                 /* 0: the traces' grids say how it is divided */
  int grid[BERTH_SCALE_DIMS]; /* of the pattern to make; the last dimension's ranks are consecutive
                               */
  berth_scaling_t scaling;
  /* Called in the caller's thread from time to time, with how many steps of berth_scale's work are
   * done, or NULL. The number of steps may grow. */
  void (*progress)(void *data, size_t done, size_t steps);
  void *progress_data;
} berth_scale_options_t;

/* The ranks' grid in one of the traces, or in the pattern that was made. */
typedef struct berth_scale_grid {
  int ranks, n_dims, dims[BERTH_SCALE_DIMS];
} berth_scale_grid_t;

/* What became of one call site in one phase. */
typedef struct berth_scale_part {
  const char *op;  /* such as "MPI_Isend"; "": unknown */
  size_t n_frames; /* 0: the call site is unknown */
  const char *const *frames;
  const char *phase; /* its name */
  double share;      /* of all bytes of the trace with the most ranks; 0 to 1 */
  double messages;   /* of all messages, one-sided operations and calls of a rank; 0 to 1 */
  int kept;          /* 0: the pattern leaves it out */
  const char
      *what; /* who sends to whom: "4 neighbours (+-1 in each dimension)"; why it was left out
              */
  const char *bytes; /* how bytes depend on the ranks: "of a pair: the same", "of a message: …" or
                        "of a call: …"; "" if it was left out */
  double error;      /* how far the traces are from that: the largest |traced / fitted - 1| */
  const char *unsure; /* what else the traces may mean: they have too few ranks, or are too few; ""
                         if nothing is known that speaks against it */
} berth_scale_part_t;

typedef struct berth_scaled berth_scaled_t;

/* The traces are finished patterns of different numbers of ranks, without messages that were added
 * for estimates. NULL with the error filled: BERTH_USAGE if options contradict each other or the
 * only trace says nothing about sizes; BERTH_BAD_INPUT if a value can't be, or nothing can be kept;
 * BERTH_MISSING when memory is out, or if the messages exceed berth_set_memory's limit. */
BERTH_API berth_scaled_t *berth_scale(const berth_pattern_t *const *traces, size_t n,
                                      const berth_scale_options_t *options, berth_error_t *err);
BERTH_API void berth_scaled_free(berth_scaled_t *scaled);

/* Results are borrowed until berth_scaled_free. */
BERTH_API const berth_pattern_t *berth_scaled_pattern(const berth_scaled_t *scaled);
/* The pattern, which the caller frees and `scaled` no longer has. */
BERTH_API berth_pattern_t *berth_scaled_take(berth_scaled_t *scaled);
/* Most bytes first. */
BERTH_API const berth_scale_part_t *berth_scaled_parts(const berth_scaled_t *scaled, size_t *n);
/* Those of the traces by number of ranks, and last the one of the pattern. *n is 0 if nothing that
 * was kept depends on a grid. */
BERTH_API const berth_scale_grid_t *berth_scaled_grids(const berth_scaled_t *scaled, size_t *n);
/* Other grids of the pattern, whose rules give the same grids for the traces. */
BERTH_API const berth_scale_grid_t *berth_scaled_other_grids(const berth_scaled_t *scaled,
                                                             size_t *n);
/* The rule that gives the grids: "as even as possible, the smallest first". */
BERTH_API const char *berth_scaled_rule(const berth_scaled_t *scaled);
/* 1: the traces' grids are those that the program made (berth_pattern_grids); 0: they were found.
 */
BERTH_API int berth_scaled_grid_recorded(const berth_scaled_t *scaled);
/* What else isn't in the pattern, or was assumed; one line each. */
BERTH_API const char *const *berth_scaled_notes(const berth_scaled_t *scaled, size_t *n);
/* The share of the bytes of the trace with the most ranks that was kept, and that of its messages,
 * one-sided operations and calls; 0 to 1. */
BERTH_API double berth_scaled_kept(const berth_scaled_t *scaled);
BERTH_API double berth_scaled_kept_messages(const berth_scaled_t *scaled);
/* The share of those bytes that was kept and is unsure; 0 to 1. */
BERTH_API double berth_scaled_unsure(const berth_scaled_t *scaled);

/* How well one pattern agrees with another one of as many ranks, pair by pair. */
typedef struct berth_scale_agreement {
  double bytes;        /* of all pairs in `real` */
  double made;         /* the same in `made` */
  double within;       /* those of `real` in pairs whose bytes agree; 0 to 1 */
  size_t pairs, agree; /* pairs with bytes in either of them, and those that agree */
} berth_scale_agreement_t;

/* Adds up each pair's bytes over all phases and occurrences: of messages, and of collective and
 * one-sided operations if berth_collectives_include and berth_one_sided_include added theirs. Two
 * amounts agree if `made` differs from `real` by at most `tolerance` (0.05: 5%) of it.
 * BERTH_BAD_INPUT if the numbers of ranks differ, BERTH_MISSING when memory is out. */
BERTH_API int berth_scale_compare(const berth_pattern_t *made, const berth_pattern_t *real,
                                  double tolerance, berth_scale_agreement_t *out,
                                  berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
