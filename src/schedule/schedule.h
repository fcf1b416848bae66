/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations as data: which messages an algorithm sends for a call, and what it does
 * with them. A schedule is a number of rounds. In a round each rank has a list of steps: local
 * ones, messages that are under way together, local ones again. A rank begins a round when its
 * messages of the one before are complete; it waits for nobody else.
 *
 * Ranks are those of the communicator. Places and amounts are elements of the call's type. */
#ifndef BERTH_SCHEDULE_H
#define BERTH_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum schedule_op {
  SCHEDULE_BARRIER,
  SCHEDULE_BCAST,
  SCHEDULE_REDUCE,
  SCHEDULE_ALLREDUCE,
  SCHEDULE_GATHER,
  SCHEDULE_SCATTER,
  SCHEDULE_ALLGATHER,
  SCHEDULE_ALLTOALL,
  SCHEDULE_REDUCE_SCATTER_BLOCK,
  SCHEDULE_SCAN,
  SCHEDULE_EXSCAN,
  SCHEDULE_ALLTOALLV,
  SCHEDULE_ALLGATHERV,
  SCHEDULE_GATHERV,
  SCHEDULE_SCATTERV,
  SCHEDULE_REDUCE_SCATTER,
  SCHEDULE_ALLTOALLW,
  SCHEDULE_OPS /* their number */
} schedule_op_t;

/* The ways of calling an operation. */
typedef enum schedule_way {
  SCHEDULE_BLOCKING,
  SCHEDULE_NONBLOCKING,
  SCHEDULE_PERSISTENT
} schedule_way_t;

/* What blocks a call of an operation has. */
typedef enum schedule_block_kind {
  SCHEDULE_ONE_BLOCK,    /* one, or none */
  SCHEDULE_EQUAL_BLOCKS, /* one for each rank or pair, all of the same size */
  SCHEDULE_RANK_BLOCKS,  /* one for each rank */
  SCHEDULE_PAIR_BLOCKS   /* one for each pair of ranks */
} schedule_block_kind_t;

schedule_block_kind_t schedule_block_kind(schedule_op_t op);

/* Blocks of different sizes, in elements. */
typedef struct schedule_blocks {
  int64_t total, least, most; /* of all blocks together, of the smallest and of the largest */
  /* Where the block of each rank begins if they lie one behind the other, and the end of the last
   * one: size + 1 places. Blocks of pairs have a row of these for each rank's input, and then one
   * for each rank's output. */
  int64_t begin[];
} schedule_blocks_t;

/* Blocks of an operation that has one for each rank or pair: `counts` has their elements, those of
 * pairs by source, then by destination. Free them. NULL: memory is out. */
schedule_blocks_t *schedule_blocks_new(schedule_op_t op, int size, const int64_t *counts);
/* The bytes of such blocks, for who copies them. */
size_t schedule_blocks_bytes(schedule_op_t op, int size);

typedef struct schedule_call {
  schedule_op_t op;
  int size;      /* ranks of the communicator, at least 1 */
  int root;      /* 0 for operations without one */
  int64_t count; /* elements of a block: what one rank gives to, or gets from, one rank or all */
  /* Borrowed. NULL: all blocks have `count` elements. Otherwise `count` has no meaning. */
  const schedule_blocks_t *blocks;
  int64_t segment;  /* elements of a segment, 0: blocks aren't divided */
  int64_t parts;    /* how many segments the bytes of a block fill, which may be more than it has
                       elements. 0: unknown */
  int degree;       /* of trees whose degree is chosen: children, chains or radix */
  bool commutative; /* the reduction's operation */
} schedule_call_t;

/* A rank's memory: what the user gives, where the result goes (for SCHEDULE_BCAST the root's input,
 * too), and scratch space. */
typedef enum schedule_buffer { SCHEDULE_IN, SCHEDULE_OUT, SCHEDULE_SCRATCH } schedule_buffer_t;

typedef struct schedule_place {
  schedule_buffer_t buffer;
  int64_t first;
} schedule_place_t;

typedef enum schedule_kind {
  STEP_SEND,       /* n elements at `from` to `peer` */
  STEP_RECV,       /* n elements of `peer` to `to` */
  STEP_COPY,       /* n elements at `from` to `to` */
  STEP_REDUCE,     /* to = to op from */
  STEP_REDUCE_LEFT /* to = from op to */
} schedule_kind_t;

typedef struct schedule_step {
  schedule_kind_t kind;
  int peer; /* of SEND and RECV */
  schedule_place_t to, from;
  int64_t n;
} schedule_step_t;

