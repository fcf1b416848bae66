/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_INTERNAL_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_INTERNAL_H

#include <stdbool.h>

#include "spool/assemble/assembly.h"
#include "spool/assemble/intern.h"
#include "spool/spool_read.h"
#include "team/team_facts.h"

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
  called_t *most; /* with automatic phases, until calls_cap: of each kind the calls of all phases of
                     the rank that made most */
  size_t n_most, cap_most;
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

/* Sends in a row, and their place among all of the rank. */
typedef struct issued {
  uint32_t phase;
  size_t place;
  berth_send_t send;
} issued_t;

/* The assembly's numbers by the identities of an image, 0 where there is none. */
typedef struct numbers {
  uint32_t *of;
  size_t n, cap;
} numbers_t;
static inline uint32_t numbers_get(const numbers_t *x, uint32_t id)
{
  return id < x->n ? x->of[id] : 0;
}
bool load_numbers_set(numbers_t *x, uint32_t id, uint32_t number); /* false when memory is out */

/* Segments of a class, and the sum that tells which. */
typedef struct class_times {
  uint64_t times, sum;
} class_times_t;

/* A record of calls that rows belong to, by its identity and its class (as a phase; 0: none), and
 * what is of such a row. */
typedef struct row_line {
  uint32_t id, phase;
  called_t call;
} row_line_t;
typedef struct row_item {
  uint32_t id, phase, dst; /* dst as in called_t */
  uint64_t bytes;
} row_item_t;

/* What one rank's image becomes before it is taken over into the assembly. */
typedef struct rank_load {
  assembly_t *a;
  const spool_image_t *image;
  const spool_header_t *header;
  char **module; /* texts "path" and " (build id)" by identity; odd places hold the latter */
  size_t n_modules, cap_modules;
  numbers_t site, comm, window, line; /* + 1 */
  sent_t *sent;
  size_t n_sent, cap_sent;
  called_t *called;
  size_t n_called, cap_called;
  row_line_t *row_line;
  size_t n_row_lines, cap_row_lines;
  row_item_t *row_item;
  size_t n_row_items, cap_row_items;
  spool_phase_t *phase;
  size_t n_phases, cap_phases;
  issued_t *issued;
  size_t n_issued, cap_issued;
  sent_t *operation;
  size_t n_operations, cap_operations;
  epochs_t *epochs;
  size_t n_epochs, cap_epochs;
  unmodelled_t *unmodelled;
  size_t n_unmodelled, cap_unmodelled;
  spool_segments_t *run;
  size_t n_runs, cap_runs;
  uint64_t n_segments;
  class_times_t class_times[SPOOL_MOST_CLASSES + 1];
  spool_auto_state_t auto_state;
  uint32_t counting; /* as in spool_auto_t */
  bool automatic;
  uint64_t mpi_ticks, most_ticks; /* of the thread that has most; with what isn't known, too */
  uint64_t last_tick, impossible, coarse, coarse_bytes;
} rank_load_t;

/* The assembly's number of an identity in this image; false when it has none. */
bool load_numbers_translate(const numbers_t *numbers, uint32_t id, uint32_t *number);
/* Counts a record that no call can have made, such as one with a root outside of its communicator:
 * what a wrong call left that ended its job. The others are good. */
int load_rank_leave_out(rank_load_t *load);

/* Reads all of an image into *load; names are interned in the assembly, the rest stays in *load. */
int load_rank(rank_load_t *load, berth_error_t *err);
void load_rank_clear(rank_load_t *load);

/* Adds up equal entries and applies the rule for sizes; entries are one source's. Returns the new
 * number of entries. */
size_t merge_sent(sent_t *sent, size_t n);
/* The same for calls: of a rank's threads counts add up, over ranks the largest is taken. */
size_t merge_called(called_t *called, size_t n, bool over_ranks);
/* The order of kinds of calls: of one kind are entries that differ in source and destination only,
 * and, unless `phases`, in the phase. */
int merge_called_kind_order(const called_t *a, const called_t *b, bool phases);

/* Collective calls of one rank: takes in what its image has of them, and with all of them what is
 * of rows; `phase` may be of a class. */
int calls_load(rank_load_t *load, const spool_coll_t *c, uint32_t phase, berth_error_t *err);
int calls_load_row(rank_load_t *load, const spool_message_t *m, uint32_t phase, berth_error_t *err);
int calls_join_rows(rank_load_t *load, berth_error_t *err);
/* Of all: puts rows aside and merges calls over ranks, after segments_settle and before
 * phases_settle. */
int calls_merge(assembly_t *a, berth_error_t *err);
/* Of a team, when the first member has all calls and `most`, both sorted. */
int calls_cap(assembly_t *a, berth_error_t *err);
void merge_called_add(called_t *into, const called_t *more, bool over_ranks);
/* Calls that rows belong to are now in another phase or have another site. */
int calls_note_change(assembly_t *a, const changed_t *change, berth_error_t *err);

/* merge_called of one rank's calls; marks rows that lack something. */
size_t rows_merge(called_t *called, size_t n);
/* Of all: takes them out of the calls, where what each rank gave stays, too. */
int rows_put_aside(assembly_t *a, berth_error_t *err);
/* Does to them what was done to their calls, in n changes that are all `folded` or all not. */
void rows_change(assembly_t *a, changed_t *change, size_t n);

/* Bytes of ranks that follow one another; false when memory is out. */
typedef struct shares {
  berth_share_t *items;
  size_t n, cap;
} shares_t;
bool calls_add_shares(shares_t *x, uint64_t bytes, uint64_t ranks);

