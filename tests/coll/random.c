/* SPDX-License-Identifier: BSD-3-Clause */
/* Random collective calls, all of whose results every rank knows: random SEED CALLS. All ranks draw
 * the same calls; a rank's data follow from its number and the call's. Communicators are parts of
 * MPI_COMM_WORLD in any order, and come and go. Now and then, a large message is under way that the
 * MPI must bring to its end while its sender is in a call. Rank 0 prints the number of calls if all
 * were right; else the job is aborted. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMS = 4, LONGEST = 3 << 20, PENDING = 1 << 20 };

static uint64_t shared; /* the state of the numbers that all ranks draw */
static int world_rank, world_size, wrong;
static long call;

static uint64_t mix(uint64_t x)
{
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}
static uint64_t draw(uint64_t below) { return (shared = mix(shared)) % below; }
/* What a rank has at a place in the current call. */
static uint64_t value(int rank, size_t i) { return mix(mix(mix(call) + rank) + i); }

typedef struct part {
  MPI_Comm comm; /* MPI_COMM_NULL: this rank isn't in it */
  int rank, size, *world;
} part_t;
static part_t parts[COMMS];

static void make_part(part_t *p, int whole)
{
  int colour = whole ? 0 : mix(draw(1000) + 7 * world_rank) % 3 > 0, order = draw(3);
  int key = order == 0   ? world_rank
            : order == 1 ? -world_rank
                         : (int)(mix(draw(99) + world_rank) % 99);
  if (p->world) free(p->world);
  if (p->comm != MPI_COMM_NULL && p->comm != MPI_COMM_WORLD) MPI_Comm_free(&p->comm);
  if (whole && order == 0)
    p->comm = MPI_COMM_WORLD;
  else
    MPI_Comm_split(MPI_COMM_WORLD, colour, key, &p->comm);
  MPI_Comm_rank(p->comm, &p->rank);
  MPI_Comm_size(p->comm, &p->size);
  p->world = malloc(p->size * sizeof *p->world);
  MPI_Allgather(&world_rank, 1, MPI_INT, p->world, 1, MPI_INT, p->comm);
}

/* Small counts are as frequent as large ones. */
static size_t draw_count(size_t largest)
{
  size_t most = 1;
  for (int bits = (int)draw(23); bits > 0 && most < largest; bits--) most *= 2;
  if (most > largest) most = largest;
  return draw(10) == 0 ? 0 : most / 2 + draw(most / 2 + 1);
}

static void check(const part_t *p, const char *what, size_t i, int right)
{
  if (right || wrong++ > 5) return;
  printf("call %ld, %s: rank %d of %d: wrong at %zu\n", call, what, p->rank, p->size, i);
}

/* Broadcast: the root's type and the others' have the same data in other places. */
static void place_type(int form, size_t n, MPI_Datatype *type, int *count, size_t *stride)
{
  *stride = 1;
  *count = (int)n;
  *type = MPI_INT;
  if (form == 0) return;
  *stride = form == 3 ? 1 : 2;
  *count = form == 2 ? 1 : (int)n;
  if (form == 1) MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), type);
  if (form == 2) MPI_Type_vector((int)n, 1, 2, MPI_INT, type);
  if (form == 3) MPI_Type_contiguous(1, MPI_INT, type);
  MPI_Type_commit(type);
}

static void try_bcast(const part_t *p)
{
  int root = draw(p->size), count, form[2] = {draw(4), draw(4)};
  size_t n = draw_count(LONGEST / sizeof(int)), stride;
  int *data = malloc((2 * n + 1) * sizeof *data), own = form[p->rank == root];
  MPI_Datatype type;
  place_type(own, n, &type, &count, &stride);
  for (size_t i = 0; i < 2 * n; i++) data[i] = -7;
  for (size_t i = 0; i < n && p->rank == root; i++)
    data[i * stride] = (int)value(p->world[root], i);
  MPI_Bcast(data, count, type, root, p->comm);
  for (size_t i = 0; i < n; i++)
    check(p, "Bcast", i, data[i * stride] == (int)value(p->world[root], i));
  for (size_t i = 0; i < n && stride == 2; i++) check(p, "Bcast's gaps", i, data[2 * i + 1] == -7);
  if (own) MPI_Type_free(&type);
  free(data);
}

typedef struct pair {
  double value;
  int index;
} pair_t;
typedef struct matrix {
  uint32_t a, b, c, d;
} matrix_t;

/* in * inout: not commutative */
static void multiply(void *in, void *inout, int *n, MPI_Datatype *type)
{
  (void)type;
  for (int i = 0; i < *n; i++) {
    matrix_t x = ((matrix_t *)in)[i], *to = (matrix_t *)inout + i, y = *to;
    *to = (matrix_t){x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
                     x.c * y.b + x.d * y.d};
  }
}
static void add_words(void *in, void *inout, int *n, MPI_Datatype *type)
{
  (void)type;
  for (int i = 0; i < 4 * *n; i++) ((uint32_t *)inout)[i] += ((uint32_t *)in)[i];
}
static MPI_Op product, addition;
static MPI_Datatype matrix_type;

