/* SPDX-License-Identifier: BSD-3-Clause */
/* make_calls FOLDER [borders]: makes collective calls and writes what they sent to FOLDER/all and
 * FOLDER/odd, a line each:
 *   OPERATION RANKS COUNT ELEMENT ROOT KIND TAB ALGORITHMS TAB SRC>DST:BYTES …
 * with ranks of the call's communicator and bytes of an element. All ranks call first; then those
 * with odd numbers do, in a communicator of their own that has them in reverse. Operations that
 * have a block for each rank are left out if the blocks have more than 8 MiB together. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

enum { MOST_BYTES = 8 << 20 };
enum { BUILT_IN, USER, IN_ORDER, KINDS }; /* a reduction's operation */
static const char *const kind_names[] = {"built_in", "user", "in_order"};

static char *in, *out;
static MPI_Op own[KINDS];

typedef struct call {
  FILE *f; /* NULL unless the rank is 0 */
  MPI_Comm comm;
  int ranks, count, element, root, kind;
  MPI_Datatype type;
  MPI_Op op;
} call_t;

/* --- operations --- */

static void call_barrier(const call_t *c) { MPI_Barrier(c->comm); }
static void call_bcast(const call_t *c) { MPI_Bcast(in, c->count, c->type, c->root, c->comm); }
static void call_reduce(const call_t *c)
{
  MPI_Reduce(in, out, c->count, c->type, c->op, c->root, c->comm);
}
static void call_allreduce(const call_t *c)
{
  MPI_Allreduce(in, out, c->count, c->type, c->op, c->comm);
}
static void call_gather(const call_t *c)
{
  MPI_Gather(in, c->count, c->type, out, c->count, c->type, c->root, c->comm);
}
static void call_scatter(const call_t *c)
{
  MPI_Scatter(in, c->count, c->type, out, c->count, c->type, c->root, c->comm);
}
static void call_allgather(const call_t *c)
{
  MPI_Allgather(in, c->count, c->type, out, c->count, c->type, c->comm);
}
static void call_alltoall(const call_t *c)
{
  MPI_Alltoall(in, c->count, c->type, out, c->count, c->type, c->comm);
}
static void call_reduce_scatter_block(const call_t *c)
{
  MPI_Reduce_scatter_block(in, out, c->count, c->type, c->op, c->comm);
}
static void call_scan(const call_t *c) { MPI_Scan(in, out, c->count, c->type, c->op, c->comm); }
static void call_exscan(const call_t *c) { MPI_Exscan(in, out, c->count, c->type, c->op, c->comm); }

static const struct {
  const char *name;
  void (*run)(const call_t *c);
  bool has_count, has_root, has_op, has_blocks;
} operations[] = {{"barrier", call_barrier, false, false, false, false},
                  {"bcast", call_bcast, true, true, false, false},
                  {"reduce", call_reduce, true, true, true, false},
                  {"allreduce", call_allreduce, true, false, true, false},
                  {"gather", call_gather, true, true, false, true},
                  {"scatter", call_scatter, true, true, false, true},
                  {"allgather", call_allgather, true, false, false, true},
                  {"alltoall", call_alltoall, true, false, false, true},
                  {"reduce_scatter_block", call_reduce_scatter_block, true, false, true, true},
                  {"scan", call_scan, true, false, true, false},
                  {"exscan", call_exscan, true, false, true, false}};
enum { OPERATIONS = sizeof operations / sizeof *operations };

typedef struct block {
  int count, element; /* bytes of an element: 4 or 1 */
} block_t;

static block_t blocks[80] = {{0, 4},    {1, 4},     {7, 4},     {33, 1},    {256, 4},
                             {2048, 4}, {13001, 1}, {16384, 4}, {262144, 4}};
static int n_blocks = 9;

/* Adds blocks on both sides of sizes where MPIs choose another algorithm. */
static void add_borders(void)
{
  for (int bytes = 2; bytes <= 1 << 20; bytes *= 2)
    for (int i = -1; i <= 1; i++) blocks[n_blocks++] = (block_t){bytes + i, 1};
  blocks[n_blocks++] = (block_t){12288, 1};
  blocks[n_blocks++] = (block_t){12289, 1};
}

/* --- what a call sent --- */

/* Translates destinations to ranks of a communicator, and writes them; returns the text. What a
 * rank sends to itself, as MPICH does, is a copy. */
