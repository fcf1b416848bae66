/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations: what is drawn for them, their buffers, and what these must hold in the end. */
#include <stdarg.h>

#include "requests.h"

enum { GUARD = 64, UNTOUCHED = 0xa5 };

const char *const fn_names[FNS] = {
    "Barrier",   "Bcast",      "Reduce",   "Allreduce", "Reduce_scatter", "Reduce_scatter_block",
    "Scan",      "Exscan",     "Gather",   "Gatherv",   "Scatter",        "Scatterv",
    "Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Send",           "Recv"};
const char *const form_names[FORMS] = {"blocking", "non-blocking", "persistent"};

static void say_op(const op_t *op)
{
  const part_t *p = op->part;
  fprintf(stderr,
          "call %ld, round %d: %s MPI_%s on %s, rank %d of %d (%d of all), %s, %s, root %d%s%s%s",
          op->id, op->round, form_names[op->form], fn_names[op->fn], p->name, p->rank, p->size,
          world_rank, op->kind->name, op->rule ? op->rule->name : "no operation", op->root,
          op->in_place ? ", in place" : "", op->large ? ", large counts" : "",
          op->fleeting ? ", type freed early" : "");
}

void fail(const op_t *op, const char *what, ...)
{
  va_list list;
  va_start(list, what);
  fprintf(stderr, "seed %llu, ", (unsigned long long)seed);
  if (op)
    say_op(op);
  else
    fprintf(stderr, "step %ld, rank %d of all", step, world_rank);
  fprintf(stderr, ": ");
  vfprintf(stderr, what, list);
  fprintf(stderr, "\n");
  va_end(list);
  fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  _exit(1);
}

static int reduces(int fn) { return fn >= FN_REDUCE && fn <= FN_EXSCAN; }

/* --- drawing --- */

/* Elements of a block, of which a rank has so many. */
static int draw_count(uint64_t *stream, int blocks, int extent)
{
  uint64_t way = draw(stream, 20);
  int most = MEDIUM / extent / blocks, bits;
  if (way < 4) return (int)way / 2;
  if (way < 11) return 2 + (int)draw(stream, 15);
  if (draw(stream, 60) == 0) return LONGEST / extent / blocks;
  for (bits = (int)draw(stream, 16); bits > 0 && most > 16; bits--) most /= 2;
  return (int)draw(stream, most + 1);
}

static void draw_counts(op_t *op, uint64_t *stream, int n)
{
  int n_ranks = op->part->size, even = draw(stream, 6) == 0;
  for (int r = 0; r < n_ranks; r++)
    op->counts[r] = even ? n : draw(stream, 4) == 0 ? 0 : (int)draw(stream, 2 * n + 1);
}

/* How many elements a rank sends another one; in place both ways are alike. */
static int pair_count(uint64_t drawn, int n, int from, int to, int alike)
{
  int low = from < to ? from : to, high = from < to ? to : from;
  uint64_t x = alike ? mix(drawn + 1000 * low + high) : mix(drawn + 1000 * from + to);
  return x % 10 < (drawn & 1 ? 7u : 2u) ? 0 : (int)(x / 10 % (2 * n + 1));
}

/* --- buffers --- */

static char *stack_room;
static unsigned char stack_used[STACK_PIECES];
void use_stack(char *room) { stack_room = room; }

static void allot(side_t *side, size_t bytes)
{
  int offset = GUARD + 16 * (int)draw(&local, 4);
  side->bytes = bytes + offset + GUARD;
  side->piece = -1;
  for (int i = 0; i < STACK_PIECES && side->bytes <= STACK_ROOM && bytes % 3; i++)
    if (!stack_used[i]) {
      side->piece = i;
      stack_used[i] = 1;
      break;
    }
  side->memory = side->piece < 0 ? malloc(side->bytes) : stack_room + side->piece * STACK_ROOM;
  side->base = side->memory + offset;
}

static void free_side(side_t *side)
{
  if (side->piece >= 0)
    stack_used[side->piece] = 0;
  else
    free(side->memory);
  free(side->block);
  free(side->counts);
  free(side->displs);
#if MPI_VERSION >= 4
  free(side->large_counts);
  free(side->large_displs);
#endif
  *side = (side_t){.piece = -1};
}

