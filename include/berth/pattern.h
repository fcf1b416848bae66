/* SPDX-License-Identifier: BSD-3-Clause */
/* The application communication pattern (report, section 3.2): how many messages of which sizes
 * each rank sends to which, by phase and call site. File format: docs/formats/pattern.md.
 *
 * Sizes are bytes, times are seconds, ranks are ranks in MPI_COMM_WORLD. Traffic is counted once,
 * at the sender. Numbers are whole and at most 2^53 unless said otherwise. */
#ifndef BERTH_PATTERN_H
#define BERTH_PATTERN_H

#include <berth/error.h>
#include <berth/limits.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_pattern berth_pattern_t;

/* Messages of one size from src to dst. */
typedef struct berth_message {
  int phase, site; /* identities, 0 when there is nothing to tell apart */
  int src, dst;
  uint64_t size;  /* bytes of one message; of a representative one where sizes were binned */
  uint64_t count; /* messages in one occurrence of the phase */
  uint64_t bytes; /* exact bytes of all of them; size * count where sizes are exact */
} berth_message_t;

typedef struct berth_rank_info {
  const char *host;     /* "" when unknown */
  int pu;               /* the operating system's index of the PU it ran on, -1 when unknown */
  double wall_s, mpi_s; /* run time, and the part of it inside MPI calls; -1 when unknown, both */
  double unsure_s;      /* what else of it may have been inside, which the recorder doesn't know */
} berth_rank_info_t;

typedef struct berth_phase {
  int id;
  const char *name;
  uint64_t repeats; /* how often the phase occurs */
} berth_phase_t;

typedef struct berth_site {
  int id;
  const char *op; /* MPI_Isend */
  size_t n_frames;
  const char *const *frames; /* innermost first */
} berth_site_t;

typedef struct berth_comm {
  int id; /* 0 is MPI_COMM_WORLD, which isn't listed */
  size_t n_ranks;
  const int *ranks;
} berth_comm_t;

/* So many of a communicator's ranks, one after another, with these bytes each. */
typedef struct berth_share {
  uint64_t bytes, ranks;
} berth_share_t;

/* Calls of one collective operation; not priced by the cost models. */
typedef struct berth_coll {
  int phase, site, comm;
  const char *op;
  uint64_t bytes; /* of one call at one rank */
  uint64_t count; /* calls */
  int root;       /* the root's rank in the communicator, -1 for operations without a root */
  /* What each of the communicator's ranks gave, in all calls of all occurrences of the phase. None
   * where ranks gave alike, each bytes * count * repeats in all, or nobody knows. */
  size_t n_shares;
  const berth_share_t *shares;
} berth_coll_t;

/* What one rank sent to each of a communicator's, in all calls of a collective operation in all
 * occurrences of the phase. */
typedef struct berth_row {
  int phase, site, comm, src;
  const char *op;
  size_t n_shares;
  const berth_share_t *shares;
} berth_row_t;

/* One-sided operations of one rank on one window; not priced by the cost models. */
typedef struct berth_rma {
  int phase, site, src, win;
  const char *sync, *op;
  uint64_t epochs;
  size_t n_msgs;
  const berth_message_t *msgs; /* only dst, size, count and bytes are set */
} berth_rma_t;

/* Calls of a function, by all ranks, of which the recorder kept nothing else. */
typedef struct berth_unmodelled {
  const char *op; /* MPI_File_write_at_all */
  uint64_t calls;
} berth_unmodelled_t;

/* Sends of one rank that follow one another and are alike. */
typedef struct berth_send {
  int dst;
  int blocking;         /* 1: the rank issues its next send when this one has been delivered */
  uint64_t size, times; /* bytes of one message, as in the p2p entries; sends in a row */
} berth_send_t;

/* The order in which a rank issues its sends in one occurrence of a phase: the whole sequence,
 * `rounds` times. It holds the same messages as the rank's entries of that phase. */
typedef struct berth_order {
  int phase, src;
  uint64_t rounds;
  size_t n_sends;
  const berth_send_t *sends;
} berth_order_t;

