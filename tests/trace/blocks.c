/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes every collective call that moves data, with derived datatypes, in every form: run by 3
 * ranks. Each rank writes FILE.RANK: a line SIDE FUNCTION SIZE PIECES SPAN for each block whose
 * data aren't contiguous. blocks.sh compares them with the trace.
 *
 *   blocks FILE          all of them
 *   blocks FILE abort    the same, and then it ends without MPI_Finalize
 *   blocks FILE deep     a datatype that is too deep for the tracer, by any number of ranks
 *   blocks FILE many N   N layouts, by one rank */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define PERSISTENT(name) MPIX_##name
#else
#define PERSISTENT(name) MPI_##name
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "packed_types.h"

enum { RANKS = 3 };
static char other[ROOM];
static FILE *log_file;
static int rank;

/* --- datatypes, and what n items of them are --- */

typedef struct kind {
  MPI_Datatype (*make)(void);
  long size, pieces, joined, extent, reach;
  MPI_Datatype type;
} kind_t;

enum { VECTOR, INDEXED, STRUCT, SUBARRAY, RESIZED, BYTES, KINDS };
static MPI_Datatype make_byte(void) { return MPI_BYTE; }
static kind_t kinds[KINDS] = {
    [VECTOR] = {make_vector, 24, 3, 1, 40, 40}, [INDEXED] = {make_indexed, 24, 2, 1, 32, 32},
    [STRUCT] = {make_struct, 12, 2, 1, 16, 16}, [SUBARRAY] = {make_subarray, 48, 3, 0, 192, 80},
    [RESIZED] = {make_resized, 4, 1, 0, 12, 4}, [BYTES] = {make_byte, 1, 1, 1, 1, 1}};
#define TYPE(k) kinds[k].type

static const char *function;

/* So many blocks, each of n items of a kind. */
static void expect(const char *side, int blocks, int kind, long n)
{
  const kind_t *k = &kinds[kind];
  const long pieces = n * k->pieces - k->joined * (n - 1);
  if (n < 1 || pieces < 2) return;
  for (int i = 0; i < blocks; i++)
    fprintf(log_file, "%d %s MPI_%s %ld %ld %ld\n", rank, side, function, n * k->size, pieces,
            (n - 1) * k->extent + k->reach);
}
static void gives(int blocks, int kind, long n) { expect("sends", blocks, kind, n); }
static void takes(int blocks, int kind, long n) { expect("receives", blocks, kind, n); }

/* --- calls in all their forms --- */

#define UNPACK(...) __VA_ARGS__
#define NAMED(name, call, expected)                                                                \
  function = #name;                                                                                \
  call;                                                                                            \
  expected;
