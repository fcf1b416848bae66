/* SPDX-License-Identifier: BSD-3-Clause */
/* The communication pattern (the paper, section 3.2): how many messages of which sizes each rank
 * sends to which, by phase and call site. File format: docs/formats/pattern.md.
 *
 * Sizes are bytes, times are seconds, ranks are ranks in MPI_COMM_WORLD. Messages are counted once,
 * at the sender. Numbers are whole and at most BERTH_MAX_AMOUNT unless a comment says otherwise. */
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

/* Messages of one size from src to dst, in one phase and from one call site. */
typedef struct berth_message {
  int phase, site; /* identities; 0 if the pattern has one phase, or no call sites */
  int src, dst;
  uint64_t size;  /* bytes of one message; if sizes were binned, of a typical one */
  uint64_t count; /* messages in one occurrence of the phase */
  uint64_t bytes; /* exact bytes of all of them: size * count, unless sizes were binned */
} berth_message_t;

typedef struct berth_rank_info {
  const char *host;     /* "" when unknown */
  int pu;               /* the operating system's index of the PU it ran on, -1 when unknown */
  double wall_s, mpi_s; /* run time, and the part of it inside MPI calls; both -1 when unknown */
  double unsure_s;    /* time that may have been inside MPI calls, too: the recorder doesn't know */
  double core_wait_s; /* outside of MPI calls: ready to run, but without a core; -1: unknown */
} berth_rank_info_t;

typedef struct berth_phase {
  int id;
  const char *name;
  uint64_t repeats; /* how often the phase occurs */
  int collective;   /* rounds of the same collective calls, or of the same epochs, have the same
                       number (berth/collectives.h, berth/one_sided.h); 0: the program's own
                       messages */
  int stage;        /* a call may run several algorithms, one after the other: which one, from 1 */
  uint64_t rounds;  /* consecutive rounds that the phase stands for; `repeats` counts each */
  int of_phase;     /* of rounds: the identity of the phase that has the calls or epochs */
  int more_of;  /* of rounds of calls that only some of the communicators make which make the calls
                   with that number in `collective`; 0: of others */
  int by_hosts; /* 1: it stands for all rounds of calls whose messages depend on which ranks share a
                   host, and has no messages itself (berth_collectives_include_by_hosts) */
} berth_phase_t;

typedef struct berth_site {
  int id;
  const char *op; /* such as "MPI_Isend" */
  size_t n_frames;
  const char *const *frames; /* innermost first */
} berth_site_t;

typedef struct berth_comm {
  int id; /* 0 is MPI_COMM_WORLD, which isn't listed */
  size_t n_ranks;
  const int *ranks;
  size_t border; /* intercommunicators: ranks of the group that is listed first; 0: one group */
} berth_comm_t;

/* This many consecutive ranks of a communicator gave this many bytes each. */
typedef struct berth_share {
  uint64_t bytes, ranks;
} berth_share_t;

/* Calls of one collective operation. */
typedef struct berth_coll {
  int phase, site, comm;
  const char *op;
  uint64_t bytes; /* of one call at one rank */
  uint64_t count; /* calls */
  int root;       /* the root's rank in the communicator, -1 for operations without a root */
  /* Bytes that each rank of the communicator gave, over all calls and all occurrences of the phase.
   * Empty if all ranks gave the same (bytes * count * repeats each), or if it is unknown. */
  size_t n_shares;
  const berth_share_t *shares;
  uint64_t element;   /* the most bytes that divide all elements of these calls; 0: unknown */
  int in_place;       /* 1: all these calls had MPI_IN_PLACE, where all ranks must have it */
  int user_operation; /* 1: the program made the reduction's operation, not MPI */
  int uncommutative;  /* 1: the reduction's operation isn't commutative */
  int included;       /* the pattern has their messages, too, in the phases whose `collective` or
                         `more_of` is this; 0: estimates don't include them */
} berth_coll_t;