/* What a pattern cost on a machine when it was made a baseline (berth/check.h): part of its header.
 */
typedef struct berth_baseline_phase {
  int id;
  const char *name;
  double cost_s; /* of one occurrence */
} berth_baseline_phase_t;

typedef struct berth_baseline {
  const char *berth;      /* the version that priced it */
  const char *model;      /* berth_model_name */
  const char *topology;   /* the topology's name, for people */
  uint64_t topology_hash; /* berth_topo_hash */
  double cost_s;          /* all phases, all occurrences */
  size_t n_phases;
  const berth_baseline_phase_t *phases; /* as in berth_pattern_phases */
  const char *algorithm;                /* what placed the ranks, "" when unknown */
  const int *pu_of_rank;                /* as many as ranks */
} berth_baseline_t;

/* How much there was of a file that was cut off. */
typedef struct berth_cut {
  uint64_t lines;  /* so many from its beginning were taken */
  int senders;     /* ranks of which they have anything that was sent */
  const char *why; /* what stopped the reader, with the file and line */
} berth_cut_t;

/* Reading. A file that breaks a rule of the format gives NULL and one line of error. */
enum {
  BERTH_PATTERN_STRICT = 0,
  BERTH_PATTERN_TRUNCATED =
      1 /* take what is there of a file that was cut off: see berth_pattern_cut */
};
BERTH_API berth_pattern_t *berth_pattern_load(const char *path, int flags, berth_error_t *err);

/* Writing: compressed when the name ends in .zst. The bytes depend on nothing but the contents. */
BERTH_API int berth_pattern_save(const berth_pattern_t *p, const char *path, berth_error_t *err);

BERTH_API void berth_pattern_free(berth_pattern_t *p);

/* Building. Strings and arrays are copied. Strings are UTF-8 and, but for words of the command and
 * frames, without control characters; what breaks a rule of the file format gives BERTH_BAD_INPUT.
 * After the last addition call berth_pattern_finish: it sorts what was added and adds up messages
 * that agree in all but count and bytes. Functions that need a whole pattern refuse one that isn't
 * finished; berth_pattern_messages has none of it. */
BERTH_API berth_pattern_t *berth_pattern_new(int ranks, berth_error_t *err);
BERTH_API int berth_pattern_set_command(berth_pattern_t *p, size_t argc, const char *const *argv,
                                        berth_error_t *err);
BERTH_API int berth_pattern_set_origin(berth_pattern_t *p, const char *mpi, const char *created,
                                       berth_error_t *err);
BERTH_API int berth_pattern_set_rank(berth_pattern_t *p, int rank, const berth_rank_info_t *info,
                                     berth_error_t *err);
BERTH_API int berth_pattern_add_phase(berth_pattern_t *p, const berth_phase_t *phase,
                                      berth_error_t *err);
BERTH_API int berth_pattern_add_site(berth_pattern_t *p, const berth_site_t *site,
                                     berth_error_t *err);
BERTH_API int berth_pattern_add_comm(berth_pattern_t *p, const berth_comm_t *comm,
                                     berth_error_t *err);
BERTH_API int berth_pattern_add_message(berth_pattern_t *p, const berth_message_t *m,
                                        berth_error_t *err);
BERTH_API int berth_pattern_add_coll(berth_pattern_t *p, const berth_coll_t *coll,
                                     berth_error_t *err);
BERTH_API int berth_pattern_add_row(berth_pattern_t *p, const berth_row_t *row, berth_error_t *err);
BERTH_API int berth_pattern_add_rma(berth_pattern_t *p, const berth_rma_t *rma, berth_error_t *err);
/* Calls of one function add up. */
BERTH_API int berth_pattern_add_unmodelled(berth_pattern_t *p, const berth_unmodelled_t *calls,
                                           berth_error_t *err);
/* At most one for each phase and source; berth_pattern_finish fails with BERTH_BAD_INPUT when it
 * holds other messages than were added. After berth_pattern_drop_orders it leaves such orders out
 * instead. */
