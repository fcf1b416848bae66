/* SPDX-License-Identifier: BSD-3-Clause */
/* What berth's libraries have measured, and do therefore (docs/formats/tuning.md). */
#ifndef BERTH_TUNING_H
#define BERTH_TUNING_H

#include <berth/pattern.h>
#include <berth/times.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BERTH_MAX_CHOICES = 1024, BERTH_CHOICE_NAME = 48 };

/* What may be done for a call. Times are of a call on its slowest rank. */
typedef struct berth_tuned_choice {
  char algorithm[BERTH_CHOICE_NAME]; /* what one rank of each host does with the others', as
                         `berth schedule` names it; "direct": from rank to rank; "host": there is
                         one host; "mpi": the MPI serves the call; "mpi:binomial": by an algorithm
                         of its own, in jobs that were told to (advice.h); "agents": agents do, in
                         jobs that have some */
  uint64_t segment;                  /* bytes, 0: blocks aren't divided */
  uint64_t overlap;                  /* while that rank exchanges messages, the others of its host
                         take parts of so many bytes that have come, and reduce parts that it needs
                         next; 0: they come before or after */
  int degree;                        /* of trees that have one, or 0 */
  double predicted_s;                /* below 0: unknown */
  double measured_s;                 /* likewise */
  double error;                      /* of measured_s: its standard error by measured_s; below 0:
                         unknown */
  berth_histogram_t times;           /* of all calls that were measured */
} berth_tuned_choice_t;

/* Calls that have one choice: of an operation, on a communicator of so many ranks and hosts, of a
 * size. A size stands for all that have as many binary digits. */
typedef struct berth_tuned_cell {
  char operation[BERTH_CHOICE_NAME]; /* "bcast" */
  int ranks, hosts;                  /* hosts: 0 before it is measured */
  uint64_t bytes;                    /* of the vector, or of a rank's block */
  uint64_t calls;                    /* in the pattern, 0: unknown */
  double within_s;                   /* what ranks of a host do, without hosts; below 0: unknown */
  int *members;  /* where it is measured: `ranks` ranks of MPI_COMM_WORLD; NULL: all */
  bool settled;  /* calls of an application have compared the choice that holds with the next one:
                    the better one stands first */
  int n_choices; /* at most BERTH_MAX_CHOICES */
  berth_tuned_choice_t *choice; /* the first one that holds is taken */
} berth_tuned_cell_t;

/* What berth's one-sided library has found out about epochs between hosts (docs/rma.md), in all
 * windows of so many ranks and hosts. */
typedef struct berth_tuned_epochs {
  int ranks, hosts;
  uint64_t targets; /* ranks at targets of other hosts, with epochs of at least 2 KiB */
  double bytes;     /* of such an epoch, at one target */
  double fill_s;    /* in which the program brings a byte; below 0: unknown */
  uint64_t message; /* bytes with which messages went */
  double early;     /* for this share of the targets, the last message goes with the last operation:
                       0 to 1 */
} berth_tuned_epochs_t;

typedef struct berth_tuning {
  int ranks;        /* of the job */
  char mpi[64];     /* "Open MPI 4.1.4"; "" before it is measured */
  bool agents;      /* the job had some (docs/coll.md) */
  double half;      /* of the network (berth_collectives_half); 0: unknown */
  double bandwidth; /* of the network, in bytes per second; 0: unknown */
  double seconds;   /* that measuring took; 0: nothing was measured */
  size_t n;
  berth_tuned_cell_t *cell;
  double message_s; /* what the origin of one-sided operations takes for a message; 0: unknown */
  size_t n_epochs;
  berth_tuned_epochs_t *epochs;
} berth_tuning_t;

/* Reads a file for a job of `ranks` ranks (0: any). The caller frees *out with berth_tuning_clear.
 * It is empty after a failure: BERTH_BAD_INPUT, or BERTH_MISSING if the file can't be read. */
BERTH_API int berth_tuning_load(const char *path, int ranks, berth_tuning_t *out,
                                berth_error_t *err);
/* Writes a file as a whole, or leaves what is there. */
BERTH_API int berth_tuning_save(const berth_tuning_t *t, const char *path, berth_error_t *err);
BERTH_API void berth_tuning_clear(berth_tuning_t *t);

/* The number of binary digits of a size: 0 of 0, 4 of 8. */
static inline int berth_tuning_digits(uint64_t bytes)
{
  int digits = 0;
  for (; bytes; bytes >>= 1) digits++;
  return digits;
}

/* The cells of a pattern's blocking collective calls, without choices: those that send most first.
 * Sizes with as many digits are one cell, measured at the size with most bytes in all calls.
 * Communicators of as many ranks are one, too: the first stands for all. Operations whose blocks
 * only some ranks know (MPI_Gatherv, MPI_Scatterv, MPI_Alltoallv) have none. The caller frees *out.
 */
BERTH_API int berth_tuning_plan(const berth_pattern_t *p, berth_tuning_t *out, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
