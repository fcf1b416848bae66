/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls of every kind, with what a trace has to hold of them. */
#include "truth.h"

/* Writes an expected collective, once: by the first of the list. */
static void expect_coll(const char *op, const int *list, int n, double bytes, int root, int count)
{
  if (rank != list[0]) return;
  fprintf(expected, "coll %s ", op);
  for (int i = 0; i < n; i++) fprintf(expected, "%s%d", i ? "," : "", list[i]);
  fprintf(expected, " %.0f ", bytes);
  if (root < 0)
    fprintf(expected, "- %d\n", count);
  else
    fprintf(expected, "%d %d\n", root, count);
}

static void rooted_collectives(MPI_Comm comm, const int *list, int n)
{
  int own, counts[n], displs[n];
  MPI_Comm_rank(comm, &own);
  for (int i = 0; i < n; i++) counts[i] = i + 1, displs[i] = i * 64;
  void *recv_in_place = own == 1 ? MPI_IN_PLACE : in;
  const void *send_in_place = own == 1 ? MPI_IN_PLACE : out;
  MPI_Bcast(out, 5, MPI_INT, 1, comm);
  MPI_Gather(send_in_place, 6, MPI_BYTE, in, 6, MPI_BYTE, 1, comm);
  MPI_Gatherv(out, own + 1, MPI_INT, in, counts, displs, MPI_INT, 0, comm);
  MPI_Scatter(out, 7, MPI_BYTE, recv_in_place, 7, MPI_BYTE, 1, comm);
  MPI_Scatterv(out, counts, displs, MPI_INT, in, own + 1, MPI_INT, 0, comm);
  MPI_Reduce(out, in, 8, MPI_INT, MPI_MAX, 0, comm);
  expect_coll("MPI_Bcast", list, n, 20, 1, 1);
  expect_coll("MPI_Gather", list, n, 6, 1, 1);
  expect_coll("MPI_Gatherv", list, n, (int)(4 * (n + 1) / 2.0 + 0.5), 0, 1);
  expect_coll("MPI_Scatter", list, n, 7, 1, 1);
  expect_coll("MPI_Scatterv", list, n, (int)(4 * (n + 1) / 2.0 + 0.5), 0, 1);
  expect_coll("MPI_Reduce", list, n, 32, 0, 1);
}

static void rootless_collectives(MPI_Comm comm, const int *list, int n)
{
  int own, counts[n], displs[n], sum = n * (n + 1) / 2;
  MPI_Datatype types[n];
  MPI_Comm_rank(comm, &own);
  for (int i = 0; i < n; i++) counts[i] = i + 1, displs[i] = i * 64, types[i] = MPI_BYTE;
  MPI_Barrier(comm);
  MPI_Allgather(out, 3, MPI_INT, in, 3, MPI_INT, comm);
  MPI_Allgatherv(out, own + 1, MPI_BYTE, in, counts, displs, MPI_BYTE, comm);
  MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm);
  for (int i = 0; i < n; i++) counts[i] = 9;
  MPI_Alltoallv(out, counts, displs, MPI_BYTE, in, counts, displs, MPI_BYTE, comm);
  MPI_Alltoallw(out, counts, displs, types, in, counts, displs, types, comm);
  for (int i = 0; i < 3; i++) MPI_Allreduce(MPI_IN_PLACE, in, 4, MPI_INT, MPI_MAX, comm);
  MPI_Scan(out, in, 5, MPI_INT, MPI_MAX, comm);
  MPI_Exscan(out, in, 6, MPI_INT, MPI_MAX, comm);
  for (int i = 0; i < n; i++) counts[i] = i + 1;
  MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_MAX, comm);
  MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_MAX, comm);
  expect_coll("MPI_Barrier", list, n, 0, -1, 1);
  expect_coll("MPI_Allgather", list, n, 12, -1, 1);
  expect_coll("MPI_Allgatherv", list, n, (int)((n + 1) / 2.0 + 0.5), -1, 1);
  expect_coll("MPI_Alltoall", list, n, 8.0 * n, -1, 1);
  expect_coll("MPI_Alltoallv", list, n, 9.0 * n, -1, 1);
  expect_coll("MPI_Alltoallw", list, n, 9.0 * n, -1, 1);
  expect_coll("MPI_Allreduce", list, n, 16, -1, 3);
  expect_coll("MPI_Scan", list, n, 20, -1, 1);
  expect_coll("MPI_Exscan", list, n, 24, -1, 1);
  expect_coll("MPI_Reduce_scatter", list, n, 4.0 * sum, -1, 1);
  expect_coll("MPI_Reduce_scatter_block", list, n, 8.0 * n, -1, 1);
}