/* A kind of reduction: how a rank's element is made, and how two of them become one. */
enum {
  KIND_INT_SUM,
  KIND_BYTE_XOR,
  KIND_DOUBLE_SUM,
  KIND_FLOAT_MAX,
  KIND_SHORT_MIN,
  KIND_MAXLOC,
  KIND_MATRIX,
  KIND_ADDITION,
  KIND_LAND,
  KIND_COMPLEX,
  KINDS
};
static const size_t sizes[KINDS] = {
    4, 1, 8, 4, 2, sizeof(pair_t), sizeof(matrix_t), sizeof(matrix_t), 4, 16};

static void element(int kind, int rank, size_t i, void *to)
{
  uint64_t v = value(rank, i);
  switch (kind) {
  case KIND_DOUBLE_SUM:
    *(double *)to = (double)(v % 100000);
    break;
  case KIND_FLOAT_MAX:
    *(float *)to = (float)(v % 1000);
    break;
  case KIND_MAXLOC:
    *(pair_t *)to = (pair_t){(double)(v % 3), rank};
    break;
  case KIND_MATRIX:
  case KIND_ADDITION:
    *(matrix_t *)to = (matrix_t){(uint32_t)v, v >> 32, v >> 7, v >> 40};
    break;
  case KIND_LAND:
    *(int *)to = v % 8 != 0;
    break;
  case KIND_COMPLEX:
    ((double *)to)[0] = (double)(v % 999), ((double *)to)[1] = (double)(v >> 50);
    break;
  default:
    memcpy(to, &v, sizes[kind]);
  }
}

/* left = left op right */
static void combine(int kind, void *left, const void *right)
{
  int one = 1;
  switch (kind) {
  case KIND_INT_SUM:
    *(uint32_t *)left += *(const uint32_t *)right;
    break;
  case KIND_BYTE_XOR:
    *(uint8_t *)left ^= *(const uint8_t *)right;
    break;
  case KIND_DOUBLE_SUM:
    *(double *)left += *(const double *)right;
    break;
  case KIND_FLOAT_MAX:
    if (*(const float *)right > *(float *)left) *(float *)left = *(const float *)right;
    break;
  case KIND_SHORT_MIN:
    if (*(const short *)right < *(short *)left) *(short *)left = *(const short *)right;
    break;
  case KIND_LAND:
    *(int *)left = *(int *)left && *(const int *)right;
    break;
  case KIND_COMPLEX:
    ((double *)left)[0] += ((const double *)right)[0],
        ((double *)left)[1] += ((const double *)right)[1];
    break;
  case KIND_MAXLOC: {
    pair_t *a = left;
    const pair_t *b = right;
    if (b->value > a->value || (b->value == a->value && b->index < a->index)) *a = *b;
    break;
  }
  case KIND_ADDITION:
    add_words((void *)right, left, &one, NULL);
    break;
  case KIND_MATRIX: {
    matrix_t y = *(const matrix_t *)right;
    multiply(left, &y, &one, NULL);
    *(matrix_t *)left = y;
  }
  }
}

static int same(int kind, const void *a, const void *b)
{
  if (kind == KIND_MAXLOC)
    return ((pair_t *)a)->value == ((pair_t *)b)->value &&
           ((pair_t *)a)->index == ((pair_t *)b)->index;
  return memcmp(a, b, sizes[kind]) == 0;
}

static void try_reduce(const part_t *p, int all)
{
  const MPI_Datatype types[KINDS] = {
      MPI_INT,        MPI_BYTE,    MPI_DOUBLE,  MPI_FLOAT, MPI_SHORT,
      MPI_DOUBLE_INT, matrix_type, matrix_type, MPI_INT,   MPI_C_DOUBLE_COMPLEX};
  const MPI_Op ops[KINDS] = {MPI_SUM,    MPI_BXOR, MPI_SUM,  MPI_MAX,  MPI_MIN,
                             MPI_MAXLOC, product,  addition, MPI_LAND, MPI_SUM};
  int kind = draw(KINDS), root = draw(p->size), in_place = draw(3) == 0,
      gets = all || p->rank == root;
  size_t size = sizes[kind], n = draw_count(LONGEST / 4 / size), looked = n < 500 ? n : 500;
  char *in = calloc(n + 1, size), *out = calloc(n + 1, size), want[16], other[16];
  for (size_t i = 0; i < n; i++) element(kind, p->world[p->rank], i, in + i * size);
  const void *from = in;
  if (in_place && gets) memcpy(out, in, n * size), from = MPI_IN_PLACE;
  if (all)
    MPI_Allreduce(from, out, (int)n, types[kind], ops[kind], p->comm);
  else
    MPI_Reduce(from, gets ? out : NULL, (int)n, types[kind], ops[kind], root, p->comm);
  for (size_t k = 0; gets && k < looked; k++) {
    size_t i = n == looked ? k : value(1, k) % n;
    element(kind, p->world[0], i, want);
    for (int r = 1; r < p->size; r++) {
      element(kind, p->world[r], i, other);
      combine(kind, want, other);
    }
    check(p, all ? "Allreduce" : "Reduce", i, same(kind, out + i * size, want));
  }
  for (size_t i = 0; i < n && !(in_place && gets); i += 37) {
    element(kind, p->world[p->rank], i, other);
    check(p, "the input", i, same(kind, in + i * size, other));
  }
  free(in);
  free(out);
}