/* Phases, when all ranks have been added and their calls merged: settles how often each occurred,
 * says how often one did, adds their lines, and writes what there is to say ("" for nothing). */
int phases_settle(assembly_t *a, int rc, berth_error_t *err);
uint64_t phases_repeats(const assembly_t *a, uint32_t id);
int phases_add(const assembly_t *a, berth_pattern_t *to, berth_error_t *err);
void phases_note(const assembly_t *a, char *text, size_t size);

/* Orders of sends: takes those of a rank over, adds them to the pattern, which drops those that are
 * unlike its messages, and writes how many are missing, and why, when it is finished. */
int orders_take(rank_load_t *load, berth_error_t *err);
int orders_add(const assembly_t *a, berth_pattern_t *to, berth_error_t *err);
void orders_note(const assembly_t *a, char *text, size_t size);

/* Automatic phases. Of one rank: takes what classes of segments have away from phase 0. */
void class_take_away(rank_load_t *load);
/* The number of its segments' classes in `sequences`; -1 when memory is out. */
long refine_segments_intern(assembly_t *a, const rank_load_t *load);
/* Of all: makes phases of the classes, before phases are settled. */
int segments_settle(assembly_t *a, int rc, berth_error_t *err);

/* One-sided operations: takes in what a rank's image has of windows and lines, whose numbers of
 * communicators and sites are the assembly's, and, with room for it, its operations; marks the
 * sites that they have; and adds them to the pattern, in which sites have these numbers. */
int rmas_load_window(rank_load_t *load, const spool_window_t *w, uint32_t comm, berth_error_t *err);
int rmas_load_line(rank_load_t *load, const spool_rma_t *r, uint32_t site, berth_error_t *err);
uint32_t rmas_phase(const assembly_t *a, uint32_t line); /* of a line, from 1 */
bool rmas_reserve(const rank_load_t *load);              /* false when memory is out */
void rmas_take(rank_load_t *load);
void rmas_mark_sites(const assembly_t *a, uint32_t *sites);
/* `windows` are numbers of windows in the trace, by the assembly's. */
int rmas_add(assembly_t *a, berth_pattern_t *to, const uint32_t *sites, const uint32_t *windows,
             berth_error_t *err);
void rmas_clear(assembly_t *a);
/* Calls visit with all counts and bytes of which a phase's occurrences must have as many. */
typedef void counts_visit_t(void *context, uint32_t phase, uint64_t count, uint64_t bytes);
void rmas_visit_counts(const assembly_t *a, counts_visit_t *visit, void *context);

/* The same steps for calls that are known by name alone; and what there is to say of those in the
 * finished pattern. */
int unmodelled_load(rank_load_t *load, const spool_unmodelled_t *u, berth_error_t *err);
bool unmodelled_reserve(const rank_load_t *load);
void unmodelled_take(const rank_load_t *load);
int unmodelled_add(const assembly_t *a, berth_pattern_t *to, berth_error_t *err);
void unmodelled_note(const berth_pattern_t *made, char *text, size_t size);

/* The order of two communicators, by the assembly's numbers from 0: by their ranks. */
int assemble_comms_order(const assembly_t *a, size_t x, size_t y);
/* How many ranks a communicator has, by its number + 1, 0 for MPI_COMM_WORLD. */
uint32_t load_comms_length(const assembly_t *a, uint32_t comm);
/* The number of a communicator, from 0, of that hash and number of ranks; -1: out of memory. */
long load_comms_intern(assembly_t *a, const uint64_t key[3]);
/* The same of a window, by its communicator's number + 1, 0 for MPI_COMM_WORLD. */
long rma_windows_intern(assembly_t *a, uint32_t comm, uint32_t number);
/* Numbers of all windows in the trace, by the assembly's; NULL when memory is out. */
uint32_t *rma_windows_number(const assembly_t *a);
/* What tells a window apart: its communicator's number + 1 and its own. */
void rma_windows_key(const assembly_t *a, size_t window, uint32_t *comm, uint32_t *number);

/* What a team's members tell each other, in this order (assemble_team.c); all of them make all of
 * these calls. Nothing is done without a team. */
int team_phases(assembly_t *a, int rc, berth_error_t *err); /* phases and what is held against them,
                                                               before and after team_gather */
int team_gather(assembly_t *a, int rc, berth_error_t *err); /* what belongs to no rank, to the first
                                                               one; others have it no more */
int team_totals(assembly_t *a, int rc, berth_error_t *err); /* the sums over ranks */

/* What a member's messages, calls and rows refer to has its number in the trace. *site has a mark
 * for each of the sites that are used, and gets numbers from 1 instead; texts are those of all
 * members' sites in that order. *window gets numbers of windows. `comm` has the numbers of
 * communicators at the first member, by the assembly's, and gets those that rows have at all. All
 * are the caller's to free. Rows learn of their calls' changes. */
typedef struct names {
  uint32_t *site, *window;
  uint32_t *sorted; /* the assembly's numbers of sites from 0, in their order */
  size_t n_sites;
  numbers_t comm; /* 0: it isn't in the trace */
} names_t;
int team_names(assembly_t *a, names_t *names, int rc, berth_error_t *err);

/* Adds calls and rows to the pattern, in which sites and communicators have these numbers. */
int calls_add(assembly_t *a, berth_pattern_t *to, const names_t *names, berth_error_t *err);
int rows_add(assembly_t *a, berth_pattern_t *to, const names_t *names, berth_error_t *err);

#endif
