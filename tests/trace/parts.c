/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls of which each rank has a part of its own, with amounts that differ from call to
 * call. Each rank writes to EXPECTED.RANK what it gave, as `acp.py parts` writes it of a trace:
 *
 *   part OP RANKS RANK BYTES        ranks of the communicator, separated by commas
 *   row OP RANKS RANK TO BYTES
 *
 *   parts EXPECTED steps            in segments that are told apart by their call sites
 *   parts EXPECTED halves           in segments of two kinds, of which rank 0 alone knows, with as
 *                                   many calls in each, but nothing to two ranks in the first
 *   parts EXPECTED phases N         in N phases that the program tells apart */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, ROOM = 64, STEPS = 12 }; /* ROOM: items for a rank */

/* Of an operation on a communicator, so far. */
typedef struct tally {
  const char *op;
  int n, list[MOST];
  long part, row[MOST];
} tally_t;

static tally_t tallies[32];
static int n_tallies, rank, ranks;
static char out[4 * MOST * ROOM], in[4 * MOST * ROOM];

static tally_t *tally(const char *op, MPI_Comm comm)
{
  tally_t new = {.op = op};
  MPI_Group world, group;
  int own[MOST];
  MPI_Comm_size(comm, &new.n);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm_group(comm, &group);
  for (int i = 0; i < new.n; i++) own[i] = i;
  MPI_Group_translate_ranks(group, new.n, own, world, new.list);
  MPI_Group_free(&world);
  MPI_Group_free(&group);
  for (int i = 0; i < n_tallies; i++)
    if (strcmp(tallies[i].op, op) == 0 && tallies[i].n == new.n &&
        memcmp(tallies[i].list, new.list, sizeof new.list) == 0)
      return &tallies[i];
  tallies[n_tallies] = new;
  return &tallies[n_tallies++];
}

static void gave(const char *op, MPI_Comm comm, int bytes) { tally(op, comm)->part += bytes; }

static void sent(const char *op, MPI_Comm comm, const int *counts, int size, int times)
{
  tally_t *t = tally(op, comm);
  for (int i = 0; i < t->n; i++) {
    t->row[i] += (long)times * size * counts[i];
    t->part += (long)times * size * counts[i];
  }
}

static void write_tallies(const char *name)
{
  char path[4096];
  snprintf(path, sizeof path, "%s.%d", name, rank);
  FILE *f = fopen(path, "w");
  for (int i = 0; f && i < n_tallies; i++) {
    const tally_t *t = &tallies[i];
    char what[256];
    int n = snprintf(what, sizeof what, "%s ", t->op);
    for (int k = 0; k < t->n; k++) n += sprintf(what + n, "%s%d", k ? "," : "", t->list[k]);
    if (t->part) fprintf(f, "part %s %d %ld\n", what, rank, t->part);
    for (int k = 0; k < t->n; k++)
      if (t->row[k]) fprintf(f, "row %s %d %d %ld\n", what, rank, t->list[k], t->row[k]);
  }
  if (!f || fclose(f)) exit(90);
}

/* Items of one rank for another in a step: of some none. */
static int items(int src, int dst, int step) { return (3 * src + 2 * dst + 7 * step) % 5; }

static int displs[MOST];

static void exchange(MPI_Comm comm, int step)
{
  int own, n, there[MOST], back[MOST];
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &n);
  for (int i = 0; i < n; i++) there[i] = items(own, i, step), back[i] = items(i, own, step);
  MPI_Alltoallv(out, there, displs, MPI_SHORT, in, back, displs, MPI_SHORT, comm);
  sent("MPI_Alltoallv", comm, there, 2, 1);
}

static void share(MPI_Comm comm, int step)
{
  int own, n, counts[MOST];
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &n);
  for (int i = 0; i < n; i++) counts[i] = items(i, 1, step);
  MPI_Allgatherv(out, counts[own], MPI_CHAR, in, counts, displs, MPI_CHAR, comm);
  gave("MPI_Allgatherv", comm, counts[own]);
}

