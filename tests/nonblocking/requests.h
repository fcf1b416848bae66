/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of random_requests.c share. */
#ifndef TESTS_NONBLOCKING_REQUESTS_H
#define TESTS_NONBLOCKING_REQUESTS_H

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARTS = 7, PERSISTENT = 8, TRACKS = PARTS + PERSISTENT };
enum {
  WIDEST = 32,       /* bytes of an element's data */
  OUTSTANDING = 24,  /* requests at once */
  OPS = 64,          /* operations that a rank knows at once */
  STACK_ROOM = 1024, /* bytes of a piece of stack memory */
  STACK_PIECES = 64,
  MEDIUM = 300000,  /* bytes that a rank has in an ordinary call */
  LONGEST = 3000000 /* in a rare one */
};

uint64_t mix(uint64_t x);
/* The next number of a stream. Members of a communicator have equal streams, or each has its own.
 */
uint64_t draw(uint64_t *stream, uint64_t below);
extern uint64_t local; /* a stream that every rank has for itself */
extern uint64_t seed;
extern int lenient; /* what the MPI does wrong is left out; each place names it */
extern int world_rank;
extern long step;

/* A communicator. */
typedef struct part {
  MPI_Comm comm; /* MPI_COMM_NULL: this rank isn't in it */
  const char *name;
  int rank, size, *world; /* its ranks in MPI_COMM_WORLD */
} part_t;

/* --- elements (requests_data.c) --- */

/* How an element lies in memory: the bytes of its data are at these places. An MPI count of it is
 * `per` times as large. */
typedef struct layout {
  const char *name;
  MPI_Datatype type;
  size_t extent;
  int per, derived, fields;
  struct {
    int at, size;
  } field[4];
} layout_t;

enum { LAYOUTS_OF_KIND = 3 };
/* A kind of element. Ranks describe it by one or another layout. */
typedef struct kind {
  const char *name;
  int size, layouts, base,
      user; /* base: what folds take it for; user: has no predefined operation */
  layout_t layout[LAYOUTS_OF_KIND];
} kind_t;
extern kind_t kinds[];
extern const int kind_count;

/* An operation that reduces. */
typedef struct rule {
  const char *name;
  MPI_Op op;
  int rule, commutes;
  MPI_User_function *user; /* of the program, or NULL */
} rule_t;
/* An operation for the kind, or NULL: the kind isn't reduced. */
const rule_t *draw_rule(const kind_t *kind, uint64_t *stream);

void begin_data(void);
void end_data(void);
/* A packed element: data that is moved, or an operand. `key` is of its rank and call. */
void moved_element(uint64_t key, size_t i, void *to);
void operand(const kind_t *kind, int rule, uint64_t key, size_t i, void *to);
/* left = left op right, of packed elements */
void fold(const kind_t *kind, int rule, void *left, const void *right);
void put_element(const layout_t *layout, char *at, const void *packed);
void print_element(const kind_t *kind, const layout_t *layout, const char *at);

/* --- operations (requests_op.c) --- */

enum {
  FN_BARRIER,
  FN_BCAST,
  FN_REDUCE,
  FN_ALLREDUCE,
  FN_REDUCE_SCATTER,
  FN_REDUCE_SCATTER_BLOCK,
  FN_SCAN,
  FN_EXSCAN,
  FN_GATHER,
  FN_GATHERV,
  FN_SCATTER,
  FN_SCATTERV,
  FN_ALLGATHER,
  FN_ALLGATHERV,
  FN_ALLTOALL,
  FN_ALLTOALLV,
  FN_COLLECTIVES,
  FN_SEND = FN_COLLECTIVES,
  FN_RECV,
  FNS
};
enum { FORM_BLOCKING, FORM_REQUEST, FORM_PERSISTENT, FORMS };

/* A block of a buffer: what it has before and after the call. -1: nothing, or its bytes of before.
 */
typedef struct block {
  int count, place; /* elements */
  int from, to, later_from, later_to;
} block_t;

/* A buffer. base is NULL if the rank has none. */
typedef struct side {
  const layout_t *layout;
  int blocks, piece; /* of stack memory, or -1 */
  block_t *block;
  int *counts, *displs; /* as the function takes them */
#if MPI_VERSION >= 4
  MPI_Count *large_counts;
  MPI_Aint *large_displs;
#endif
  MPI_Datatype type;
  size_t bytes; /* of the memory, with guards */
  char *memory, *base;
} side_t;

typedef struct op {
  int used, fn, form, round, active;
  long id, serial; /* serial: of its last start */
  int track;       /* of its starts: persistent operations may begin in any order */
  part_t *part;
  const kind_t *kind;
  const rule_t *rule;
  int root, in_place, large, fleeting; /* fleeting: type and operation are freed before the end */
  int shift, peer;                     /* of messages */
  MPI_Op op;
  int *counts; /* of each rank's result (Reduce_scatter) or block */
#if MPI_VERSION >= 4
  MPI_Count *large_counts;
#endif
  side_t in, out;
  int fold_ranks; /* the result is of so many first ranks; 0: no reduction, or no result */
  size_t fold_first, fold_count;
  MPI_Request request;
} op_t;

extern const char *const fn_names[FNS], *const form_names[FORMS];

/* Draws an operation and makes its buffers, or gives them back. All members draw the same. */
void make_op(op_t *op, part_t *part, long id, int fn, int form, uint64_t stream);
void free_op(op_t *op);
/* Memory of the main program, STACK_PIECES times STACK_ROOM bytes. */
void use_stack(char *room);
/* Gives buffers the data of a round. Looks at all of their bytes after it. */
void fill_buffers(op_t *op);
void check_buffers(const op_t *op);
/* Before each start of a barrier, and after it: all members have begun it. */
void begin_barriers(void);
void note_barrier(const op_t *op);
void check_barrier(const op_t *op);
/* Says what is wrong with the operation (NULL: with none that is known), and ends the job. */
void fail(const op_t *op, const char *what, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* --- calls (requests_call.c) --- */

/* Calls the function: the operation is then done (blocking), active or inactive (persistent). */
void call_op(op_t *op);

/* --- completion (requests_complete.c) --- */

extern op_t ops[OPS];
enum { WAYS = 10 };
extern const char *const way_names[WAYS];
int active_ops(void);
/* A handler of SIGALRM: says what the rank waits for, and ends the job. */
void say_active(int signal);
/* Completes some of the active operations in a random way, or at most polls. */
void complete_some(void);
/* Completes all that `chosen` says. */
void complete_all(int (*chosen)(const op_t *op, const void *of), const void *of);

#endif