/* Bytes that one rank sent to each rank of a communicator in one collective operation, over all its
 * calls and all occurrences of the phase. */
typedef struct berth_row {
  int phase, site, comm, src;
  const char *op;
  size_t n_shares;
  const berth_share_t *shares;
} berth_row_t;

/* One-sided operations of one rank on one window. */
typedef struct berth_rma {
  int phase, site, src, win;
  const char *sync, *op;
  uint64_t epochs;
  size_t n_msgs;
  const berth_message_t *msgs; /* only dst, size, count and bytes are valid */
  int comm;                    /* the window's communicator */
  int included; /* 1: the pattern has their messages, too; otherwise estimates don't include them */
} berth_rma_t;

/* Calls of a function, by all ranks, of which the recorder kept only the number. */
typedef struct berth_unmodelled {
  const char *op; /* such as "MPI_File_write_at_all" */
  uint64_t calls;
} berth_unmodelled_t;

/* A parameter that the job had set for its MPI: the environment variable of an MCA parameter of
 * Open MPI or of a control variable of MPICH. */
typedef struct berth_parameter {
  const char *name, *value; /* such as "OMPI_MCA_coll_tuned_use_dynamic_rules" and "1" */
  const char *text;         /* of the file that the value names; NULL: none, or it wasn't kept */
  int unfollowed; /* 1: it may choose other algorithms than berth_collectives_include took */
} berth_parameter_t;

/* A Cartesian grid of all ranks: rank 0 is its first place, and the last dimension's ranks are
 * consecutive. */
enum { BERTH_GRID_DIMS = 8 }; /* the most dimensions */
typedef struct berth_grid {
  int n_dims, dims[BERTH_GRID_DIMS]; /* whose product is the number of ranks */
  int periodic[BERTH_GRID_DIMS];     /* 1: the last rank's neighbour is the first one */
} berth_grid_t;

/* Time that all ranks spent in calls of one MPI function, in the whole run: in all of them, or in
 * those at one call site, on one communicator, or both. */
typedef struct berth_time {
  int site, comm; /* site 0 and comm -1: the whole time of the function; comm 0: MPI_COMM_WORLD.
                     Else a part of it: site 0: of unknown sites; comm -1: no collective calls */
  const char *op; /* such as "MPI_Waitall" */
  double total_s; /* of all ranks */
  double max_s;   /* of the rank that spent the most; at most total_s */
  int max_rank;   /* the lowest rank that did */
} berth_time_t;

/* Messages, or blocks of collective calls, whose data aren't contiguous at one end: there, the MPI
 * packs them. A receive's size is what was asked for; size * count may be above 2^53. */
typedef struct berth_packed {
  int rank, site;  /* the end; site: its call site's identity, 0: unknown */
  int receives;    /* 1: the rank receives them; 0: it sends them */
  uint64_t size;   /* bytes of data of one message */
  uint64_t pieces; /* in so many contiguous pieces, at least 2 */
  uint64_t span;   /* bytes from the lowest to behind the highest, at least size */
  uint64_t count;  /* of messages, in the whole run */
} berth_packed_t;

/* What a rank does between its sends. */
typedef enum berth_step_kind {
  BERTH_STEP_SEND,      /* issues `times` messages of `size` bytes to `peer` */
  BERTH_STEP_SENT,      /* waits until all that it has sent to `peer` has been delivered */
  BERTH_STEP_RECEIVE,   /* posts `times` receives one by one, and waits for each: until one more
                           message of `peer` has been delivered */
  BERTH_STEP_POSTED,    /* has posted `times` receives for messages of `peer`, and goes on */
  BERTH_STEP_ARRIVED,   /* waits until `times` more messages of `peer` have been delivered */
  BERTH_STEP_MEET,      /* a collective call on communicator `peer`: waits for all members */
  BERTH_STEP_FROM_ROOT, /* the same, but all wait for `root` only, as in a broadcast */
  BERTH_STEP_TO_ROOT,   /* the same, but only `root` waits, as in a reduction to it */
  BERTH_STEP_LOOP       /* the next `steps` steps, `times` times */
} berth_step_kind_t;