static void try_reduce_block(const part_t *p)
{
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, matrix_type};
  const MPI_Op ops[] = {MPI_SUM, MPI_SUM, product};
  const int kinds[] = {KIND_INT_SUM, KIND_DOUBLE_SUM, KIND_MATRIX};
  int k = draw(3), kind = kinds[k], in_place = draw(3) == 0;
  size_t size = sizes[kind], n = draw_count(LONGEST / 8 / size / p->size), all = n * p->size;
  char *in = calloc(all + 1, size), *out = calloc(all + 1, size), want[16], other[16];
  for (size_t i = 0; i < all; i++) element(kind, p->world[p->rank], i, in + i * size);
  if (in_place) memcpy(out, in, all * size);
  MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : in, out, (int)n, types[k], ops[k], p->comm);
  for (size_t i = 0; i < n; i += n < 500 ? 1 : n / 500) {
    element(kind, p->world[0], n * p->rank + i, want);
    for (int r = 1; r < p->size; r++) {
      element(kind, p->world[r], n * p->rank + i, other);
      combine(kind, want, other);
    }
    check(p, "Reduce_scatter_block", i, same(kind, out + i * size, want));
  }
  free(in);
  free(out);
}

/* Blocks of n numbers, `blocks` of them, in a type with or without gaps between elements. */
typedef struct blocks {
  MPI_Datatype type;
  int form, count; /* of elements in a block */
  size_t n, blocks, stride;
  int *data;
} blocks_t;

/* A block of a type may be one element of it: form 2 has its gaps between numbers, but blocks
 * follow one another only if the type is resized. */
static blocks_t make_blocks(int form, size_t n, size_t blocks)
{
  blocks_t b = {.form = form, .n = n, .blocks = blocks};
  MPI_Datatype whole;
  if (form == 2 && n > 0) {
    place_type(2, n, &whole, &b.count, &b.stride);
    MPI_Type_create_resized(whole, 0, (MPI_Aint)(2 * n * sizeof(int)), &b.type);
    MPI_Type_commit(&b.type);
    MPI_Type_free(&whole);
  } else {
    if (form == 2) b.form = 0;
    place_type(b.form, n, &b.type, &b.count, &b.stride);
  }
  b.data = malloc((2 * n * blocks + 1) * sizeof *b.data);
  for (size_t i = 0; i < 2 * n * blocks; i++) b.data[i] = -7;
  return b;
}
static void free_blocks(blocks_t *b)
{
  if (b->form) MPI_Type_free(&b->type);
  free(b->data);
}
static int *number(const blocks_t *b, size_t block, size_t i)
{
  return &b->data[(block * b->n + i) * b->stride];
}

/* What block `block` has of a rank. */
static int block_value(const part_t *p, int rank, int block, size_t i)
{
  return (int)value(p->world[rank], i + 1000003 * (size_t)block);
}

static void check_blocks(const part_t *p, const char *what, const blocks_t *b)
{
  for (size_t i = 0; b->stride == 2 && i < b->n * b->blocks; i++)
    check(p, what, i, b->data[2 * i + 1] == -7);
}

static void try_gather(const part_t *p, int all)
{
  int root = draw(p->size), in_place = draw(3) == 0, in_form = draw(4), out_form[2];
  size_t n = draw_count(LONGEST / 4 / sizeof(int) / p->size), size = p->size;
  int gets = all || p->rank == root;
  out_form[0] = draw(4);
  out_form[1] = (out_form[0] + p->rank) % 4;
  blocks_t in = make_blocks((in_form + p->rank) % 4, n, 1),
           out = make_blocks(out_form[1], n, gets ? size : 0);
  for (size_t i = 0; i < n; i++) *number(&in, 0, i) = block_value(p, p->rank, 0, i);
  int place = in_place && gets;
  for (size_t i = 0; place && i < n; i++) *number(&out, p->rank, i) = block_value(p, p->rank, 0, i);
  const void *from = place ? MPI_IN_PLACE : in.data;
  if (all)
    MPI_Allgather(from, in.count, in.type, out.data, out.count, out.type, p->comm);
  else
    MPI_Gather(from, in.count, in.type, out.data, out.count, out.type, root, p->comm);
  for (size_t r = 0; gets && r < size; r++)
    for (size_t i = 0; i < n; i++)
      check(p, all ? "Allgather" : "Gather", r * n + i,
            *number(&out, r, i) == block_value(p, r, 0, i));
  if (gets) check_blocks(p, "Gather's gaps", &out);
  free_blocks(&in);
  free_blocks(&out);
}