static char *describe(MPI_Comm comm, const record_message_t *m, size_t n)
{
  int self;
  MPI_Group group, world;
  char *text = malloc(n * 40 + 1), *end = text;
  if (!text) MPI_Abort(MPI_COMM_WORLD, 1);
  *text = '\0';
  MPI_Comm_rank(comm, &self);
  MPI_Comm_group(comm, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  for (size_t i = 0; i < n; i++) {
    int to;
    MPI_Group_translate_ranks(world, 1, &m[i].destination, group, &to);
    if (to != self) end += snprintf(end, 40, " %d>%d:%zu", self, to, m[i].bytes);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  return text;
}

/* Rank 0 of a communicator, which has a file, writes the texts of all in their order. */
static void write_texts(FILE *f, MPI_Comm comm, const char *text)
{
  int self, ranks, n = (int)strlen(text);
  MPI_Comm_rank(comm, &self);
  MPI_Comm_size(comm, &ranks);
  if (self > 0) {
    MPI_Send(text, n, MPI_CHAR, 0, 0, comm);
    return;
  }
  fputs(text, f);
  for (int i = 1; i < ranks; i++) {
    MPI_Status status;
    MPI_Probe(i, 0, comm, &status);
    MPI_Get_count(&status, MPI_CHAR, &n);
    char *other = calloc((size_t)n + 1, 1);
    if (!other) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Recv(other, n, MPI_CHAR, i, 0, comm, MPI_STATUS_IGNORE);
    fputs(other, f);
    free(other);
  }
  fputc('\n', f);
}

/* --- calls --- */

static void make_call(int i, const call_t *c)
{
  size_t n;
  MPI_Barrier(c->comm);
  record_start();
  operations[i].run(c);
  const record_message_t *messages = record_stop(&n);
  char *text = describe(c->comm, messages, n);
  if (c->f)
    fprintf(c->f, "%s %d %d %d %d %s\t%s\t", operations[i].name, c->ranks, c->count, c->element,
            c->root, kind_names[c->kind], record_algorithms());
  write_texts(c->f, c->comm, text);
  free(text);
}

/* Calls an operation with a block: from each root, with operations of each kind. */
static void make_calls_of(int i, int block, MPI_Comm comm, int ranks, FILE *f)
{
  call_t c = {.f = f,
              .comm = comm,
              .ranks = ranks,
              .count = blocks[block].count,
              .element = blocks[block].element};
  int roots = operations[i].has_root && ranks > 1 ? 2 : 1;
  c.type = c.element == 1 ? MPI_BYTE : MPI_INT;
  for (int root = 0; root < roots; root++)
    for (c.kind = BUILT_IN; c.kind < (operations[i].has_op ? KINDS : USER); c.kind++) {
      c.root = root ? ranks - 1 - ranks / 3 : 0;
      c.op = c.kind != BUILT_IN ? own[c.kind] : c.element == 1 ? MPI_BOR : MPI_SUM;
      make_call(i, &c);
    }
}

static void make_calls(MPI_Comm comm, const char *folder, const char *name)
{
  int ranks, self;
  char path[512];
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &self);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = self == 0 ? fopen(path, "w") : NULL;
  if (self == 0 && !f) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < OPERATIONS; i++)
    for (int block = 0; block < (operations[i].has_count ? n_blocks : 1); block++) {
      long bytes = (long)blocks[block].count * blocks[block].element;
      if (!operations[i].has_blocks || bytes * ranks <= MOST_BYTES)
        make_calls_of(i, block, comm, ranks, f);
    }
  if (f && fclose(f)) MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Leaves what is there: results don't matter. */
static void keep(void *left, void *right, int *n, MPI_Datatype *type)
{
  (void)left, (void)right, (void)n, (void)type;
}

int main(int argc, char **argv)
{
  int rank;
  MPI_Comm odd;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Op_create(keep, 1, &own[USER]);
  MPI_Op_create(keep, 0, &own[IN_ORDER]);
  in = calloc(MOST_BYTES, 1);
  out = calloc(MOST_BYTES, 1);
  if (argc > 2) add_borders();
  if (argc < 2 || !in || !out) MPI_Abort(MPI_COMM_WORLD, 1);
  record_prepare();
  make_calls(MPI_COMM_WORLD, argv[1], "all");
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2 ? 0 : MPI_UNDEFINED, -rank, &odd);
  if (odd != MPI_COMM_NULL) make_calls(odd, argv[1], "odd");
  free(in);
  free(out);
  return MPI_Finalize();
}
