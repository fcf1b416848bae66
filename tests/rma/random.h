/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of tests/rma/random.c share: numbers that all ranks draw, basic types, layouts,
 * windows with their model, and operations. Sizes and offsets are in bytes. */
#ifndef RMA_RANDOM_H
#define RMA_RANDOM_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS = 4, PIECES = 4, LARGEST = 1 << 20, MOST_OPS = 2000, ALIGN = 16 };

/* Names for KINDS. Each group is drawn from on its own. */
typedef enum { ON_WINDOW, ON_EPOCH, ON_CALL, ON_TYPE, ON_MORE } group_t;
typedef enum { CREATE, ALLOCATE, SHARED, DYNAMIC } flavor_t;
typedef enum { FENCE, PSCW, LOCK, LOCK_ALL, COUNTER, SWAP, MUTEX } epoch_t;
typedef enum { PUT, GET, ACC, GET_ACC, FETCH_OP, COMPARE } call_t;
typedef enum { PLAIN, DERIVED, MIXED, BOTTOM } form_t;
typedef enum {
  REQUESTS,
  FLUSHES,
  JOINED,
  ORDERED,
  MESSAGES,
  COLLECTIVES,
  BUSY,
  COMPUTE,
  MANY,
  INFO,
  EXCLUSIVE,
  NULL_ORIGIN,
  LATE,
  EARLY_FREE,
  HIGH,
  LOGICAL,
  ONE_RANK,
  ODD_BASE,
  ODD_SIZE,
  SUCCESSIVE,
  LOCK_NOCHECK,
  LOCAL_RESULTS,
  RGET_RESULTS,
  DERIVED_FETCH,
  OVERFLOWS,
  PAIRS,
  SELF_ATOMIC,
  ORDERED_SWAP,
  QUERY,
  PSCW_NOCHECK,
  BACKWARD
} more_t;
bool allowed(group_t group, int kind);
int pick(group_t group, unsigned mask); /* an allowed kind of those in mask; -1: none */

uint64_t mix(uint64_t x);
uint64_t draw(uint64_t below);
bool chance(unsigned percent);
extern long epoch_number, operations;
_Noreturn void give_up(const char *why);

typedef enum {
  SUM,
  PROD,
  MAX,
  MIN,
  LAND,
  LOR,
  LXOR,
  BAND,
  BOR,
  BXOR,
  MAXLOC,
  MINLOC,
  REPLACE,
  NO_OP,
  OPS
} op_name_t;

typedef struct {
  ptrdiff_t at;
  int length;
  char native; /* i, u, f, b: how the bytes are a number */
} piece_t;

/* A predefined type. A value "packed" has its pieces one after another, without gaps. */
typedef struct {
  const char *name;
  MPI_Datatype type;
  char class; /* i, a, u: integers; f, c, l, b, p, n (moved only) */
  bool loose; /* the bytes between pieces may change when a value is written */
  int extent, align, size, pieces;
  piece_t piece[2];
} basic_t;
extern basic_t basics[];
extern int basic_count;
void find_basics(void);
bool fits(const basic_t *b, op_name_t op);
op_name_t draw_op(const basic_t *b, unsigned mask);
MPI_Op mpi_op(op_name_t op);
const char *op_text(op_name_t op);
void combine(const basic_t *b, op_name_t op, unsigned char *into, const unsigned char *operand);
/* A value of which many can be combined by op in any order, with one result. */
void nice_value(const basic_t *b, op_name_t op, bool first, uint64_t seed, unsigned char *packed);
void any_value(const basic_t *b, uint64_t seed, unsigned char *packed);
bool any_content(const basic_t *b, op_name_t op); /* op is defined on all bit patterns */

typedef struct {
  ptrdiff_t at;
  size_t n;
} block_t;

