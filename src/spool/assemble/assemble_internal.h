/* SPDX-License-Identifier: BSD-3-Clause */
/* A pattern in the making: what the files of this folder share. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_INTERNAL_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_INTERNAL_H

#include <berth/team.h>
#include <stdbool.h>

#include "spool/assemble/assembly.h"
#include "spool/assemble/intern.h"
#include "spool/spool_read.h"

/* Sites and communicators are numbers of `sites` and `comms` until assembly_finish sorts them. */
typedef struct sent {
  uint32_t src, dst, phase, site; /* site 0 is none, n is number n - 1 */
  bool bin, rest; /* of many sizes; with what other sizes, phases and sites found no room */
  uint64_t size, count, bytes;
} sent_t;

/* What belongs to class c of a rank's segments has phase CLASS_0 + c until phases are settled. */
enum { CLASS_0 = SPOOL_MAX_PHASES };

/* Calls of a kind; beside them, where ranks have parts that may differ, what each rank gave, and,
 * where it gave each another part, what it sent to each: entries of the same kind with a source and
 * a destination. So all that is done to calls is done to their parts. Ranks that follow one another
 * and gave as much may share an entry; and of a rank there may be several, which add up. */
typedef struct called {
  uint32_t comm, site, phase; /* as above; comm 0 is MPI_COMM_WORLD */
  int32_t root;
  uint32_t op;       /* number in `ops` */
  uint32_t src, dst; /* 0 for none; 1 + the world rank, 1 + the place in the communicator's list */
  uint32_t ranks;    /* that gave as much, from `src` on; 0 of the calls themselves */
  bool varies, parts, rows; /* bytes differ from call to call; such entries belong to it */
  uint64_t bytes;           /* of one call at one rank; 0 while it varies */
  uint64_t given;           /* of all calls; of the calls themselves over all ranks */
  uint64_t count;           /* the largest of any rank */
  uint64_t sum;             /* over ranks */
  bool lacking;             /* the rank's row wasn't all of what it gave before it was divided */
} called_t;

/* What became of calls that rows belong to when all ranks' calls were put together: those of phase
 * 0 are of another one, or those of a site are of one that it has in common with others. */
typedef struct changed {
  called_t from;
  bool folded;          /* their site is another */
  uint32_t phase, site; /* what it is then */
} changed_t;

typedef struct comm_entry {
  uint32_t n;
  uint32_t *ranks; /* NULL while nobody listed them */
} comm_entry_t;

/* A phase of one rank; after phases_settle of all. */
typedef struct phase_entry {
  uint32_t id;
  bool used, uneven; /* has messages or calls; its occurrences don't agree */
  uint64_t repeats;
} phase_entry_t;

/* The order of a rank's sends in a phase: n of `send`, from `first` on, so many rounds. */
typedef struct sequence {
  uint32_t src, phase;
  uint64_t rounds;
  size_t first, n;
} sequence_t;

/* Calls that are known by name and number alone. */
typedef struct unmodelled {
  uint32_t op; /* number in `ops` */
  uint64_t calls;
} unmodelled_t;

/* Epochs of one-sided operations of a line. */
typedef struct epochs {
  uint32_t line;
  uint64_t epochs;
} epochs_t;

/* What a rank added to the assembly. */
typedef struct share {
  bool automatic; /* automatic phases were asked for, */
  spool_auto_state_t state;
  uint32_t sequence; /* and its segments' number in `sequences` */
  size_t first_sent, n_sent, first_called, n_called;
} share_t;

