/* SPDX-License-Identifier: BSD-3-Clause */
/* make_calls FOLDER [WORD…]: makes collective calls and writes what they sent to files of FOLDER, a
 * line each:
 *   OPERATION RANKS COUNT ELEMENT ROOT KIND TAB ALGORITHMS TAB SRC>DST:BYTES …
 * with ranks of the call's communicator and bytes of an element. KIND is that of the reduction's
 * operation, and has "+in_place" behind it if all ranks gave MPI_IN_PLACE. If an operation's blocks
 * may differ, COUNT is a list with commas, for pairs of ranks by source, then by destination. All
 * ranks call first: all; nonblocking and persistent, where operations are called "ibcast" and
 * "bcast_init". Then those with odd numbers do, in a communicator of their own that has them in
 * reverse: odd. Operations that have a block for each rank are left out if the blocks have more
 * than 8 MiB together.
 *
 * Words ask for more. borders: blocks on both sides of sizes where MPIs choose another algorithm.
 * in_place, nonblocking_in_place, persistent_in_place: the same calls with MPI_IN_PLACE. hosts:
 * communicators that have the ranks in another order (mixed) and host by host (gathered,
 * gathered_nonblocking, gathered_persistent); NAME.hosts is the host of each rank, as the MPI sees
 * it. composed: only operations that MPICH composes by hosts. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "record.h"

enum { MOST_BYTES = 8 << 20, LARGE = 65536 };
enum { BUILT_IN, USER, IN_ORDER, KINDS }; /* a reduction's operation */
static const char *const kind_names[] = {"built_in", "user", "in_order"};

static char *in, *out;
static MPI_Op own[KINDS];
static MPI_Datatype large; /* an element of LARGE bytes, for which MPI has no operations */
static bool by_hosts, composed_alone;

typedef struct block {
  int count, element; /* bytes of an element: those of MPI_INT, MPI_BYTE or `large` */
} block_t;

static block_t blocks[80] = {{0, 4},     {1, 4},     {7, 4},      {33, 1},    {256, 4},  {2048, 4},
                             {13001, 1}, {16384, 4}, {262144, 4}, {1, LARGE}, {3, LARGE}};
static int n_blocks = 11;

/* Adds blocks on both sides of sizes where MPIs choose another algorithm. */
static void add_borders(void)
{
  for (int bytes = 2; bytes <= 1 << 20; bytes *= 2)
    for (int i = -1; i <= 1; i++) blocks[n_blocks++] = (block_t){bytes + i, 1};
  blocks[n_blocks++] = (block_t){12288, 1};
  blocks[n_blocks++] = (block_t){12289, 1};
}

/* --- blocks that differ --- */

enum { SHAPES = 4 };

/* Elements of block i of n: all are equal; some are empty; all but one are; all differ. */
static int shaped(int shape, int count, int i, int n)
{
  return shape == 0   ? count
         : shape == 1 ? count * (i * i % 7 % 3)
         : shape == 2 ? (i == n / 2 ? count : 0)
                      : count / 2 + i % 5;
}

/* Where blocks begin. */
static void find_places(const int *counts, int n, int *at)
{
  at[0] = 0;
  for (int i = 1; i < n; i++) at[i] = at[i - 1] + counts[i - 1];
}

/* Blocks of pairs are the same both ways if they are in place. */
static int index_of(const call_t *c, bool pairs, int i)
{
  int from = i / c->ranks, to = i % c->ranks;
  return pairs && c->in_place && from > to ? to * c->ranks + from : i;
}