/* A step is a segment; each third is of another kind. */
static void steps(void)
{
  for (int step = 0; step < STEPS; step++) {
    MPI_Sendrecv(out, 9, MPI_CHAR, (rank + 1) % ranks, 0, in, 9, MPI_CHAR,
                 (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    exchange(MPI_COMM_WORLD, step);
    if (step % 3 == 2) share(MPI_COMM_WORLD, step);
  }
}

static void halves(void)
{
  int counts[MOST], back[MOST];
  for (int step = 0; step < STEPS; step++) {
    if (rank == 0) MPI_Send(out, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (rank == 0 && step % 2) MPI_Send(out, 2, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 1 && i <= step % 2; i++)
      MPI_Recv(in, 2, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < ranks; i++) counts[i] = step || i > 1, back[i] = step || rank > 1;
    MPI_Alltoallv(out, counts, displs, MPI_CHAR, in, back, displs, MPI_CHAR, MPI_COMM_WORLD);
    sent("MPI_Alltoallv", MPI_COMM_WORLD, counts, 1, 1);
  }
}

static void phases(int n)
{
  for (int i = 0; i < n; i++) {
    MPI_Pcontrol(i + 2);
    exchange(MPI_COMM_WORLD, 2 * i);
    exchange(MPI_COMM_WORLD, 2 * i + 1);
    share(MPI_COMM_WORLD, i);
  }
  MPI_Pcontrol(1);
}

/* What there is to send stands where what is received goes. */
static void in_place(MPI_Comm comm)
{
  int own, n, counts[MOST], both[MOST];
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &n);
  for (int i = 0; i < n; i++) counts[i] = i + 1, both[i] = own + i;
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_CHAR, in, both, displs, MPI_CHAR, comm);
  sent("MPI_Alltoallv", comm, both, 1, 1);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_CHAR, in, counts, displs, MPI_INT, comm);
  gave("MPI_Allgatherv", comm, 4 * (own + 1));
  MPI_Gatherv(own ? out : MPI_IN_PLACE, own + 1, MPI_CHAR, in, counts, displs, MPI_CHAR, 0, comm);
  gave("MPI_Gatherv", comm, own + 1);
  MPI_Scatterv(out, counts, displs, MPI_CHAR, own ? in : MPI_IN_PLACE, own + 1, MPI_CHAR, 0, comm);
  gave("MPI_Scatterv", comm, own + 1);
  MPI_Reduce_scatter(MPI_IN_PLACE, in, counts, MPI_SHORT, MPI_MAX, comm);
  gave("MPI_Reduce_scatter", comm, 2 * (own + 1));
}

/* Each item for the i-th is of i + 1 bytes. */
static void derived(MPI_Comm comm)
{
  int own, n, there[MOST], back[MOST], bytes[MOST];
  MPI_Datatype to[MOST], from[MOST];
  MPI_Request r;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &n);
  for (int i = 0; i < n; i++) {
    MPI_Type_contiguous(i + 1, MPI_CHAR, &to[i]);
    MPI_Type_contiguous(own + 1, MPI_CHAR, &from[i]);
    MPI_Type_commit(&to[i]);
    MPI_Type_commit(&from[i]);
    there[i] = items(own, i, 3), back[i] = items(i, own, 3), bytes[i] = there[i] * (i + 1);
  }
  MPI_Ialltoallw(out, there, displs, to, in, back, displs, from, comm, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  sent("MPI_Ialltoallw", comm, bytes, 1, 1);
  for (int i = 0; i < n; i++) MPI_Type_free(&to[i]), MPI_Type_free(&from[i]);
}

static void refused(void)
{
  int wrong[MOST] = {3, 4, -1, 5, 6, 7, 8, 9};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (MPI_Alltoallv(out, wrong, displs, MPI_CHAR, in, wrong, displs, MPI_CHAR, MPI_COMM_WORLD) ==
      MPI_SUCCESS)
    exit(91);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

#ifdef OPEN_MPI
#define MPI_Alltoallv_init MPIX_Alltoallv_init
#endif
static void persistent(MPI_Comm comm)
{
  int own, n, there[MOST], back[MOST];
  MPI_Request r;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &n);
  for (int i = 0; i < n; i++) there[i] = items(own, i, 1), back[i] = items(i, own, 1);
  MPI_Alltoallv_init(out, there, displs, MPI_CHAR, in, back, displs, MPI_CHAR, comm, MPI_INFO_NULL,
                     &r);
  for (int i = 0; i < 3; i++) {
    MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&r);
  sent("MPI_Alltoallv_init", comm, there, 1, 3);
}

int main(int argc, char **argv)
{
  MPI_Comm some;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < MOST; i++) displs[i] = i * ROOM;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 1, -rank, &some); /* all but rank 1, in reverse */
  if (strcmp(argv[2], "steps") == 0)
    steps();
  else if (strcmp(argv[2], "halves") == 0)
    halves();
  else
    phases(atoi(argv[3]));
  in_place(some);
  derived(some);
  refused();
  persistent(some);
  MPI_Comm_free(&some);
  write_tallies(argv[1]);
  MPI_Finalize();
  return 0;
}
