/* SPDX-License-Identifier: BSD-3-Clause */
/* The assembly: a pattern in the making, shared by the files of this folder. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_INTERNAL_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_INTERNAL_H

#include <berth/team.h>
#include <stdbool.h>

#include "base/order.h"
#include "spool/assemble/assembly.h"
#include "spool/assemble/intern.h"
#include "spool/spool_phase.h"
#include "spool/spool_read.h"
#include "spool/spool_record.h"

/* Messages of one kind. Sites and communicators are indices of `sites` and `comms` until
 * assembly_finish sorts them. */
typedef struct sent {
  uint32_t src, dst, phase, site; /* site 0 is none, n is number n - 1 */
  bool bin, rest; /* bin: many sizes together; rest: no room of their own, so size, phase and site
                     are unknown */
  uint64_t size, count, bytes;
} sent_t;

/* Class c of a rank's segments has phase CLASS_0 + c until the phases are settled. */
enum { CLASS_0 = SPOOL_MAX_PHASES };

/* Collective calls of one kind, or a part of them. Ranks' parts have the same kind and a source:
 * what the rank gave. Rows have a destination, too: what the rank sent to it. So everything that
 * changes calls also changes their parts. Consecutive ranks that gave the same may share an
 * entry. A rank may have several entries, which add up. */
typedef struct called {
  uint32_t comm, site, phase; /* numbered as in sent_t; comm 0 is MPI_COMM_WORLD */
  int32_t root;
  uint32_t op;       /* index in `ops` */
  uint32_t src, dst; /* 0: none; else 1 + world rank, and 1 + index in the communicator's list */
  uint32_t ranks;    /* number of ranks from `src` on that gave the same; 0: the calls themselves */
  bool varies, parts, rows; /* bytes differ between calls; the calls have parts, and rows */
  uint64_t bytes;           /* of one call at one rank; 0 if they vary */
  uint64_t given;           /* in all calls; for the calls themselves, summed over the ranks */
  uint64_t count;           /* maximum over the ranks */
  uint64_t sum;             /* over the ranks */
  bool lacking;             /* the rank's row was incomplete before it was divided */
  bool in_place, user, uncommutative; /* as the flags of spool_coll_t */
  uint64_t element;                   /* as in spool_coll_t */
} called_t;

/* A change to the calls of rows, made when all ranks' calls were merged: another phase, or a
 * site shared with other calls. */
typedef struct changed {
  called_t from;
  bool folded;          /* the site changed, else the phase */
  uint32_t phase, site; /* the new one */
} changed_t;

typedef struct comm_entry {
  uint32_t n;
  uint32_t *ranks; /* NULL: not known yet */
} comm_entry_t;

/* A phase of one rank; after phases_settle, of all. */
typedef struct phase_entry {
  uint32_t id;
  bool used, uneven; /* has messages or calls; its occurrences differ */
  uint64_t repeats;
} phase_entry_t;

/* The steps of a rank in a phase that it began so often: n entries of `step` from `first` on,
 * repeated `rounds` times. Their communicators are numbered as in called_t. */
typedef struct sequence {
  uint32_t src, phase;
  uint64_t begun, rounds;
  size_t first, n;
} sequence_t;

/* Calls that are known by name and count alone. */
typedef struct unmodelled {
  uint32_t op; /* index in `ops` */
  uint64_t calls;
} unmodelled_t;

/* Time in calls of a function: in all of them, or the part at a site or on a communicator. Numbered
 * as in called_t. */
typedef struct spent {
  uint32_t comm, site, op;
  bool in_comm;              /* false: all communicators, or the calls are of none */
  uint64_t total_ns, max_ns; /* of all ranks, and the most of one */
  uint32_t max_rank;         /* the lowest one with max_ns */
} spent_t;

/* The epochs of a line of one-sided operations. */
typedef struct epochs {
  uint32_t line;
  uint64_t epochs;
} epochs_t;

/* Messages whose data aren't contiguous, of one layout. Sites are numbered as in sent_t. */
typedef struct packed {
  uint32_t src, site, receives; /* receives: 1: the rank receives them */
  uint64_t size, pieces, span, count;
} packed_t;

/* What one rank added to the assembly. */
typedef struct share {
  bool automatic; /* automatic phases were requested */
  spool_auto_state_t state;
  uint32_t sequence; /* its sequence of segment classes, an index of `sequences` */
  size_t first_sent, n_sent, first_called, n_called;
} share_t;