static int sum_of(const int *counts, int n)
{
  int sum = 0;
  for (int i = 0; i < n; i++) sum += counts[i];
  return sum;
}

/* Open MPI 4.1.4: ranks choose an algorithm of a blocking MPI_Allgatherv by the size of the send
 * type, and it hangs if these differ. MPICH 4.0.2: ranks cut long data of MPI_Allgatherv by the
 * extent of the receive type; pieces don't match if these differ. */
static int has_one_layout(const op_t *op)
{
#ifdef OPEN_MPI
  return lenient && op->fn == FN_ALLGATHERV && op->form == FORM_BLOCKING;
#elif defined MPICH
  return lenient && op->fn == FN_ALLGATHERV &&
         sum_of(op->counts, op->part->size) * op->kind->size > 30000;
#else
  return !op;
#endif
}

/* A side of so many blocks, whose counts follow. */
static void begin_side(op_t *op, side_t *side, int blocks)
{
  side->layout = &op->kind->layout[has_one_layout(op) ? 0 : draw(&local, op->kind->layouts)];
  side->blocks = blocks;
  side->block = malloc(blocks * sizeof *side->block);
  for (int b = 0; b < blocks; b++) side->block[b] = (block_t){0, 0, -1, 0, -1, 0};
}

/* Puts blocks into a random order with room between them. */
static int scatter_blocks(side_t *side)
{
  int n = side->blocks, end = 0, *order = malloc(n * sizeof *order);
  for (int i = 0; i < n; i++) order[i] = i;
  for (int i = n - 1; i > 0; i--) {
    int other = (int)draw(&local, i + 1), kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
  for (int i = 0; i < n; i++) {
    block_t *b = &side->block[order[i]];
    b->place = end + (int)draw(&local, 3);
    end = b->place + b->count;
  }
  free(order);
  return end;
}

/* Gives the blocks places, and makes the lists and the memory. */
static void end_side(op_t *op, side_t *side, int varied)
{
  int end = 0, n = side->blocks, per = side->layout->per;
#ifdef MPICH
  /* 4.0.2 ignores the displacement in MPI_Allgatherv on a communicator of one rank. */
  if (lenient && op->fn == FN_ALLGATHERV && n == 1) varied = 0;
#endif
  for (int b = 0; b < n && !varied; b++) {
    side->block[b].place = end;
    end += side->block[b].count;
  }
  if (varied) end = scatter_blocks(side);
  side->counts = malloc(n * sizeof *side->counts);
  side->displs = malloc(n * sizeof *side->displs);
  for (int b = 0; b < n; b++) {
    side->counts[b] = side->block[b].count * per;
    side->displs[b] = side->block[b].place * per;
  }
#if MPI_VERSION >= 4
  side->large_counts = malloc(n * sizeof *side->large_counts);
  side->large_displs = malloc(n * sizeof *side->large_displs);
  for (int b = 0; b < n; b++) {
    side->large_counts[b] = side->counts[b];
    side->large_displs[b] = side->displs[b];
  }
#endif
  side->type = side->layout->type;
  if (op->fleeting && (side->layout->derived || !op->rule)) MPI_Type_dup(side->type, &side->type);
  allot(side, (size_t)end * side->layout->extent);
}

/* A side of one block, with what it has before and after the call. */
static void one_block(op_t *op, side_t *side, int count, int from, int to, int later_from,
                      int later_to)
{
  begin_side(op, side, 1);
  side->block[0] = (block_t){count, 0, from, to, later_from, later_to};
  end_side(op, side, 0);
}

/* A side with a block for each rank. Personal: what is sent differs by the receiver. */
static void all_blocks(op_t *op, side_t *side, int varied, int in_place, int sends, int personal)
{
  const part_t *p = op->part;
  begin_side(op, side, p->size);
  for (int r = 0; r < p->size; r++) {
    block_t *b = &side->block[r];
    b->count = op->counts[r];
    if (sends)
      *b = (block_t){b->count, 0, p->rank, r, p->rank, r};
    else {
      int has = in_place && (personal || r == p->rank), to = personal ? p->rank : 0;
      *b = (block_t){b->count, 0, has ? p->rank : -1, personal ? r : 0, r, to};
    }
  }
  end_side(op, side, varied);
}

/* --- one function each --- */

static void make_reduction(op_t *op, int n)
{
  const part_t *p = op->part;
  int me = p->rank, fn = op->fn, total = n, gets = fn != FN_REDUCE || me == op->root;
  op->fold_ranks = !gets ? 0 : fn == FN_SCAN ? me + 1 : fn == FN_EXSCAN ? me : p->size;
  op->fold_count = n;
  if (fn == FN_REDUCE_SCATTER || fn == FN_REDUCE_SCATTER_BLOCK) {
    total = sum_of(op->counts, p->size);
    op->fold_first = sum_of(op->counts, me);
    op->fold_count = op->counts[me];
  }
  op->in_place = op->in_place && gets;
#ifdef MPICH
  /* 4.0.2 crashes in a blocking MPI_Reduce in place, if the root isn't rank 0. */
  if (lenient && fn == FN_REDUCE && op->form == FORM_BLOCKING && me) op->in_place = 0;
#endif
  if (!op->in_place) one_block(op, &op->in, total, me, 0, me, 0);
  if (op->in_place)
    one_block(op, &op->out, total, me, 0, me, 0);
  else if (gets)
    one_block(op, &op->out, (int)op->fold_count, -1, 0, -1, 0);
  else if (draw(&local, 2))
    one_block(op, &op->out, 0, -1, 0, -1, 0); /* has no meaning here, and stays as it is */
}

static void make_gather(op_t *op, int all, int varied)
{
  const part_t *p = op->part;
  int me = p->rank, gets = all || me == op->root;
  op->in_place = op->in_place && gets;
  if (!op->in_place) one_block(op, &op->in, op->counts[me], me, 0, me, 0);
  if (gets) all_blocks(op, &op->out, varied, op->in_place, 0, 0);
}

static void make_scatter(op_t *op, int varied)
{
  const part_t *p = op->part;
  int me = p->rank;
  op->in_place = op->in_place && me == op->root;
  if (me == op->root) all_blocks(op, &op->in, varied, 0, 1, 1);
  if (!op->in_place) one_block(op, &op->out, op->counts[me], -1, 0, op->root, me);
}

static void make_alltoall(op_t *op, int varied, uint64_t drawn, int n)
{
  const part_t *p = op->part;
#ifdef OPEN_MPI
  /* 4.1.4, in place, without blocking: data are wrong on more than two ranks. */
  if (lenient && varied && op->form != FORM_BLOCKING && p->size > 2) op->in_place = 0;
#endif
  if (!op->in_place) {
    for (int r = 0; r < p->size && varied; r++) op->counts[r] = pair_count(drawn, n, p->rank, r, 0);
    all_blocks(op, &op->in, varied, 0, 1, 1);
  }
  for (int r = 0; r < p->size && varied; r++)
    op->counts[r] = pair_count(drawn, n, r, p->rank, op->in_place);
#ifdef OPEN_MPI
  /* 4.1.4, in place, without blocking: a rank without any data takes no tag for the call, and later
   * calls on this communicator hang. A rank's block for itself counts as data. */
  if (lenient && varied && op->in_place && !op->counts[p->rank]) op->counts[p->rank] = 1;
#endif
  all_blocks(op, &op->out, varied, op->in_place, 0, 1);
}

static void make_buffers(op_t *op, int n, uint64_t drawn)
{
  const part_t *p = op->part;
  int me = p->rank;
  switch (op->fn) {
  case FN_BARRIER:
    break;
  case FN_BCAST:
    one_block(op, &op->out, n, me == op->root ? me : -1, 0, op->root, 0);
    break;
  case FN_GATHER:
  case FN_GATHERV:
    make_gather(op, 0, op->fn == FN_GATHERV);
    break;
  case FN_ALLGATHER:
  case FN_ALLGATHERV:
    make_gather(op, 1, op->fn == FN_ALLGATHERV);
    break;
  case FN_SCATTER:
  case FN_SCATTERV:
    make_scatter(op, op->fn == FN_SCATTERV);
    break;
  case FN_ALLTOALL:
  case FN_ALLTOALLV:
    make_alltoall(op, op->fn == FN_ALLTOALLV, drawn, n);
    break;
  case FN_SEND:
    op->peer = (me + op->shift) % p->size;
    one_block(op, &op->in, n, me, op->peer, me, op->peer);
    break;
  case FN_RECV:
    op->peer = (me + p->size - op->shift) % p->size;
    one_block(op, &op->out, n, -1, 0, op->peer, me);
    break;
  default:
    make_reduction(op, n);
  }
}

/* MPICH 4.0.2: these write outside of buffers if the type has gaps. */
static int writes_outside(const op_t *op)
{
#ifdef MPICH
  return lenient && op->rule && op->kind->size < (int)op->kind->layout[0].extent &&
         op->kind->user && (op->fn == FN_REDUCE_SCATTER || op->fn == FN_REDUCE_SCATTER_BLOCK);
#else
  return !op;
#endif
}

void make_op(op_t *op, part_t *part, long id, int fn, int form, uint64_t stream)
{
  static const unsigned by_blocks = 1u << FN_REDUCE_SCATTER | 1u << FN_REDUCE_SCATTER_BLOCK |
                                    ((1u << FN_COLLECTIVES) - (1u << FN_GATHER));
  static const unsigned varied =
      1u << FN_REDUCE_SCATTER | 1u << FN_GATHERV | 1u << FN_SCATTERV | 1u << FN_ALLGATHERV;
#ifdef MPICH
  /* 4.0.2 copies some blocks when these are initialized, and not when they are started; buffers are
   * freed after the first start. */
  if (lenient && (fn == FN_GATHER || fn == FN_SCATTER || fn == FN_ALLGATHER))
    fn += form == FORM_PERSISTENT; /* MPI_Gatherv, … */
#endif
  *op = (op_t){.used = 1, .fn = fn, .form = form, .id = id, .part = part};
  op->in.piece = op->out.piece = -1;
  op->request = MPI_REQUEST_NULL;
  do {
    op->kind = &kinds[draw(&stream, kind_count)];
    op->rule = reduces(fn) ? draw_rule(op->kind, &stream) : NULL;
  } while ((reduces(fn) && !op->rule) || writes_outside(op));
  op->root = (int)draw(&stream, part->size);
  op->in_place = draw(&stream, 3) == 0;
  op->shift = (int)draw(&stream, part->size);
  op->large = draw(&local, 2);
  op->fleeting = draw(&local, 4) == 0;
#ifdef OPEN_MPI
  /* 4.1.4 doesn't keep types and operations of persistent collectives. */
  if (lenient && fn < FN_COLLECTIVES && form == FORM_PERSISTENT) op->fleeting = 0;
#endif
  int extent = op->kind->layout[op->kind->layouts - 1].extent;
  int n = draw_count(&stream, by_blocks >> fn & 1 ? part->size : 1, extent);
#ifdef MPICH
  /* 4.0.2 loses elements of more than 16 KiB of MPI_DOUBLE_INT or MPI_LONG_INT, which have gaps. */
  if (lenient && !op->kind->user && extent > op->kind->size && n > 500 / part->size)
    n = 500 / part->size;
#endif
  op->counts = malloc(part->size * sizeof *op->counts);
  for (int r = 0; r < part->size; r++) op->counts[r] = n;
  if (varied >> fn & 1) draw_counts(op, &stream, n);
  make_buffers(op, n, draw(&stream, 1 << 30));
#if MPI_VERSION >= 4
  op->large_counts = malloc(part->size * sizeof *op->large_counts);
  for (int r = 0; r < part->size; r++) op->large_counts[r] = op->counts[r];
#endif
  if (!op->rule) return;
  op->op = op->rule->op;
  if (op->fleeting && op->rule->user) MPI_Op_create(op->rule->user, op->rule->commutes, &op->op);
}

void free_op(op_t *op)
{
  free_side(&op->in);
  free_side(&op->out);
  free(op->counts);
#if MPI_VERSION >= 4
  free(op->large_counts);
#endif
  *op = (op_t){0};
}

/* --- data --- */

static uint64_t key_of(const op_t *op, int from, int to)
{
  const part_t *p = op->part;
  uint64_t call = mix(mix(seed + 77) + op->id) + op->round;
  return mix(mix(call) + 1000003 * (uint64_t)p->world[from] + to);
}

static void element(const op_t *op, uint64_t key, size_t i, void *packed)
{
  if (op->rule)
    operand(op->kind, op->rule->rule, key, i, packed);
  else
    moved_element(key, i, packed);
}

static void paint_block(const op_t *op, const side_t *side, const block_t *b, char *base, int later)
{
  int from = later ? b->later_from : b->from, to = later ? b->later_to : b->to;
  size_t extent = side->layout->extent;
  char packed[WIDEST];
  if (from < 0) return;
  uint64_t key = key_of(op, from, to);
  for (int i = 0; i < b->count; i++) {
    element(op, key, i, packed);
    put_element(side->layout, base + (size_t)(b->place + i) * extent, packed);
  }
}

static void paint_result(const op_t *op, char *base)
{
  char packed[WIDEST], other[WIDEST];
  uint64_t *keys = malloc(op->fold_ranks * sizeof *keys);
  for (int r = 0; r < op->fold_ranks; r++) keys[r] = key_of(op, r, 0);
  for (size_t i = 0; i < op->fold_count; i++) {
    element(op, keys[0], op->fold_first + i, packed);
    for (int r = 1; r < op->fold_ranks; r++) {
      element(op, keys[r], op->fold_first + i, other);
      fold(op->kind, op->rule->rule, packed, other);
    }
    put_element(op->out.layout, base + i * op->out.layout->extent, packed);
  }
  free(keys);
}

static void paint(const op_t *op, const side_t *side, char *memory, int later)
{
  char *base = memory + (side->base - side->memory);
  memset(memory, UNTOUCHED, side->bytes);
  for (int b = 0; b < side->blocks; b++) paint_block(op, side, &side->block[b], base, later);
  if (later && side == &op->out && op->fold_ranks) paint_result(op, base);
}

void fill_buffers(op_t *op)
{
  if (op->in.base) paint(op, &op->in, op->in.memory, 0);
  if (op->out.base) paint(op, &op->out, op->out.memory, 0);
}

/* What a reduction may leave in the memory of its result: anything behind the result (in place,
 * MPI_Reduce_scatter has more room than the result needs, and MPI_Exscan has none on rank 0), and
 * anything in the gaps of the MPI's own pairs. */
static void allow(const op_t *op, const side_t *side, char *base)
{
  size_t extent = side->layout->extent, size = op->kind->size;
  size_t end = side->block[0].count * extent, right = op->fold_ranks ? op->fold_count : 0;
  if (right * extent < end)
    memcpy(base + right * extent, side->base + right * extent, end - right * extent);
  for (size_t i = 0; i < right && size < extent && !op->kind->user; i++)
    memcpy(base + i * extent + size, side->base + i * extent + size, extent - size);
}

static void explain(const op_t *op, const side_t *side, const char *wanted, size_t at)
{
  size_t first = side->base - side->memory, extent = side->layout->extent;
  const char *name = side == &op->in ? "input" : "result";
  if (at < first || at + GUARD >= side->bytes)
    fail(op, "byte %ld of the %s, which is outside of it: found 0x%02x, expected 0x%02x",
         (long)at - (long)first, name, (unsigned char)side->memory[at], (unsigned char)wanted[at]);
  size_t i = (at - first) / extent;
  fprintf(stderr, "found");
  print_element(op->kind, side->layout, side->base + i * extent);
  fprintf(stderr, ", expected");
  print_element(op->kind, side->layout, wanted + first + i * extent);
  fprintf(stderr, "\n");
  fail(op, "element %ld of the %s (layout %s, %d blocks), byte %ld: found 0x%02x, expected 0x%02x",
       (long)i, name, side->layout->name, side->blocks, (long)((at - first) % extent),
       (unsigned char)side->memory[at], (unsigned char)wanted[at]);
}

static void check_side(const op_t *op, const side_t *side)
{
  if (!side->base) return;
  char *wanted = malloc(side->bytes);
  paint(op, side, wanted, 1);
  if (op->rule && side == &op->out && side->block[0].count)
    allow(op, side, wanted + (side->base - side->memory));
  for (size_t i = 0; memcmp(wanted, side->memory, side->bytes) && i < side->bytes; i++)
    if (wanted[i] != side->memory[i]) explain(op, side, wanted, i);
  free(wanted);
}

void check_buffers(const op_t *op)
{
  check_side(op, &op->in);
  check_side(op, &op->out);
}