/* Sums over ranks: whole numbers all of them, added up one by one. */
typedef struct totals {
  uint64_t found, finished, aborted; /* ranks */
  uint64_t messages, bytes;          /* of all occurrences of phases */
  uint64_t calls, unknown_calls;     /* of collectives */
  uint64_t rows_lost;                /* that lack something and were left out */
  uint64_t rows_undivided;           /* the same, that aren't a multiple of a class's segments */
  uint64_t impossible;               /* records that were left out */
  uint64_t coarse, coarse_bytes;     /* messages that are known by their ranks alone */
  uint64_t orders, orders_kept;      /* of sends, and those that are like their messages */
  uint64_t unordered[SPOOL_ORDER_THREADS + 1]; /* orders that aren't there, by reason; under
                                                  SPOOL_ORDER_NONE those with too high numbers */
  uint64_t records, items;                     /* of the pattern's file */
  spool_missed_t missed;
} totals_t;

struct assembly {
  const berth_team_t *team; /* who has the other tables; NULL: nobody */
  uint64_t job;
  uint32_t ranks;
  spool_header_t first; /* of the lowest rank that was added */
  struct rank_entry {
    uint32_t rank;
    spool_state_t state;
    int pu;
    double wall_s, mpi_s, unsure_s;
    uint32_t host; /* number in `hosts` */
  } * rank;
  size_t n_ranks, cap_ranks;
  unsigned char *known; /* one for each rank */
  intern_t sites;       /* op, then the frames' texts, each ended by a NUL */
  intern_t comms;       /* hash and number of ranks */
  intern_t ops, hosts;
  comm_entry_t *comm; /* one for each of `comms` */
  size_t cap_comm;
  sent_t *sent;
  size_t n_sent, cap_sent;
  called_t *called;
  size_t n_called, cap_called;
  called_t *row; /* what ranks sent to each, behind what each rank gave; stays with its rank */
  size_t n_rows, cap_rows;
  changed_t *changed; /* what rows don't know yet; at the first one of a team */
  size_t n_changed, cap_changed;
  called_t *max_called; /* with automatic phases, until calls_cap: of each kind the calls of all
                     phases of the rank that made most */
  size_t n_max_called, cap_max_called;
  phase_entry_t *phase;
  size_t n_phases, cap_phases;
  sequence_t *sequence;
  size_t n_sequences, cap_sequences;
  berth_send_t *send;
  size_t n_sends, cap_sends;
  share_t *share; /* one for each of `rank` */
  size_t cap_share;
  intern_t sequences;      /* classes of segments; ranks with the same ones share one */
  uint32_t n_auto;         /* automatic phases, from 1 on */
  char auto_note[160];     /* what there is to say of them */
  intern_t windows, lines; /* of one-sided operations, by what tells them apart */
  uint64_t *epochs;        /* one for each of `lines` */
  size_t n_epochs, cap_epochs;
  sent_t *operation; /* `site` is number + 1 in `lines` */
  size_t n_operations, cap_operations;
  unmodelled_t *unmodelled;
  size_t n_unmodelled, cap_unmodelled;
  totals_t total;
};

void assembly_clear(assembly_t *a); /* frees what it has, not itself */

/* The first of a team has what belongs to no rank. */
static inline bool assembly_is_first(const assembly_t *a) { return !a->team || !a->team->rank; }

/* What assembly_finish does, by all of a team: *out is a pattern of what this member has, and of
 * what belongs to no rank at the first one. `rc` is what became of the member so far; totals are
 * still its own. */
int assembly_make(assembly_t *a, berth_pattern_t **out, int rc, berth_error_t *err);
/* When totals are those of all: what the first one has to say. */
void assembly_fill_stats(const assembly_t *a, const berth_pattern_t *made, assembly_stats_t *stats);

/* The order of two communicators, by their ranks; x and y are the assembly's numbers, from 0. */
int assemble_comms_order(const assembly_t *a, size_t x, size_t y);

/* The assembly's numbers by the identities of an image, 0 where there is none. */
typedef struct numbers {
  uint32_t *of;
  size_t n, cap;
} numbers_t;
static inline uint32_t numbers_get(const numbers_t *x, uint32_t id)
{
  return id < x->n ? x->of[id] : 0;
}

#endif