BERTH_API int berth_pattern_add_order(berth_pattern_t *p, const berth_order_t *order,
                                      berth_error_t *err);
BERTH_API void berth_pattern_drop_orders(berth_pattern_t *p);
BERTH_API int berth_pattern_finish(berth_pattern_t *p, berth_error_t *err);

/* Makes p a baseline, or another one; may be called before or after berth_pattern_finish. */
BERTH_API int berth_pattern_set_baseline(berth_pattern_t *p, const berth_baseline_t *baseline,
                                         berth_error_t *err);
/* Forgets what differs from one recording of the same messages to the next: when it was made, and
 * of the ranks where they ran and how long. */
BERTH_API void berth_pattern_drop_run(berth_pattern_t *p);

/* Looking. What is returned is borrowed and valid until the pattern is freed or added to. */
BERTH_API int berth_pattern_ranks(const berth_pattern_t *p);
BERTH_API const char *berth_pattern_mpi(const berth_pattern_t *p);     /* "" when unknown */
BERTH_API const char *berth_pattern_created(const berth_pattern_t *p); /* "" when unknown */
BERTH_API const char *const *berth_pattern_command(const berth_pattern_t *p, size_t *n);

/* All phases that have a line or a message, by identity; there is always at least one. */
BERTH_API const berth_phase_t *berth_pattern_phases(const berth_pattern_t *p, size_t *n);
/* The messages of the phase with that place in berth_pattern_phases, sorted by src, dst, size and
 * site. */
BERTH_API const berth_message_t *berth_pattern_messages(const berth_pattern_t *p, size_t phase,
                                                        size_t *n);
BERTH_API const berth_site_t *berth_pattern_sites(const berth_pattern_t *p, size_t *n);
BERTH_API const berth_site_t *berth_pattern_site(const berth_pattern_t *p, int id); /* or NULL */
BERTH_API const berth_comm_t *berth_pattern_comms(const berth_pattern_t *p, size_t *n);
BERTH_API const berth_coll_t *berth_pattern_colls(const berth_pattern_t *p, size_t *n);
/* Sorted by phase, communicator, site, operation and source. */
BERTH_API const berth_row_t *berth_pattern_rows(const berth_pattern_t *p, size_t *n);
BERTH_API const berth_rma_t *berth_pattern_rmas(const berth_pattern_t *p, size_t *n);
/* Sorted by name. */
BERTH_API const berth_unmodelled_t *berth_pattern_unmodelled(const berth_pattern_t *p, size_t *n);
/* Sorted by phase and source; ranks whose order nobody recorded have none. */
BERTH_API const berth_order_t *berth_pattern_orders(const berth_pattern_t *p, size_t *n);
/* NULL when it is whole, as all are that weren't loaded with BERTH_PATTERN_TRUNCATED. */
BERTH_API const berth_cut_t *berth_pattern_cut(const berth_pattern_t *p);
/* NULL when it is no baseline. */
BERTH_API const berth_baseline_t *berth_pattern_baseline(const berth_pattern_t *p);
/* NULL when the file has no line for that rank. */
BERTH_API const berth_rank_info_t *berth_pattern_rank(const berth_pattern_t *p, int rank);

/* A pattern that has one phase of p, the one with that place in berth_pattern_phases, and what p
 * says of ranks, sites and communicators. Nothing is copied: p must outlive it and stay as it is.
 * NULL when memory is out; free with berth_pattern_of_phase_free. */
BERTH_API const berth_pattern_t *berth_pattern_of_phase(const berth_pattern_t *p, size_t phase,
                                                        berth_error_t *err);
BERTH_API void berth_pattern_of_phase_free(const berth_pattern_t *of_phase);

/* The share of the run's time spent in MPI, sum of mpi_s over sum of wall_s (report, section 7.1);
 * -1 when a rank's times are unknown. */
BERTH_API double berth_pattern_mpi_share(const berth_pattern_t *p);
/* How much more it may be; -1 likewise. */
BERTH_API double berth_pattern_unsure_share(const berth_pattern_t *p);

#ifdef __cplusplus
}
#endif

#endif