enum {
  BERTH_ANY_RANK = -1, /* as the peer of BERTH_STEP_RECEIVE, _POSTED and _ARRIVED: whichever
                          message comes next */
  BERTH_MAX_LOOPS = 8  /* depth of loops in loops */
};

/* The mode of a send: the sum of these. */
enum {
  BERTH_SEND_BLOCKS = 1,        /* the rank goes on after the message has been delivered */
  BERTH_SEND_NEEDS_RECEIVE = 2, /* the message starts after its receive was posted */
  BERTH_SEND_MODES = 4          /* their number */
};

/* The mode of BERTH_STEP_RECEIVE. */
enum {
  BERTH_RECEIVE_FIRST = 1 /* the message of `peer` was the first that came. In another run another
                             rank's may be */
};

/* The mode of BERTH_STEP_MEET, _FROM_ROOT and _TO_ROOT: 0 for a blocking call, or a part of a
 * non-blocking one. */
enum {
  BERTH_MEET_BEGINS = 1, /* the rank has come, and goes on */
  BERTH_MEET_ENDS = 2,   /* it waits for those that a blocking call would wait for */
  BERTH_MEET_MODES = 3   /* their number */
};

/* A step of a rank. What its kind doesn't use is 0. */
typedef struct berth_step {
  int peer;             /* a rank, or a communicator's identity */
  int mode;             /* of a send: BERTH_SEND_…; of a receive: 0 or BERTH_RECEIVE_FIRST; of a
                           collective call: 0 or BERTH_MEET_… */
  uint64_t size, times; /* bytes of one message, or as berth_coll_t.bytes; how often */
  berth_step_kind_t kind;
  int root;       /* its rank in MPI_COMM_WORLD */
  size_t steps;   /* of a loop's body: those that follow it, with the bodies of loops in it */
  const char *op; /* of a collective call, as in berth_coll_t; NULL: not known */
} berth_step_t;

/* The order in which a rank issues its sends in one occurrence of a phase, and what it waits for:
 * the sequence, `rounds` times. It holds the same messages as the rank's entries of that phase. */
typedef struct berth_order {
  int phase, src;
  uint64_t rounds;
  size_t n_steps;
  const berth_step_t *steps;
} berth_order_t;

/* Operations whose messages can be included in estimates, by rules that say what an MPI sends for
 * them (berth/collectives.h, berth/one_sided.h). */
typedef enum berth_operations {
  BERTH_COLLECTIVES,
  BERTH_ONE_SIDED,
  BERTH_N_OPERATIONS /* their number */
} berth_operations_t;

/* What a pattern cost on a machine when it became a baseline (berth/check.h). */
typedef struct berth_baseline_phase {
  int id;
  const char *name;
  double cost_s; /* cost of one occurrence */
} berth_baseline_phase_t;

typedef struct berth_baseline {
  const char *berth;      /* the version of berth that estimated it */
  const char *model;      /* berth_model_name */
  const char *topology;   /* the topology's name, for people */
  uint64_t topology_hash; /* berth_topo_hash of that topology */
  double cost_s;          /* over all occurrences of all phases */
  size_t n_phases;
  const berth_baseline_phase_t *phases;  /* as in berth_pattern_phases */
  const char *algorithm;                 /* the mapper that placed the ranks; "" when unknown */
  const int *pu_of_rank;                 /* a PU for each rank */
  const char *rules[BERTH_N_OPERATIONS]; /* by which the cost includes operations; "" or NULL: it
                                            doesn't */
} berth_baseline_t;

/* What could be read of a truncated file. */
typedef struct berth_cut {
  uint64_t lines;  /* how many lines were read, counted from the first */
  int senders;     /* how many ranks have messages or other sent data in these lines */
  const char *why; /* why reading stopped, with file and line */
} berth_cut_t;

