/* SPDX-License-Identifier: BSD-3-Clause */
/* Advice on collective operations: what other algorithms of the same MPI would cost in a placement,
 * and how to tell the MPI to take them. */
#ifndef BERTH_ADVICE_H
#define BERTH_ADVICE_H

#include <berth/cost.h>
#include <berth/tuning.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An algorithm that the MPI can be told to take. */
typedef struct berth_choice {
  const char *algorithm; /* as `berth schedule` or the rules call it */
  const char *setting;   /* what the MPI calls it: a number of Open MPI, a name of MPICH */
  uint64_t segment;      /* bytes; 0: blocks aren't divided */
  int degree;            /* 0: the MPI's own, or none */
  double cost_s;         /* of all calls */
} berth_choice_t;

/* Equal calls on communicators without a common rank, which run beside each other. */
typedef struct berth_advised {
  const char *op;        /* such as "MPI_Allreduce" */
  const char *text;      /* "MPI_Allreduce of 32.00 KiB, 4 ranks on 4 communicators" */
  int phase, ranks;      /* of one communicator */
  size_t comms;          /* communicators */
  uint64_t bytes;        /* of a block, or of all blocks if they differ */
  double calls;          /* of all communicators, over all occurrences of the phase */
  int site, more_sites;  /* the first call site; 1: there are others */
  const char *algorithm; /* that is taken; of several stages "gather + bcast" */
  double cost_s;         /* of all calls by that algorithm */
  size_t n;              /* choices, the cheapest first; 0: the MPI can't be told */
  const berth_choice_t *choices;
} berth_advised_t;

typedef struct berth_advice berth_advice_t;

/* Less isn't advised: a share of the cost. */
#define BERTH_ADVICE_GAIN 0.03

/* Finds for the `max` most expensive groups of collective calls what each algorithm of the MPI
 * costs, in a placement and under a model. `rules` are as for berth_collectives_include, and say
 * which algorithms are taken. They, or the pattern's MPI if they are a file, say which MPI is to be
 * told. Groups whose messages are too many have no choices. There is no advice (n = 0) if berth
 * knows none of that MPI's settings. NULL on failure. Borrows everything for the call only. */
BERTH_API berth_advice_t *berth_advice_new(const berth_pattern_t *p, const berth_topo_t *t,
                                           berth_model_t model, const int *pu_of_rank,
                                           const char *rules, size_t max, berth_error_t *err);
/* Settings by what `berth tune` measured instead: costs are measured times of all calls, and there
 * are no groups. A setting has to gain BERTH_ADVICE_GAIN and the errors of both times. The
 * algorithm was measured for all calls that the setting is for. NULL on failure. */
BERTH_API berth_advice_t *berth_advice_of_tuning(const berth_tuning_t *t, berth_error_t *err);
BERTH_API void berth_advice_free(berth_advice_t *a);

/* The groups, the most expensive first. */
BERTH_API const berth_advised_t *berth_advice_groups(const berth_advice_t *a, size_t *n);
/* The choice that is advised; NULL: none gains BERTH_ADVICE_GAIN. */
BERTH_API const berth_choice_t *berth_advice_best(const berth_advised_t *g);
/* The MPI's rules, such as "openmpi-4.1"; "": berth knows none of its settings. */
BERTH_API const char *berth_advice_mpi(const berth_advice_t *a);

/* What an MPI can be told apart: in Open MPI all calls of an operation with the same ranks and
 * bytes, in MPICH all calls of an operation. */
typedef struct berth_setting {
  const char *op;
  int ranks;             /* 0: any */
  uint64_t bytes, last;  /* of the smallest and largest call, as the MPI counts them; 0 if it
                            doesn't */
  berth_choice_t choice; /* cost_s: of all calls that it is for, instead of: */
  double before_s;
} berth_setting_t;

/* What is to be told: settings that gain BERTH_ADVICE_GAIN over all calls that they are for. Ask
 * for advice on all groups before, because settings change them, too. */
BERTH_API const berth_setting_t *berth_advice_settings(const berth_advice_t *a, size_t *n);

/* Writes them as the MPI reads them: Open MPI's file of dynamic rules; for MPICH a script that sets
 * variables. Calls that no setting is for get the algorithm that the MPI takes anyway. BERTH_USAGE
 * if berth knows none of the MPI's settings. */
BERTH_API int berth_advice_write(const berth_advice_t *a, const char *path, berth_error_t *err);
/* The command that starts a job with that file, given as a shell needs its name. The caller frees
 * it. NULL: memory is out. */
BERTH_API char *berth_advice_command(const berth_advice_t *a, const char *path);

#ifdef __cplusplus
}
#endif

#endif