/* A growing list; all zero is an empty one. */
typedef struct schedule_steps {
  schedule_step_t *step;
  size_t n, cap;
  bool lost;          /* memory ran out, so steps are missing */
  bool messages_only; /* local steps may be missing: algorithms with many of them leave them out */
} schedule_steps_t;

void schedule_steps_clear(schedule_steps_t *s);

/* What a call must be for an algorithm to serve it. */
enum {
  SCHEDULE_COMMUTATIVE = 1,     /* its operation is */
  SCHEDULE_POWER_OF_TWO = 2,    /* its size is */
  SCHEDULE_EVEN = 4,            /* its size is */
  SCHEDULE_TWO_RANKS = 8,       /* its size is 2 */
  SCHEDULE_DEGREE = 16,         /* it has a degree */
  SCHEDULE_ELEMENT_A_RANK = 32, /* it has an element for each rank or more */
  SCHEDULE_ELEMENT_A_PART = 64, /* for as many as the largest power of two, or more */
  SCHEDULE_TWO_ELEMENTS = 128,  /* it has two elements, and a segment no more than half of them */
  SCHEDULE_SEGMENTS = 256,      /* not needed: a segment divides its messages */
  SCHEDULE_REDUNDANT = 512,     /* not needed: it reduces and sends what nobody uses */
  SCHEDULE_RADIX = 1024,        /* its degree is at least 2 */
  SCHEDULE_LIKE_BLOCKS = 2048,  /* its blocks have the same size */
  SCHEDULE_SKIPS_EMPTY = 4096,  /* not needed: messages without elements aren't sent */
  SCHEDULE_EACH_PAIR = 8192, /* not needed: all it sends is one block of each rank to each other */
  SCHEDULE_ALTERNATES = 16384, /* not needed: from its second round on, every other round has the
                                  same messages if blocks are equal */
  SCHEDULE_UNWRITTEN = 32768,  /* not needed: it sends elements before it has them, and nobody uses
                                  these */
  SCHEDULE_FULL_BLOCKS = 65536 /* none of its blocks is empty */
};

/* Each function has a file of algorithms/, where its source is named. */
typedef struct schedule_algorithm {
  const char *name; /* lower case, as users and MPIs call it */
  schedule_op_t op;
  unsigned needs;
  /* How many rounds the call takes. */
  int64_t (*rounds)(const schedule_call_t *c);
  /* Appends the steps of a rank in a round; call schedule_steps instead. */
  void (*steps)(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out);
  /* Elements of a rank's scratch space; NULL: none. */
  int64_t (*scratch)(const schedule_call_t *c, int rank);
  /* How many rounds from this one on have the same messages (source, destination, elements), at
   * least 1; NULL: 1. */
  int64_t (*alike)(const schedule_call_t *c, int64_t round);
  /* The first round from this one on in which a rank may send, INT64_MAX: none. NULL: it may in
   * all. */
  int64_t (*next)(const schedule_call_t *c, int rank, int64_t round);
} schedule_algorithm_t;

/* All algorithms, *n of them. */
const schedule_algorithm_t *schedule_algorithms(size_t *n);

/* Whether the algorithm serves the call. */
bool schedule_serves(const schedule_algorithm_t *a, const schedule_call_t *c);

/* The algorithm of an operation by its name; NULL: there is none. */
const schedule_algorithm_t *schedule_find(schedule_op_t op, const char *name);

/* Whether an operation reduces. */
bool schedule_reduces(schedule_op_t op);

/* "allreduce" */
const char *schedule_op_name(schedule_op_t op);
/* False: no operation has that name. */
bool schedule_op_find(const char *name, schedule_op_t *op);
/* The same with the names of other ways of calling it, too: "ibcast", "bcast_init". */
bool schedule_op_find_call(const char *name, schedule_op_t *op, schedule_way_t *way);

/* Appends the steps of a rank in a round. */
void schedule_steps(const schedule_algorithm_t *a, const schedule_call_t *c, int rank,
                    int64_t round, schedule_steps_t *out);

/* The same as the algorithm's functions, where it has none. */
int64_t schedule_scratch(const schedule_algorithm_t *a, const schedule_call_t *c, int rank);
int64_t schedule_alike(const schedule_algorithm_t *a, const schedule_call_t *c, int64_t round);
int64_t schedule_next(const schedule_algorithm_t *a, const schedule_call_t *c, int rank,
                      int64_t round);

#endif