/* Fills the blocks of a call; false: they are too large. */
static bool take_shape(call_t *c, int operation, int shape, int *counts)
{
  long bytes = 0;
  bool pairs = operations[operation].has_pairs;
  int n = pairs ? c->ranks * c->ranks : c->ranks;
  for (int i = 0; i < n; i++) {
    counts[i] = shaped(shape, c->count, index_of(c, pairs, i), n);
    bytes += (long)counts[i] * c->element;
  }
  if (bytes > MOST_BYTES) return false;
  c->counts = counts;
  for (int i = 0; i < c->ranks; i++) {
    c->sent[i] = counts[pairs ? c->self * c->ranks + i : i];
    c->got[i] = counts[pairs ? i * c->ranks + c->self : i];
  }
  find_places(c->sent, c->ranks, c->sent_at);
  find_places(c->got, c->ranks, c->got_at);
  for (int i = 0; i < c->ranks; i++) {
    c->types[i] = c->type;
    c->sent_byte[i] = c->sent_at[i] * c->element;
    c->got_byte[i] = c->got_at[i] * c->element;
  }
  return true;
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

static void write_call(int i, const call_t *c)
{
  int n = !operations[i].has_counts ? 0 : operations[i].has_pairs ? c->ranks * c->ranks : c->ranks;
  fprintf(c->f, "%s%s%s %d ", c->way == NONBLOCKING ? "i" : "", operations[i].name,
          c->way == PERSISTENT ? "_init" : "", c->ranks);
  if (n == 0) fprintf(c->f, "%d", c->count);
  for (int k = 0; k < n; k++) fprintf(c->f, "%s%d", k ? "," : "", c->counts[k]);
  fprintf(c->f, " %d %d %s%s\t%s\t", c->element, c->root, kind_names[c->kind],
          c->in_place ? "+in_place" : "", c->way == BLOCKING ? record_algorithms() : "?");
}

static void make_call(int i, const call_t *c)
{
  size_t n;
  MPI_Barrier(c->comm);
  record_start();
  operations[i].run(c);
  const record_message_t *messages = record_stop(&n);
  char *text = describe(c->comm, messages, n);
  if (c->f) write_call(i, c);
  write_texts(c->f, c->comm, text);
  free(text);
}

/* Calls an operation from each root, with operations of each kind. */
static void make_calls_of(int i, call_t *c)
{
  int roots = operations[i].has_root && c->ranks > 1 ? 2 : 1;
  for (int root = 0; root < roots; root++)
    for (c->kind = BUILT_IN; c->kind < (operations[i].has_op ? KINDS : USER); c->kind++) {
      if (operations[i].has_op && c->kind == BUILT_IN && c->element == LARGE) continue;
      c->root = root ? c->ranks - 1 - c->ranks / 3 : 0;
      c->op = c->kind != BUILT_IN ? own[c->kind] : c->element == 1 ? MPI_BOR : MPI_SUM;
      make_call(i, c);
    }
}

/* Calls an operation with a block, or with blocks of all shapes. */
static void make_calls_with(int i, int block, call_t c)
{
  static int counts[MOST_RANKS * MOST_RANKS];
  c.count = blocks[block].count;
  c.element = blocks[block].element;
  c.type = c.element == 1 ? MPI_BYTE : c.element == LARGE ? large : MPI_INT;
  if (!operations[i].has_counts) make_calls_of(i, &c);
  for (int shape = 0; operations[i].has_counts && shape < SHAPES; shape++)
    if (take_shape(&c, i, shape, counts)) make_calls_of(i, &c);
}

static bool is_composed(const char *name)
{
  static const char *const names[] = {"barrier", "bcast", "reduce", "allreduce", "scan"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

/* What the MPI can't do. */
static bool is_left_out(int i, const call_t *c, long bytes)
{
  const char *name = operations[i].name;
  if (composed_alone && !is_composed(name)) return true;
#ifdef OMPI_MAJOR_VERSION
  (void)bytes;
  bool hangs = c->way != BLOCKING && strcmp(name, "reduce_scatter") == 0; /* on 7 ranks */
  return c->in_place && hangs;
#else
  /* copies its input to itself, which it has an assertion against */
  bool aborts = strcmp(name, "reduce_scatter") == 0 &&
                (bytes * c->ranks >= 524288 || (c->ranks & (c->ranks - 1)) != 0);
  return c->in_place && aborts;
#endif
}

static void make_all_calls(const call_t *c)
{
  for (int i = 0; i < n_operations; i++)
    for (int block = 0; block < (operations[i].has_count ? n_blocks : 1); block++) {
      long bytes = (long)blocks[block].count * blocks[block].element;
      if (is_left_out(i, c, bytes)) continue;
      if (!operations[i].has_blocks || bytes * c->ranks <= MOST_BYTES)
        make_calls_with(i, block, *c);
    }
}

/* The host of the calling rank: the lowest rank there. */
static int host_of(MPI_Comm comm)
{
  int self, host;
  MPI_Comm local;
  MPI_Comm_rank(comm, &self);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
  MPI_Allreduce(&self, &host, 1, MPI_INT, MPI_MIN, local);
  MPI_Comm_free(&local);
  return host;
}

/* Writes the host of each rank. */
static void write_hosts(const call_t *c, const char *path)
{
  char name[520];
  int host = host_of(c->comm), hosts[MOST_RANKS];
  MPI_Gather(&host, 1, MPI_INT, hosts, 1, MPI_INT, 0, c->comm);
  if (c->self > 0) return;
  snprintf(name, sizeof name, "%s.hosts", path);
  FILE *f = fopen(name, "w");
  if (!f) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < c->ranks; i++) fprintf(f, "%s%d", i ? "," : "", hosts[i]);
  if (fclose(f)) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void make_calls(MPI_Comm comm, way_t way, bool in_place, const char *folder,
                       const char *name)
{
  char path[512];
  call_t c = {.comm = comm, .way = way, .in_place = in_place, .in = in, .out = out};
  MPI_Comm_size(comm, &c.ranks);
  MPI_Comm_rank(comm, &c.self);
  if (c.ranks > MOST_RANKS) MPI_Abort(MPI_COMM_WORLD, 1);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (by_hosts) write_hosts(&c, path);
  c.f = c.self == 0 ? fopen(path, "w") : NULL;
  if (c.self == 0 && !c.f) MPI_Abort(MPI_COMM_WORLD, 1);
  make_all_calls(&c);
  if (c.f && fclose(c.f)) MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Leaves what is there: results don't matter. */
static void keep(void *left, void *right, int *n, MPI_Datatype *type)
{
  (void)left, (void)right, (void)n, (void)type;
}

static bool has_word(int argc, char **argv, const char *word)
{
  for (int i = 2; i < argc; i++)
    if (strcmp(argv[i], word) == 0) return true;
  return false;
}

int main(int argc, char **argv)
{
  int rank;
  MPI_Comm odd;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Op_create(keep, 1, &own[USER]);
  MPI_Op_create(keep, 0, &own[IN_ORDER]);
  MPI_Type_contiguous(LARGE, MPI_BYTE, &large);
  MPI_Type_commit(&large);
  in = calloc(MOST_BYTES, 1);
  out = calloc(MOST_BYTES, 1);
  if (has_word(argc, argv, "borders")) add_borders();
  by_hosts = has_word(argc, argv, "hosts");
  composed_alone = has_word(argc, argv, "composed");
  if (argc < 2 || !in || !out) MPI_Abort(MPI_COMM_WORLD, 1);
  record_prepare();
  make_calls(MPI_COMM_WORLD, BLOCKING, false, argv[1], "all");
  make_calls(MPI_COMM_WORLD, NONBLOCKING, false, argv[1], "nonblocking");
  make_calls(MPI_COMM_WORLD, PERSISTENT, false, argv[1], "persistent");
  if (has_word(argc, argv, "in_place"))
    make_calls(MPI_COMM_WORLD, BLOCKING, true, argv[1], "in_place");
  if (has_word(argc, argv, "nonblocking_in_place"))
    make_calls(MPI_COMM_WORLD, NONBLOCKING, true, argv[1], "nonblocking_in_place");
  if (has_word(argc, argv, "persistent_in_place"))
    make_calls(MPI_COMM_WORLD, PERSISTENT, true, argv[1], "persistent_in_place");
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2 ? 0 : MPI_UNDEFINED, -rank, &odd);
  if (odd != MPI_COMM_NULL) make_calls(odd, BLOCKING, false, argv[1], "odd");
  if (by_hosts) {
    MPI_Comm mixed, gathered;
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank * 7 % 5, &mixed);
    MPI_Comm_split(MPI_COMM_WORLD, 0, host_of(MPI_COMM_WORLD), &gathered);
    make_calls(mixed, BLOCKING, false, argv[1], "mixed");
    make_calls(gathered, BLOCKING, false, argv[1], "gathered");
    make_calls(gathered, NONBLOCKING, false, argv[1], "gathered_nonblocking");
    make_calls(gathered, PERSISTENT, false, argv[1], "gathered_persistent");
  }
  MPI_Type_free(&large);
  free(in);
  free(out);
  return MPI_Finalize();
}