/* Reading. A file that breaks a rule of the format gives NULL and an error. */
enum {
  BERTH_PATTERN_STRICT = 0,
  BERTH_PATTERN_TRUNCATED = 1 /* load a truncated file as far as it goes; see berth_pattern_cut */
};
BERTH_API berth_pattern_t *berth_pattern_load(const char *path, int flags, berth_error_t *err);

/* A copy of a finished pattern, without what was added for estimates. The caller frees it. NULL
 * with BERTH_MISSING when memory is out, BERTH_BAD_INPUT if the pattern isn't finished. */
BERTH_API berth_pattern_t *berth_pattern_copy(const berth_pattern_t *p, berth_error_t *err);

/* Writing: compressed if the name ends in .zst. Equal patterns give equal bytes. */
BERTH_API int berth_pattern_save(const berth_pattern_t *p, const char *path, berth_error_t *err);

BERTH_API void berth_pattern_free(berth_pattern_t *p);

/* Building. Strings and arrays are copied. Strings must be UTF-8; only frames and words of the
 * command may hold control characters. An addition that breaks a rule of the file format fails with
 * BERTH_BAD_INPUT.
 *
 * After the last addition call berth_pattern_finish. It sorts the lists, and merges messages that
 * differ in count and bytes only. Functions that need a whole pattern refuse an unfinished one;
 * berth_pattern_messages then returns none. */
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
/* Calls of the same function are added up. */
BERTH_API int berth_pattern_add_unmodelled(berth_pattern_t *p, const berth_unmodelled_t *calls,
                                           berth_error_t *err);
/* BERTH_BAD_INPUT if there is one of that name. */
BERTH_API int berth_pattern_add_parameter(berth_pattern_t *p, const berth_parameter_t *parameter,
                                          berth_error_t *err);
/* Says that the program made such a grid (MPI_Cart_create). One that is there already counts once.
 * BERTH_BAD_INPUT if it doesn't have a place for each rank. */
BERTH_API int berth_pattern_add_grid(berth_pattern_t *p, const berth_grid_t *grid,
                                     berth_error_t *err);
/* berth_pattern_finish fails with BERTH_BAD_INPUT if there are two of a function, call site and
 * communicator, or if a function's parts are without its whole time, or above it. */
BERTH_API int berth_pattern_add_time(berth_pattern_t *p, const berth_time_t *t, berth_error_t *err);
/* Those that differ in count only are added up. A count of 0 adds nothing. */
BERTH_API int berth_pattern_add_packed(berth_pattern_t *p, const berth_packed_t *x,
                                       berth_error_t *err);
/* At most one order for each phase and source. If an order's messages differ from those that were
 * added, berth_pattern_finish fails with BERTH_BAD_INPUT; after berth_pattern_drop_orders it
 * removes that order instead. */
BERTH_API int berth_pattern_add_order(berth_pattern_t *p, const berth_order_t *order,
                                      berth_error_t *err);
BERTH_API void berth_pattern_drop_orders(berth_pattern_t *p);
/* Says that the messages of a collective operation, given by its index in berth_pattern_colls, are
 * in the phases whose `collective` is that number, above 0: berth_collectives_include does so. */
BERTH_API void berth_pattern_set_included(berth_pattern_t *p, size_t coll, int collective);
/* The same of one-sided operations, given by their index in berth_pattern_rmas:
 * berth_one_sided_include does so. */
BERTH_API void berth_pattern_set_rma_included(berth_pattern_t *p, size_t rma);
/* Says whether the included collective operations follow a parameter, given by its index in
 * berth_pattern_parameters: berth_collectives_include does so. */
BERTH_API void berth_pattern_set_followed(berth_pattern_t *p, size_t parameter, int follows);
/* Says by which rules operations are included. */
BERTH_API int berth_pattern_set_rules(berth_pattern_t *p, berth_operations_t of, const char *rules,
                                      berth_error_t *err);
