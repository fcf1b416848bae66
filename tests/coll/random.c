/* SPDX-License-Identifier: BSD-3-Clause */
/* Random collective calls, all of whose results every rank knows: random SEED CALLS. All ranks draw
 * the same calls; a rank's data follow from its number and the call's. Communicators are parts of
 * MPI_COMM_WORLD in any order, and come and go. Now and then, a large message is under way that the
 * MPI must bring to its end while its sender is in a call. Rank 0 prints the number of calls if all
 * were right; else the job is aborted. */
#include "random.h"

enum { COMMS = 4, PENDING = 1 << 20 };

static uint64_t shared; /* the state of the numbers that all ranks draw */
static int world_rank, world_size, wrong;
static long call;

uint64_t mix(uint64_t x)
{
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}
uint64_t draw(uint64_t below) { return (shared = mix(shared)) % below; }
/* What a rank has at a place in the current call. */
uint64_t value(int rank, size_t i) { return mix(mix(mix(call) + rank) + i); }

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
size_t draw_count(size_t largest)
{
  size_t most = 1;
  for (int bits = (int)draw(23); bits > 0 && most < largest; bits--) most *= 2;
  if (most > largest) most = largest;
  return draw(10) == 0 ? 0 : most / 2 + draw(most / 2 + 1);
}

void check(const part_t *p, const char *what, size_t i, int right)
{
  if (right || wrong++ > 5) return;
  printf("call %ld, %s: rank %d of %d: wrong at %zu\n", call, what, p->rank, p->size, i);
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
  CALL(Bcast, data, count, type, root, p->comm);
  for (size_t i = 0; i < n; i++)
    check(p, "Bcast", i, data[i * stride] == (int)value(p->world[root], i));
  for (size_t i = 0; i < n && stride == 2; i++) check(p, "Bcast's gaps", i, data[2 * i + 1] == -7);
  if (own) MPI_Type_free(&type);
  free(data);
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

static void try_one(const part_t *p)
{
  int all = draw(2);
  switch (draw(13)) {
  case 0:
    try_barrier(p);
    break;
  case 1:
    try_progress(p);
    break;
  case 2:
    try_bcast(p);
    break;
  case 3:
  case 4:
    try_reduce(p, all);
    break;
  case 5:
    try_reduce_block(p);
    break;
  case 6:
    try_reduce_scatter(p);
    break;
  case 7:
    try_scan(p);
    break;
  case 8:
    try_gather(p, all);
    break;
  case 9:
    try_scatter(p);
    break;
  case 10:
    try_gatherv(p, all);
    break;
  case 11:
    try_scatterv(p);
    break;
  default:
    (all ? try_alltoall : try_alltoallv)(p);
  }
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  shared = mix(argc > 1 ? strtoull(argv[1], NULL, 10) : 1);
  long calls = argc > 2 ? atol(argv[2]) : 1000;
  begin_reductions();
  for (int i = 0; i < COMMS; i++) parts[i].comm = MPI_COMM_NULL;
  for (int i = 0; i < COMMS; i++) make_part(&parts[i], i == 0);
  for (call = 0; call < calls; call++) {
    const part_t *p = &parts[draw(COMMS)];
    uint64_t kept = shared; /* members of other parts draw differently many numbers */
    try_one(p);
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