/* Where the elements of a buffer are: blocks of elements, `stride` bytes from one to the next. */
typedef struct {
  MPI_Datatype type;
  int count;
  bool made; /* `type` must be freed */
  size_t n, size;
  ptrdiff_t low, high, stride;
  size_t blocks;
  block_t *block;
  int pieces;
  piece_t piece[PIECES];
  bool loose;
  const char *text;
} layout_t;
enum { AT_ORIGIN = 1, REAL = 2 };
/* b NULL: the mixed signature of `seed`. */
void make_layout(layout_t *l, const basic_t *b, uint64_t seed, size_t n, form_t form, int flags);
void free_layout(layout_t *l);
void free_type(layout_t *l);
void pack(const layout_t *l, const unsigned char *at, unsigned char *packed);
void unpack(const layout_t *l, unsigned char *at, const unsigned char *packed);
void mark_gaps(const layout_t *l, unsigned char *unknown, bool loose);

typedef struct {
  uint32_t stamp, phase;
  int16_t origin; /* -1: several */
  uint8_t basic, place;
  int8_t kind, op;
  bool sole; /* one origin used it in several ways: nobody else may come */
} claim_t;

typedef struct {
  size_t size;
  MPI_Aint address; /* dynamic windows: what a displacement counts from */
  int align;        /* the address, modulo ALIGN */
  unsigned char *model, *unknown;
  claim_t *claim;
} region_t;

typedef struct {
  MPI_Win win;
  MPI_Comm comm;
  int rank, size, regions;
  flavor_t flavor;
  bool no_locks, unordered;
  int *unit, *world;
  region_t (*region)[REGIONS]; /* of each rank */
  unsigned char *base[REGIONS], *block[REGIONS];
} window_t;
void make_window(window_t *w, MPI_Comm comm);
void free_window(window_t *w);
void change_regions(window_t *w);
void check_window(window_t *w);
void lock_self(window_t *w);
void unlock_self(window_t *w);

typedef enum { NOTHING, FLUSH, FLUSH_ALL, FLUSH_LOCAL, FLUSH_LOCAL_ALL, SYNC, SLEEP, WAIT } after_t;

typedef struct {
  call_t call;
  int origin, target, region, basic, sub; /* target -1: MPI_PROC_NULL; basic -1: mixed */
  op_name_t op;
  ptrdiff_t at;
  MPI_Aint disp;
  uint64_t seed, to_seed;
  form_t to_form;
  layout_t from, to, back; /* at the origin, at the target, of the result */
  bool bottom, request, null_origin, ordered;
  bool prepared; /* the target stores nice values there before all epochs of the plan */
  bool typed;    /* the values there are nice ones */
  _Alignas(16) unsigned char compare[16];
  after_t after;
  int wait_how;
  unsigned char *expected, *unknown; /* packed result; the caller's own operations only */
  unsigned char *origin_block, *back_block, *origin_at, *back_at;
  bool issued, checked, scribbled;
} operation_t;

typedef struct {
  window_t *w;
  int count, subs;
  operation_t *op;
  uint32_t first_stamp, stamp, *phase; /* phase[origin * size + target] */
  ptrdiff_t last;                      /* where the last operation's data end */
  bool passive;
} plan_t;
void begin_plan(plan_t *p, window_t *w, bool passive);
void next_stamp(plan_t *p);
bool add_operation(plan_t *p, int origin, int target, int sub, bool small);
int draw_operations(void);
void simulate(plan_t *p);
bool prepares(const plan_t *p, int target);
void store_prepared(plan_t *p);
bool writes_to(const plan_t *p, int target, int sub);
void end_plan(plan_t *p);

void issue(plan_t *p, operation_t *o, MPI_Request *request);
const operation_t *last_at(const window_t *w, const region_t *r, ptrdiff_t at);
void check_result(plan_t *p, operation_t *o);
void scribble(operation_t *o);
bool is_wrong(void);
uint64_t swap_state(uint64_t state); /* of draw() */
void wrong_byte(window_t *w, const operation_t *o, const char *what, size_t at, int wanted,
                int got);
extern plan_t *current_plan;

void compute(void);
void begin_messages(window_t *w);
MPI_Request *message_requests(void); /* two, or NULL */
void end_messages(window_t *w);
void try_fence(window_t *w);
void try_pscw(window_t *w);
void try_passive(window_t *w, bool all);
void try_counter(window_t *w);
void try_swap(window_t *w);
void try_mutex(window_t *w);

#endif