struct assembly {
  const berth_team_t *team; /* the owners of the other tables; NULL: no team */
  uint64_t job;
  uint32_t ranks;
  spool_header_t first; /* of the lowest rank so far */
  struct rank_entry {
    uint32_t rank;
    spool_state_t state;
    int pu;
    double wall_s, mpi_s, unsure_s, core_wait_s;
    uint32_t host; /* index in `hosts` */
  } * rank;
  size_t n_ranks, cap_ranks;
  unsigned char *known; /* one per rank */
  intern_t sites;       /* the operation and the frames' texts, each with a NUL */
  intern_t comms;       /* hash and number of ranks */
  intern_t ops, hosts;
  intern_t parameters; /* name, value and, if there is one, text, each with a NUL */
  intern_t grids;      /* of type spool_grid_t */
  comm_entry_t *comm;  /* one per item of `comms` */
  size_t cap_comm;
  sent_t *sent;
  size_t n_sent, cap_sent;
  called_t *called;
  size_t n_called, cap_called;
  called_t *row; /* each rank's part, followed by its row; they stay with the rank */
  size_t n_rows, cap_rows;
  changed_t *changed; /* changes that rows don't have yet; in a team, at the first member */
  size_t n_changed, cap_changed;
  called_t *max_called; /* with automatic phases, until calls_cap: for each kind, the maximum over
                           the ranks of the calls in all phases */
  size_t n_max_called, cap_max_called;
  phase_entry_t *phase;
  size_t n_phases, cap_phases;
  sequence_t *sequence;
  size_t n_sequences, cap_sequences;
  berth_step_t *step;
  size_t n_steps, cap_steps;
  bool ordered;   /* orders were requested */
  share_t *share; /* one per item of `rank` */
  size_t cap_share;
  intern_t sequences;      /* sequences of segment classes; equal ones are shared */
  uint32_t n_auto;         /* number of automatic phases, which are numbered from 1 */
  char auto_note[160];     /* message about automatic phases */
  intern_t windows, lines; /* of one-sided operations, by their keys */
  uint64_t *epochs;        /* one per item of `lines` */
  size_t n_epochs, cap_epochs;
  sent_t *operation; /* `site` is an index of `lines`, + 1 */
  size_t n_operations, cap_operations;
  unmodelled_t *unmodelled;
  size_t n_unmodelled, cap_unmodelled;
  spent_t *spent;
  size_t n_spent, cap_spent;
  packed_t *packed;
  size_t n_packed, cap_packed;
  totals_t total;
};

void assembly_clear(assembly_t *a); /* frees the contents */

/* The first member has everything that belongs to no rank. */
static inline bool assembly_is_first(const assembly_t *a) { return !a->team || !a->team->rank; }

/* assembly_finish for a team, called by all members. *out has what this member has; at the first
 * one, also what belongs to no rank. `rc` is the member's state so far. The totals are still
 * each member's own. */
int assembly_make(assembly_t *a, berth_pattern_t **out, int rc, berth_error_t *err);
/* Adds whole numbers one by one. `more` may be unaligned. */
void assembly_add_up(void *sums, const void *more, size_t bytes);
/* Fills the statistics from the totals of all ranks. Only the first member calls it. */
void assembly_fill_stats(const assembly_t *a, const berth_pattern_t *made, assembly_stats_t *stats);

/* Compares two communicators by their ranks, for sorting. x and y are indices of `comms`. */
int assemble_comms_order(const assembly_t *a, size_t x, size_t y);

/* Merges equal messages of one source and applies the rule for sizes. Returns the new number of
 * entries. */
size_t merge_sent(sent_t *sent, size_t n);
/* Merges equal calls. Counts of a rank's threads add up; over ranks, the maximum counts. */
size_t merge_called(called_t *called, size_t n, bool over_ranks);
void merge_called_add(called_t *into, const called_t *more, bool over_ranks);
/* Compares kinds of calls, for sorting. Entries of one kind differ only in source, destination
 * and, if `phases` is false, phase. */
int merge_called_kind_order(const called_t *a, const called_t *b, bool phases);
/* The end of the kind that begins at i, in sorted calls. */
size_t merge_called_kind_end(const called_t *called, size_t n, size_t i);

/* The assembly's numbers by an image's identities; 0: none. */
typedef struct numbers {
  uint32_t *of;
  size_t n, cap;
} numbers_t;
static inline uint32_t numbers_get(const numbers_t *x, uint32_t id)
{
  return id < x->n ? x->of[id] : 0;
}

#endif