#define REQUEST(name, arguments, expected)                                                         \
  {                                                                                                \
    MPI_Request request;                                                                           \
    NAMED(name, MPI_##name(UNPACK arguments, &request), expected)                                  \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                                         \
  }
/* Made once, started three times, if the MPI can: MPICH 4.0 starts Scatter_init once. */
#ifdef OPEN_MPI
#define STARTS(name) 3
#else
#define STARTS(name) (strcmp(name, "Scatter_init") ? 3 : 1)
#endif
#define STARTED(name, arguments, expected)                                                         \
  {                                                                                                \
    MPI_Request request;                                                                           \
    NAMED(name, PERSISTENT(name)(UNPACK arguments, MPI_INFO_NULL, &request), )                     \
    for (int started = 0; started < STARTS(#name); started++) {                                    \
      if (started == 2)                                                                            \
        MPI_Startall(1, &request);                                                                 \
      else                                                                                         \
        MPI_Start(&request);                                                                       \
      expected;                                                                                    \
      MPI_Wait(&request, MPI_STATUS_IGNORE);                                                       \
    }                                                                                              \
    MPI_Request_free(&request);                                                                    \
  }
#define BLOCKING(name, arguments, expected) NAMED(name, MPI_##name arguments, expected)
#define FORMS(name, iname, init, arguments, expected)                                              \
  BLOCKING(name, arguments, expected)                                                              \
  REQUEST(iname, arguments, expected)                                                              \
  STARTED(init, arguments, expected)

/* Pairs of equal amounts of data: kind and count at the sender, and at the receiver. */
static const struct {
  int kind, n, of_kind, of_n;
} pairs[] = {{VECTOR, 1, BYTES, 24},   {BYTES, 48, VECTOR, 2},    {VECTOR, 2, INDEXED, 2},
             {STRUCT, 3, STRUCT, 3},   {SUBARRAY, 1, VECTOR, 2},  {RESIZED, 3, BYTES, 12},
             {BYTES, 4, RESIZED, 1},   {RESIZED, 1, RESIZED, 1},  {VECTOR, 0, INDEXED, 0},
             {RESIZED, 6, INDEXED, 1}, {INDEXED, 2, SUBARRAY, 1}, {BYTES, 96, SUBARRAY, 2}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static void of_one_size(int s, int n, int r, int m, int root)
{
  const int is_root = rank == root;
  MPI_Comm world = MPI_COMM_WORLD;
  FORMS(Bcast, Ibcast, Bcast_init,
        (room, is_root ? n : m, is_root ? TYPE(s) : TYPE(r), root, world),
        if (is_root) gives(1, s, n);
        else takes(1, r, m))
  /* what isn't significant is anything */
  FORMS(Gather, Igather, Gather_init,
        (room, n, TYPE(s), is_root ? other : NULL, is_root ? m : -1,
         is_root ? TYPE(r) : MPI_DATATYPE_NULL, root, world),
        gives(1, s, n);
        if (is_root) takes(RANKS, r, m))
  FORMS(Scatter, Iscatter, Scatter_init,
        (is_root ? room : NULL, is_root ? n : -1, is_root ? TYPE(s) : MPI_DATATYPE_NULL, other, m,
         TYPE(r), root, world),
        if (is_root) gives(RANKS, s, n);
        takes(1, r, m))
  FORMS(Allgather, Iallgather, Allgather_init, (room, n, TYPE(s), other, m, TYPE(r), world),
        gives(1, s, n);
        takes(RANKS, r, m))
  FORMS(Alltoall, Ialltoall, Alltoall_init, (room, n, TYPE(s), other, m, TYPE(r), world),
        gives(RANKS, s, n);
        takes(RANKS, r, m))
#if MPI_VERSION >= 4
  BLOCKING(Alltoall_c, (room, n, TYPE(s), other, m, TYPE(r), world), gives(RANKS, s, n);
           takes(RANKS, r, m))
#endif
}

static void in_place(int k, int n, int root)
{
  const int is_root = rank == root;
  MPI_Comm world = MPI_COMM_WORLD;
  FORMS(Gather, Igather, Gather_init,
        (is_root ? MPI_IN_PLACE : room, n, TYPE(k), other, n, TYPE(k), root, world),
        if (is_root) takes(RANKS - 1, k, n);
        else gives(1, k, n))
  FORMS(Scatter, Iscatter, Scatter_init,
        (room, n, TYPE(k), is_root ? MPI_IN_PLACE : other, n, TYPE(k), root, world),
        if (is_root) gives(RANKS - 1, k, n);
        else takes(1, k, n))
  FORMS(Allgather, Iallgather, Allgather_init,
        (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, other, n, TYPE(k), world), gives(1, k, n);
        takes(RANKS - 1, k, n))
  FORMS(Alltoall, Ialltoall, Alltoall_init,
        (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, other, n, TYPE(k), world), gives(RANKS, k, n);
        takes(RANKS, k, n))
}

/* Rank r gives and takes r, or r + peer items. */
static void of_several_sizes(int k, int root)
{
  const int is_root = rank == root, n = rank;
  int counts[RANKS], places[RANKS], both[RANKS], bytes[RANKS], byte_places[RANKS];
  const int size = (int)kinds[k].size, extent = (int)kinds[k].extent;
  MPI_Comm world = MPI_COMM_WORLD;
  for (int i = 0; i < RANKS; i++) {
    counts[i] = i, places[i] = 8 * i, both[i] = i + rank, bytes[i] = both[i] * size;
    byte_places[i] = 8 * i * extent;
  }
#define OF_EACH(side, of)                                                                          \
  for (int i = 0; i < RANKS; i++) side(1, k, of[i])
#define OF_OTHERS(side, of)                                                                        \
  for (int i = 0; i < RANKS; i++) side(i != rank, k, of[i])
  FORMS(Gatherv, Igatherv, Gatherv_init,
        (room, n, TYPE(k), other, is_root ? counts : NULL, is_root ? places : NULL,
         is_root ? TYPE(k) : MPI_DATATYPE_NULL, root, world),
        gives(1, k, n);
        if (is_root) OF_EACH(takes, counts))
  FORMS(Scatterv, Iscatterv, Scatterv_init,
        (room, is_root ? counts : NULL, is_root ? places : NULL,
         is_root ? TYPE(k) : MPI_DATATYPE_NULL, other, n, TYPE(k), root, world),
        if (is_root) OF_EACH(gives, counts);
        takes(1, k, n))
  FORMS(Gatherv, Igatherv, Gatherv_init,
        (is_root ? MPI_IN_PLACE : room, n, TYPE(k), other, counts, places, TYPE(k), root, world),
        if (is_root) OF_OTHERS(takes, counts);
        else gives(1, k, n))
  FORMS(Scatterv, Iscatterv, Scatterv_init,
        (room, counts, places, TYPE(k), is_root ? MPI_IN_PLACE : other, n, TYPE(k), root, world),
        if (is_root) OF_OTHERS(gives, counts);
        else takes(1, k, n))
  FORMS(Allgatherv, Iallgatherv, Allgatherv_init,
        (room, n, TYPE(k), other, counts, places, TYPE(k), world), gives(1, k, n);
        OF_EACH(takes, counts))
  FORMS(Allgatherv, Iallgatherv, Allgatherv_init,
        (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, other, counts, places, TYPE(k), world), gives(1, k, n);
        OF_OTHERS(takes, counts))
  FORMS(Alltoallv, Ialltoallv, Alltoallv_init,
        (room, both, places, TYPE(k), other, both, places, TYPE(k), world), OF_EACH(gives, both);
        OF_EACH(takes, both))
  FORMS(Alltoallv, Ialltoallv, Alltoallv_init,
        (room, bytes, byte_places, MPI_BYTE, other, both, places, TYPE(k), world),
        OF_EACH(takes, both))
  FORMS(Alltoallv, Ialltoallv, Alltoallv_init,
        (MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, other, both, places, TYPE(k), world),
        OF_EACH(gives, both);
        OF_EACH(takes, both))
}

/* The block of a pair of ranks has a kind of its own. MPICH 4.0 mixes them up in place. */
static void of_several_kinds(void)
{
  int k[RANKS], n[RANKS], zero[RANKS] = {0}, same[RANKS], places[RANKS], bytes[RANKS];
  MPI_Datatype types[RANKS], plain[RANKS], vectors[RANKS];
  MPI_Comm world = MPI_COMM_WORLD;
  for (int i = 0; i < RANKS; i++) {
    k[i] = (i + rank) % KINDS, n[i] = 1 + (i + rank) % 3, places[i] = 4096 * i;
    types[i] = TYPE(k[i]), plain[i] = MPI_BYTE, bytes[i] = n[i] * (int)kinds[k[i]].size;
    same[i] = 2, vectors[i] = TYPE(VECTOR);
  }
#define BETWEEN(side)                                                                              \
  for (int i = 0; i < RANKS; i++) side(1, k[i], n[i])
  FORMS(Alltoallw, Ialltoallw, Alltoallw_init,
        (room, n, places, types, other, n, places, types, world), BETWEEN(gives);
        BETWEEN(takes))
  FORMS(Alltoallw, Ialltoallw, Alltoallw_init,
        (room, n, places, types, other, bytes, places, plain, world), BETWEEN(gives))
  FORMS(Alltoallw, Ialltoallw, Alltoallw_init,
        (room, bytes, places, plain, other, n, places, types, world), BETWEEN(takes))
  FORMS(Alltoallw, Ialltoallw, Alltoallw_init,
        (MPI_IN_PLACE, NULL, NULL, NULL, other, same, places, vectors, world),
        gives(RANKS, VECTOR, 2);
        takes(RANKS, VECTOR, 2))
  FORMS(Alltoallw, Ialltoallw, Alltoallw_init,
        (room, zero, places, types, other, zero, places, types, world), )
}

/* Ranks 0 and 1 on one side, 2 on the other. */
static void between_groups(void)
{
  MPI_Comm part, inter;
  const int first = rank < 2, many = first ? 1 : 2; /* ranks on the other side */
  const int root = rank == 0 ? MPI_PROC_NULL : rank == 1 ? MPI_ROOT : 1;
  const int zeros[2] = {0, 0}, ones[2] = {1, 1}, places[2] = {0, 8};
  MPI_Datatype v = TYPE(VECTOR), x = TYPE(INDEXED);
  MPI_Comm_split(MPI_COMM_WORLD, first, rank, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, first ? 2 : 0, 7, &inter);
  BLOCKING(Bcast, (room, 1, v, root, inter), gives(rank == 1, VECTOR, 1); takes(!first, VECTOR, 1))
  BLOCKING(Gather, (room, 1, v, other, 1, x, root, inter), gives(!first, VECTOR, 1);
           takes(rank == 1, INDEXED, 1))
  BLOCKING(Gatherv, (room, 1, v, other, ones, zeros, x, root, inter), gives(!first, VECTOR, 1);
           takes(rank == 1, INDEXED, 1))
  BLOCKING(Scatter, (room, 1, v, other, 1, x, root, inter), gives(rank == 1, VECTOR, 1);
           takes(!first, INDEXED, 1))
  BLOCKING(Scatterv, (room, ones, zeros, v, other, 1, x, root, inter), gives(rank == 1, VECTOR, 1);
           takes(!first, INDEXED, 1))
  BLOCKING(Allgather, (room, 1, v, other, 1, x, inter), gives(1, VECTOR, 1);
           takes(many, INDEXED, 1))
  BLOCKING(Allgatherv, (room, 1, v, other, ones, places, x, inter), gives(1, VECTOR, 1);
           takes(many, INDEXED, 1))
  BLOCKING(Alltoall, (room, 1, v, other, 1, x, inter), gives(many, VECTOR, 1);
           takes(many, INDEXED, 1))
  BLOCKING(Alltoallv, (room, ones, places, v, other, ones, places, x, inter),
           gives(many, VECTOR, 1);
           takes(many, INDEXED, 1))
  MPI_Comm_free(&inter);
  MPI_Comm_free(&part);
}

/* Blocks to `to` neighbours and from `from`; `lists` are as long as the list of neighbours, which
 * may have nobody at some places: `there` says where. */
static void among_neighbours(MPI_Comm comm, int to, int from, const int *to_there,
                             const int *from_there)
{
  enum { MOST = 4 };
  int n[MOST], bytes[MOST], places[MOST];
  MPI_Aint far[MOST];
  MPI_Datatype types[MOST];
  MPI_Datatype v = TYPE(VECTOR), x = TYPE(INDEXED);
  for (int i = 0; i < MOST; i++) {
    n[i] = 2, bytes[i] = 48, places[i] = 8 * i, far[i] = 4096 * i, types[i] = i % 2 ? v : x;
  }
  FORMS(Neighbor_allgather, Ineighbor_allgather, Neighbor_allgather_init,
        (room, 1, v, other, 1, x, comm), gives(to, VECTOR, 1);
        takes(from, INDEXED, 1))
  FORMS(Neighbor_allgatherv, Ineighbor_allgatherv, Neighbor_allgatherv_init,
        (room, 2, v, other, n, places, x, comm), gives(to, VECTOR, 2);
        takes(from, INDEXED, 2))
  FORMS(Neighbor_alltoall, Ineighbor_alltoall, Neighbor_alltoall_init,
        (room, 24, MPI_BYTE, other, 1, x, comm), takes(from, INDEXED, 1))
  FORMS(Neighbor_alltoallv, Ineighbor_alltoallv, Neighbor_alltoallv_init,
        (room, n, places, v, other, bytes, places, MPI_BYTE, comm), gives(to, VECTOR, 2))
  FORMS(
      Neighbor_alltoallw, Ineighbor_alltoallw, Neighbor_alltoallw_init,
      (room, n, far, types, other, n, far, types, comm), for (int i = 0; i < MOST; i++) {
        gives(to_there[i], i % 2 ? VECTOR : INDEXED, 2);
        takes(from_there[i], i % 2 ? VECTOR : INDEXED, 2);
      })
}

static void neighbours(void)
{
  static const int all[] = {RANKS}, open[] = {0}, closed[] = {1};
  MPI_Comm line, ring, graph, uneven;
  MPI_Cart_create(MPI_COMM_WORLD, 1, all, open, 0, &line);
  const int at[] = {rank > 0, rank < RANKS - 1, 0, 0}, two[] = {1, 1, 0, 0}, one[] = {1, 0, 0, 0};
  const int three[] = {1, 1, 1, 0};
  among_neighbours(line, at[0] + at[1], at[0] + at[1], at, at);
  MPI_Cart_create(MPI_COMM_WORLD, 1, all, closed, 0, &ring);
  among_neighbours(ring, 2, 2, two, two);
  /* rank 0 beside ranks 1 and 2 */
  MPI_Graph_create(MPI_COMM_WORLD, RANKS, (int[]){2, 3, 4}, (int[]){1, 2, 0, 0}, 0, &graph);
  among_neighbours(graph, rank ? 1 : 2, rank ? 1 : 2, rank ? one : two, rank ? one : two);
  /* 0 gives to 1, 1 and 2; 2 gives to 0 */
  static const int to[RANKS][3] = {{1, 1, 2}, {0}, {0}}, from[RANKS][3] = {{2}, {0, 0}, {0}};
  static const int n_to[] = {3, 0, 1}, n_from[] = {1, 2, 1};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n_from[rank], from[rank], MPI_UNWEIGHTED,
                                 n_to[rank], to[rank], MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &uneven);
  static const int none[4];
  /* the i-th of them gets the i-th type, so alltoallw has equal amounts only where types do */
  among_neighbours(uneven, n_to[rank], n_from[rank],
                   rank == 0   ? three
                   : rank == 1 ? none
                               : one,
                   rank == 1 ? two : one);
  MPI_Comm *made[] = {&line, &ring, &graph, &uneven};
  for (int i = 0; i < 4; i++) MPI_Comm_free(made[i]);
}

static void nothing_to_count(void)
{
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Datatype v = TYPE(VECTOR), raw = make_indexed();
  MPI_Request r;
  int failed = 0;
  /* reductions */
  static int sums[2], in[RANKS] = {1, 1, 1};
  MPI_Datatype dense = committed(make_contiguous());
  MPI_Allreduce(in, sums, 1, MPI_INT, MPI_SUM, world);
  MPI_Bcast(room, 3, dense, 0, world);
  MPI_Alltoall(room, 2, dense, other, 32, MPI_BYTE, world);
  MPI_Type_free(&dense);
  /* calls that fail: root, count, a datatype that isn't committed */
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
#define FAILS(call) failed += (call) != MPI_SUCCESS
  FAILS(MPI_Bcast(room, 1, v, RANKS, world));
  FAILS(MPI_Ibcast(room, 1, v, -77, world, &r));
  FAILS(MPI_Gather(room, 1, v, other, 1, v, RANKS, world));
  FAILS(MPI_Alltoall(room, 1, v, other, -1, v, world));
  FAILS(MPI_Ialltoall(room, -1, v, other, 1, v, world, &r));
  FAILS(MPI_Alltoall(room, 1, raw, other, 1, raw, world));
  FAILS(MPI_Allgather(room, 1, v, other, 1, MPI_DATATYPE_NULL, world));
  FAILS(PERSISTENT(Bcast_init)(room, 1, v, RANKS, world, MPI_INFO_NULL, &r));
  FAILS(MPI_Neighbor_alltoall(room, 1, v, other, 1, v, world)); /* it has no topology */
  if (failed != 9) printf("%d calls failed, expected 9\n", failed);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
  MPI_Type_free(&raw);
  /* a request that is never started; calls that the program excludes */
  PERSISTENT(Bcast_init)(room, 1, v, 0, world, MPI_INFO_NULL, &r);
  MPI_Pcontrol(0);
  MPI_Alltoall(room, 1, v, other, 1, v, world);
  MPI_Start(&r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Pcontrol(1);
  MPI_Request_free(&r);
}

/* The datatype is freed before the request is started. */
static void freed(void)
{
  MPI_Request r;
  MPI_Datatype v = committed(make_vector());
  PERSISTENT(Alltoall_init)
  (room, 1, v, other, 24, MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
  MPI_Type_free(&v);
  v = committed(make_indexed()); /* often with the same handle */
  function = "Alltoall_init";
  MPI_Start(&r);
  gives(RANKS, VECTOR, 1);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Request_free(&r);
  BLOCKING(Alltoall, (room, 1, v, other, 24, MPI_BYTE, MPI_COMM_WORLD), gives(RANKS, INDEXED, 1))
  MPI_Type_free(&v);
}

/* Three blocks to each rank. */
static void too_deep(void)
{
  MPI_Request r;
  MPI_Datatype t = committed(deep(40));
  MPI_Alltoall(room, 1, t, other, 24, MPI_BYTE, MPI_COMM_WORLD);
  PERSISTENT(Alltoall_init)
  (room, 1, t, other, 24, MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
  for (int i = 0; i < 2; i++) {
    MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&r);
  MPI_Type_free(&t);
}

static void many_layouts(int n)
{
  int counts[] = {1}, places[] = {0}, bytes[] = {8};
  MPI_Datatype plain[] = {MPI_BYTE};
  for (int i = 0; i < n; i++) {
    MPI_Datatype t = committed(hvector(2, 1, 8 + i, MPI_INT));
    MPI_Alltoallw(room, counts, places, &t, other, bytes, places, plain, MPI_COMM_WORLD);
    MPI_Type_free(&t);
  }
}

static void everything(void)
{
  for (size_t i = 0; i < PAIRS; i++) {
    of_one_size(pairs[i].kind, pairs[i].n, pairs[i].of_kind, pairs[i].of_n, (int)i % RANKS);
    in_place(pairs[i].kind, pairs[i].n, (int)i % RANKS);
  }
  for (int k = 0; k < BYTES; k++) of_several_sizes(k, k % RANKS);
  of_several_kinds();
  between_groups();
  neighbours();
  nothing_to_count();
  freed();
}

int main(int argc, char **argv)
{
  char name[256];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "%s.%d", argv[1], rank);
  log_file = fopen(name, "w");
  for (int k = 0; k < KINDS; k++) {
    kinds[k].type = kinds[k].make();
    if (k != BYTES) MPI_Type_commit(&kinds[k].type);
  }
  if (argc > 3)
    many_layouts(atoi(argv[3]));
  else if (argc > 2 && strcmp(argv[2], "deep") == 0)
    too_deep();
  else
    everything();
  fclose(log_file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 2 && strcmp(argv[2], "abort") == 0) _Exit(3);
  MPI_Finalize();
  return 0;
}