static void try_scatter(const part_t *p)
{
  int root = draw(p->size), in_place = draw(3) == 0, in_form = draw(4), out_form = draw(4);
  size_t n = draw_count(LONGEST / 4 / sizeof(int) / p->size), size = p->size;
  int gives = p->rank == root;
  blocks_t in = make_blocks((in_form + p->rank) % 4, n, gives ? size : 0),
           out = make_blocks((out_form + p->rank) % 4, n, 1);
  for (size_t r = 0; gives && r < size; r++)
    for (size_t i = 0; i < n; i++) *number(&in, r, i) = block_value(p, root, r, i);
  int place = in_place && gives;
  MPI_Scatter(in.data, in.count, in.type, place ? MPI_IN_PLACE : out.data, out.count, out.type,
              root, p->comm);
  for (size_t i = 0; !place && i < n; i++)
    check(p, "Scatter", i, *number(&out, 0, i) == block_value(p, root, p->rank, i));
  check_blocks(p, "Scatter's gaps", &out);
  free_blocks(&in);
  free_blocks(&out);
}

/* Nobody leaves a barrier before all are there: a message that was sent before has come. */
static void try_barrier(const part_t *p)
{
  int token = (int)call, got = 0, flag;
  MPI_Request request;
  MPI_Barrier(p->comm);
  MPI_Irecv(&got, 1, MPI_INT, (p->rank + p->size - 1) % p->size, 3, p->comm, &request);
  MPI_Send(&token, 1, MPI_INT, (p->rank + 1) % p->size, 3, p->comm);
  MPI_Barrier(p->comm);
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  if (!flag) MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(p, "Barrier", 0, got == token);
}

/* The last rank receives the first one's large message before it comes to the call. */
static void try_progress(const part_t *p)
{
  static char data[PENDING];
  MPI_Request request = MPI_REQUEST_NULL;
  if (p->size > 1 && p->rank == 0)
    MPI_Isend(data, PENDING, MPI_BYTE, p->size - 1, 4, p->comm, &request);
  if (p->size > 1 && p->rank == p->size - 1)
    MPI_Recv(data, PENDING, MPI_BYTE, 0, 4, p->comm, MPI_STATUS_IGNORE);
  try_bcast(p);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  shared = mix(argc > 1 ? strtoull(argv[1], NULL, 10) : 1);
  long calls = argc > 2 ? atol(argv[2]) : 1000;
  MPI_Op_create(multiply, 0, &product);
  MPI_Op_create(add_words, 1, &addition);
  MPI_Type_contiguous(4, MPI_UINT32_T, &matrix_type);
  MPI_Type_commit(&matrix_type);
  for (int i = 0; i < COMMS; i++) parts[i].comm = MPI_COMM_NULL;
  for (int i = 0; i < COMMS; i++) make_part(&parts[i], i == 0);
  for (call = 0; call < calls; call++) {
    const part_t *p = &parts[draw(COMMS)];
    uint64_t kept = shared; /* members of other parts draw differently many numbers */
    switch (draw(16)) {
    case 0:
    case 1:
      try_bcast(p);
      break;
    case 2:
    case 3:
      try_reduce(p, 0);
      break;
    case 4:
    case 5:
      try_reduce(p, 1);
      break;
    case 6:
      try_barrier(p);
      break;
    case 7:
      try_progress(p);
      break;
    case 8:
    case 9:
      try_gather(p, 0);
      break;
    case 10:
    case 11:
      try_gather(p, 1);
      break;
    case 12:
    case 13:
      try_reduce_block(p);
      break;
    default:
      try_scatter(p);
    }
    if (wrong) {
      fflush(stdout);
      MPI_Abort(MPI_COMM_WORLD, 1); /* others may be far ahead */
    }
    shared = mix(kept);
    if (draw(50) == 0) make_part(&parts[1 + draw(COMMS - 1)], 0);
  }
  for (int i = 0; i < COMMS; i++)
    if (parts[i].comm != MPI_COMM_WORLD) MPI_Comm_free(&parts[i].comm);
  if (world_rank == 0) printf("%ld calls, 0 wrong\n", call);
  MPI_Finalize();
  return 0;
}
