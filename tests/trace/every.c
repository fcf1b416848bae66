/* SPDX-License-Identifier: BSD-3-Clause */
/* What the cases of every_table.py have in common, in C: run by 4 ranks. every.py writes the cases,
 * for the functions that the MPI has, to every_cases.h.
 *
 *   every FILE    a file for MPI-IO */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

enum { ROOM = 16384, TAG = 5, N = 4 };

static int out[ROOM], in[ROOM], memory[64];
static int rank, next, before, peer, parity, root, own, size, n, mine, leader, high;
static int two[] = {2, 2}, closed[] = {0, 0}, remain[] = {1, 0}, one[] = {1};
static int ends[] = {2, 4, 6, 8}, edges[] = {1, 3, 0, 2, 1, 3, 0, 2};
static int own_list[1], next_list[1], before_list[1]; /* on a ring of the ranks in reverse */
static MPI_Aint places[] = {0, 64, 128, 192}, address, there;
static MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
static MPI_Comm backwards, part, inter, row, grid, star, ring, made;
static MPI_Group everyone, swapped, to, from;
static MPI_Request q, r, qs[1];
static MPI_Win win, fenced, made_win;
static MPI_File file;
static void *base;
static char *path, *paths[2], port[MPI_MAX_PORT_NAME];
static int fd; /* a socket between ranks 0 and 1 */
static MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
#if MPI_VERSION >= 4
static MPI_Session session;
static MPI_Group group, half, other;
#endif

void pair_listen_(int *port), pair_connect_(const int *port, int *fd), pair_accept_(int *fd);

#include "every_cases.h"

static void numbers(void)
{
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  next = (rank + 1) % N, before = (rank + N - 1) % N, peer = rank % 2, parity = rank % 2;
  own_list[0] = 3 - rank, next_list[0] = (4 - rank) % N, before_list[0] = (6 - rank) % N;
  root = rank == 0 ? MPI_PROC_NULL : rank == 1 ? MPI_ROOT : 1;
}

static void communicators(void)
{
  int to_star[] = {1, 2, 3, 0, 0, 0}, ends_star[] = {3, 4, 5, 6};
  int heard[] = {before, (rank + 2) % N, before, rank}, told[] = {next, (rank + 2) % N, next, rank};
  int four = N, order[] = {2, 3, 0, 1};
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 7, &inter);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &four, closed, 0, &row);
  MPI_Cart_create(backwards, 2, two, closed, 0, &grid);
  MPI_Graph_create(backwards, N, ends_star, to_star, 0, &star);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 4, heard, MPI_UNWEIGHTED, 4, told, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &ring);
  MPI_Comm_group(MPI_COMM_WORLD, &everyone);
  MPI_Group_incl(everyone, 4, order, &swapped);
  MPI_Group_incl(everyone, 1, &next, &to);
  MPI_Group_incl(everyone, 1, &before, &from);
}

static void connect_two(void)
{
  int at;
  if (rank == 0) pair_listen_(&at);
  MPI_Bcast(&at, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 1) pair_connect_(&at, &fd);
  if (rank == 0) pair_accept_(&fd);
}

/* Those whom the cases spawn: the first of the parents sends to the first of them. */
static void child(MPI_Comm parents)
{
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) MPI_Recv(in, 5, MPI_INT, 0, TAG, parents, MPI_STATUS_IGNORE);
  MPI_Barrier(parents);
  MPI_Comm_disconnect(&parents);
}

static void parent(char *name)
{
  static char buffer[1 << 16];
  int bytes;
  void *detached;
  numbers();
  communicators();
  connect_two();
  MPI_Buffer_attach(buffer, sizeof buffer);
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &fenced);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_set_size(file, 1 << 16); /* Open MPI waits for ever at the end of a file */
  case_all();
  MPI_File_close(&file);
  MPI_Win_free(&win);
  MPI_Win_free(&fenced);
  MPI_Buffer_detach(&detached, &bytes);
}

int main(int argc, char **argv)
{
  MPI_Comm parents;
  MPI_Init(&argc, &argv);
  paths[0] = paths[1] = path = argv[0];
  MPI_Comm_get_parent(&parents);
  if (parents == MPI_COMM_NULL)
    parent(argv[1]);
  else
    child(parents);
  MPI_Finalize();
  return 0;
}