BERTH_API int berth_pattern_finish(berth_pattern_t *p, berth_error_t *err);

/* Makes p a baseline, or replaces its baseline. You may call it before or after
 * berth_pattern_finish. */
BERTH_API int berth_pattern_set_baseline(berth_pattern_t *p, const berth_baseline_t *baseline,
                                         berth_error_t *err);
/* Removes what differs between two recordings of the same messages: the date, where and how long
 * ranks ran, and times of calls, with the call sites that only they have. */
BERTH_API void berth_pattern_drop_run(berth_pattern_t *p);

/* Reading a pattern's contents. Results are borrowed. They are valid until the pattern is freed or
 * something is added to it. */
BERTH_API int berth_pattern_ranks(const berth_pattern_t *p);
BERTH_API const char *berth_pattern_mpi(const berth_pattern_t *p);     /* "" when unknown */
BERTH_API const char *berth_pattern_created(const berth_pattern_t *p); /* "" when unknown */
/* The rules by which operations are included; "": they aren't. */
BERTH_API const char *berth_pattern_rules(const berth_pattern_t *p, berth_operations_t of);
/* "collectives", "one_sided": their names in files. */
BERTH_API const char *berth_operations_name(berth_operations_t of);
BERTH_API const char *const *berth_pattern_command(const berth_pattern_t *p, size_t *n);

/* All phases that have a line or a message, by identity; at least one. */
BERTH_API const berth_phase_t *berth_pattern_phases(const berth_pattern_t *p, size_t *n);
/* The messages of a phase, given by its index in berth_pattern_phases; sorted by src, dst, size and
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
/* Sorted by name. */
BERTH_API const berth_parameter_t *berth_pattern_parameters(const berth_pattern_t *p, size_t *n);
/* In the order in which they were added. */
BERTH_API const berth_grid_t *berth_pattern_grids(const berth_pattern_t *p, size_t *n);
/* Sorted by function, call site and communicator. */
BERTH_API const berth_time_t *berth_pattern_times(const berth_pattern_t *p, size_t *n);
/* Sorted by rank, call site, side, size, pieces and span. */
BERTH_API const berth_packed_t *berth_pattern_packed(const berth_pattern_t *p, size_t *n);
/* Sorted by phase and source. A rank without a recorded order has no entry. */
BERTH_API const berth_order_t *berth_pattern_orders(const berth_pattern_t *p, size_t *n);
/* NULL if the pattern is whole. Only patterns loaded with BERTH_PATTERN_TRUNCATED may not be. */
BERTH_API const berth_cut_t *berth_pattern_cut(const berth_pattern_t *p);
/* NULL if the pattern isn't a baseline. */
BERTH_API const berth_baseline_t *berth_pattern_baseline(const berth_pattern_t *p);
/* NULL if the file has no line for that rank. */
BERTH_API const berth_rank_info_t *berth_pattern_rank(const berth_pattern_t *p, int rank);

/* A pattern with one phase of p, given by its index in berth_pattern_phases, and with p's ranks,
 * sites and communicators, but without times of calls and layouts of messages, which are of the
 * whole run. It borrows from p, which must outlive it unchanged. NULL when memory is out. */
BERTH_API const berth_pattern_t *berth_pattern_of_phase(const berth_pattern_t *p, size_t phase,
                                                        berth_error_t *err);
BERTH_API void berth_pattern_of_phase_free(const berth_pattern_t *of_phase);

/* Shares of the run time, as sums of all ranks: spent in MPI (the paper, section 7.1); how much
 * larger that may be; waited for a core. -1 when one of these times is unknown. */
BERTH_API double berth_pattern_mpi_share(const berth_pattern_t *p);
BERTH_API double berth_pattern_unsure_share(const berth_pattern_t *p);
BERTH_API double berth_pattern_core_wait_share(const berth_pattern_t *p);

#ifdef __cplusplus
}
#endif

#endif