static void nonblocking_collectives(MPI_Comm comm, const int *list, int n)
{
  MPI_Request r[3];
  MPI_Ibarrier(comm, &r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Ibcast(out, 5, MPI_INT, 0, comm, &r[0]);
  MPI_Iallreduce(MPI_IN_PLACE, in, 4, MPI_INT, MPI_MAX, comm, &r[1]);
  MPI_Ialltoall(out + ROOM / 2, 2, MPI_INT, in + ROOM / 2, 2, MPI_INT, comm, &r[2]);
  MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
  expect_coll("MPI_Ibarrier", list, n, 0, -1, 1);
  expect_coll("MPI_Ibcast", list, n, 20, 0, 1);
  expect_coll("MPI_Iallreduce", list, n, 16, -1, 1);
  expect_coll("MPI_Ialltoall", list, n, 8.0 * n, -1, 1);
}

/* On a communicator with ranks of one parity, in reverse order. */
void collectives(void)
{
  MPI_Comm half;
  int list[ranks], n = 0;
  for (int r = ranks - 1; r >= 0; r--)
    if (r % 2 == rank % 2) list[n++] = r;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  rooted_collectives(half, list, n);
  rootless_collectives(half, list, n);
  nonblocking_collectives(half, list, n);
  MPI_Comm_free(&half);
}

/* bytes of all ranks together as their mean, for neighbourhood collectives of all ranks */
static void expect_mean(const char *op, int bytes)
{
  int list[ranks];
  for (int i = 0; i < ranks; i++) list[i] = i;
  expect_coll(op, list, ranks, (bytes + ranks / 2) / ranks, -1, 1);
}

/* A call's message to each end of a row that there is. */
static void expect_row(int down, int up)
{
  if (rank > 0) expect(rank - 1, down, 1);
  if (rank < ranks - 1) expect(rank + 1, up, 1);
}

/* On a row, whose ends have one neighbour. */
static void on_a_row(MPI_Comm row)
{
  MPI_Comm plain;
  MPI_Request q;
  int pairs = 2 * (ranks - 1), two[] = {1, 1}, one[] = {1, 2}, displs[] = {0, 64};
  MPI_Neighbor_allgather(out, 3, MPI_INT, in, 3, MPI_INT, row);
  expect_mean("MPI_Neighbor_allgather", 12 * pairs);
  expect_row(12, 12);
  MPI_Neighbor_allgatherv(out, 1, MPI_INT, in, two, displs, MPI_INT, row);
  expect_mean("MPI_Neighbor_allgatherv", 4 * pairs);
  expect_row(4, 4);
  /* what goes up to a neighbour comes from below there */
  int received[] = {2, 1};
  MPI_Neighbor_alltoallv(out, one, displs, MPI_INT, in, received, displs, MPI_INT, row);
  expect_mean("MPI_Neighbor_alltoallv", 4 * 3 * (ranks - 1));
  expect_row(4, 8);
#if MPI_VERSION >= 4
  MPI_Aint places[] = {0, 64};
  MPI_Count many[] = {1, 2}, back[] = {2, 1};
  MPI_Neighbor_alltoallv_c(out, many, places, MPI_INT, in, back, places, MPI_INT, row);
  expect_mean("MPI_Neighbor_alltoallv_c", 4 * 3 * (ranks - 1));
  expect_row(4, 8);
#endif
  MPI_Comm_idup(row, &plain, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  MPI_Ineighbor_allgather(out, 3, MPI_BYTE, in, 3, MPI_BYTE, plain, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  expect_mean("MPI_Ineighbor_allgather", 3 * pairs);
  expect_row(3, 3);
  MPI_Comm_set_errhandler(plain, MPI_ERRORS_RETURN);
  if (MPI_Neighbor_alltoall(out, -1, MPI_BYTE, in, -1, MPI_BYTE, plain) == MPI_SUCCESS)
    fprintf(stderr, "truth: a wrong neighbourhood collective was not refused\n");
  MPI_Comm_free(&plain);
}

/* On a ring where each sends to the next two, one of them twice, and to itself. */
static void on_a_ring(void)
{
  MPI_Comm ring;
  MPI_Request q;
  int far = (rank + 2) % ranks, from_far = (rank + ranks - 2) % ranks;
  int from[] = {before, from_far, before, rank}, to[] = {next, far, next, rank};
  int counts[] = {1, 2, 3, 4};
  MPI_Aint places[] = {0, 64, 128, 192};
  MPI_Datatype types[] = {MPI_BYTE, MPI_INT, MPI_BYTE, MPI_INT};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 4, from, MPI_UNWEIGHTED, 4, to, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &ring);
  MPI_Neighbor_alltoall(out, 5, MPI_BYTE, in, 5, MPI_BYTE, ring);
  expect_mean("MPI_Neighbor_alltoall", 20 * ranks);
  MPI_Ineighbor_alltoall(out, 6, MPI_BYTE, in, 6, MPI_BYTE, ring, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  expect_mean("MPI_Ineighbor_alltoall", 24 * ranks);
  for (int size = 5; size <= 6; size++) {
    expect(next, size, 2);
    expect(far, size, 1);
    expect(rank, size, 1);
  }
  MPI_Neighbor_alltoallw(out, counts, places, types, in, counts, places, types, ring);
  expect_mean("MPI_Neighbor_alltoallw", 28 * ranks);
  expect(next, 1, 1);
  expect(far, 8, 1);
  expect(next, 3, 1);
  expect(rank, 16, 1);
  MPI_Comm_free(&ring);
}

/* On a graph: a star around the last rank, in an order of ranks that is reversed. */
static void on_a_graph(void)
{
  MPI_Comm reversed, star;
  int index[ranks], edges[2 * ranks], n = 0, own;
  for (int r = 1; r < ranks; r++) edges[n++] = r;
  index[0] = n;
  for (int r = 1; r < ranks; r++) edges[n++] = 0, index[r] = n;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Graph_create(reversed, ranks, index, edges, 0, &star);
  MPI_Comm_rank(star, &own);
  MPI_Neighbor_allgather(out, 50, MPI_BYTE, in, 50, MPI_BYTE, star);
  int list[ranks];
  for (int r = 0; r < ranks; r++) list[r] = ranks - 1 - r;
  expect_coll("MPI_Neighbor_allgather", list, ranks, (100 * (ranks - 1) + ranks / 2) / ranks, -1,
              1);
  if (own) expect(ranks - 1, 50, 1);
  for (int r = 0; !own && r < ranks - 1; r++) expect(r, 50, 1);
  MPI_Comm_free(&star);
  MPI_Comm_free(&reversed);
}

void neighbourhoods(void)
{
  MPI_Comm row;
  int open_ended = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &open_ended, 0, &row);
  on_a_row(row);
  MPI_Comm_free(&row);
  on_a_ring();
  on_a_graph();
}

#if MPI_VERSION >= 4
/* Each is a call, and messages to neighbours, whenever it is started. */
void persistent_collectives(void)
{
  MPI_Request r[4];
  MPI_Comm row;
  int list[ranks], closed = 0, counts[] = {1, 2}, back[] = {2, 1}, displs[] = {0, 64};
  for (int i = 0; i < ranks; i++) list[i] = i;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &closed, 0, &row);
  MPI_Bcast_init(out, 70, MPI_BYTE, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
  MPI_Allreduce_init(MPI_IN_PLACE, in, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
  MPI_Neighbor_alltoallv_init(out, counts, displs, MPI_INT, in, back, displs, MPI_INT, row,
                              MPI_INFO_NULL, &r[2]);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r[3]); /* never started */
  for (int i = 0; i < 3; i++) {
    MPI_Start(&r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Startall(2, r + 1);
    MPI_Waitall(2, r + 1, MPI_STATUSES_IGNORE);
    expect_row(4, 8);
  }
  for (int i = 0; i < 4; i++) MPI_Request_free(&r[i]);
  expect_coll("MPI_Bcast_init", list, ranks, 70, 1, 3);
  expect_coll("MPI_Allreduce_init", list, ranks, 12, -1, 3);
  expect_coll("MPI_Neighbor_alltoallv_init", list, ranks, (12 * (ranks - 1) + ranks / 2) / ranks,
              -1, 3);
  MPI_Comm_free(&row);
}

#else
void persistent_collectives(void) {}
#endif

/* Both groups of an intercommunicator; the root is in the lower one. */
static void on_an_intercommunicator(int n_low)
{
  MPI_Comm part, inter;
  int low = rank < n_low, own, list[ranks];
  for (int i = 0; i < ranks; i++) list[i] = i;
  MPI_Comm_split(MPI_COMM_WORLD, low, rank, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, low ? n_low : 0, 78, &inter);
  MPI_Comm_rank(part, &own);
  int root = !low ? 1 : own == 1 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Bcast(out, 45, MPI_BYTE, root, inter);
  expect_coll("MPI_Bcast", list, ranks, 45, 1, 1);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&part);
}

/* The same members in other groups are another communicator. */
void intercommunicator_collectives(void)
{
  int list[ranks];
  for (int i = 0; i < ranks; i++) list[i] = i;
  expect_coll("MPI_Barrier", list, ranks, 0, -1, barriers);
  on_an_intercommunicator(ranks / 2);
  on_an_intercommunicator(ranks - 1);
}
