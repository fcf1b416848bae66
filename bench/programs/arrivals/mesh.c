/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh [ROUNDS]: parts of an unstructured mesh exchange halos with 2 to 6 neighbours. Sizes differ
 * by neighbour and direction, from 5 to 500 KB. All receives are posted first, and MPI_Waitany
 * takes what has come. A quarter of a halo belongs to a corner that another neighbour shares, so it
 * is forwarded to that neighbour as soon as the halo is there. Corners aren't forwarded further. */
#include <math.h>
#include <string.h>

#include "../timed.h"

enum { CHORDS = 16, MOST = 6, SMALLEST = 5000, LARGEST = 500000 };
enum { HALO = 0, CORNER = 1 }; /* a corner's tag is CORNER + the rank whose halo it was part of */

/* bytes[from][to] of a halo, 0: no neighbours. All ranks draw the same. */
static int bytes[RANKS][RANKS];
static char *halo_out[RANKS], *halo_in[RANKS], *corner_in[RANKS][RANKS];

/* What a receive is for: the halo of `from`, or the corner of `origin` that `from` forwards. */
struct arrival {
  int from, origin;
};

static unsigned draw(unsigned *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

static int drawn_bytes(unsigned *state)
{
  double uniform = draw(state) / 4294967296.0;
  return (int)(SMALLEST * pow((double)LARGEST / SMALLEST, uniform));
}

static int neighbours_of(int rank)
{
  int n = 0;
  for (int i = 0; i < RANKS; i++) n += bytes[rank][i] > 0;
  return n;
}

static void join(int a, int b, unsigned *state)
{
  if (a == b || bytes[a][b] || neighbours_of(a) == MOST || neighbours_of(b) == MOST) return;
  bytes[a][b] = drawn_bytes(state);
  bytes[b][a] = drawn_bytes(state);
}

/* A ring, so that no part is alone, and some chords. */
static void draw_mesh(void)
{
  unsigned state = 2463534242u;
  for (int i = 0; i < RANKS; i++) join(i, (i + 1) % RANKS, &state);
  for (int i = 0; i < CHORDS; i++) {
    int a = (int)(draw(&state) % RANKS), b = (int)(draw(&state) % RANKS);
    join(a, b, &state);
  }
}

/* The neighbour of `via` that gets the corner of the halo from `origin`. */
static int corner_goes_to(int origin, int via)
{
  int to = (origin + 1) % RANKS;
  while (!bytes[via][to]) to = (to + 1) % RANKS;
  return to;
}

static void allocate(int rank)
{
  for (int i = 0; i < RANKS; i++) {
    if (!bytes[rank][i]) continue;
    halo_out[i] = malloc((size_t)bytes[rank][i]);
    memset(halo_out[i], rank, (size_t)bytes[rank][i]);
    halo_in[i] = calloc(1, (size_t)bytes[i][rank]);
    for (int origin = 0; origin < RANKS; origin++)
      if (bytes[origin][i]) corner_in[i][origin] = calloc(1, (size_t)bytes[origin][i] / 4);
  }
}

static int post_receives(int rank, MPI_Request *request, struct arrival *arrival)
{
  int n = 0;
  for (int from = 0; from < RANKS; from++) {
    if (!bytes[from][rank]) continue;
    arrival[n] = (struct arrival){from, -1};
    MPI_Irecv(halo_in[from], bytes[from][rank], MPI_BYTE, from, HALO, MPI_COMM_WORLD,
              &request[n++]);
    for (int origin = 0; origin < RANKS; origin++) {
      if (!bytes[origin][from] || corner_goes_to(origin, from) != rank) continue;
      arrival[n] = (struct arrival){from, origin};
      MPI_Irecv(corner_in[from][origin], bytes[origin][from] / 4, MPI_BYTE, from, CORNER + origin,
                MPI_COMM_WORLD, &request[n++]);
    }
  }
  return n;
}

static void check(const char *data, int expected_bytes, int origin, const MPI_Status *status)
{
  int n;
  MPI_Get_count(status, MPI_BYTE, &n);
  expect(n, expected_bytes, "a message's bytes");
  expect(data[n - 1], origin, "a message's last byte");
}

static void exchange(int rank)
{
  MPI_Request received[MOST * MOST + MOST], sent[2 * MOST];
  struct arrival arrival[MOST * MOST + MOST];
  int n = post_receives(rank, received, arrival), sends = 0;
  for (int to = 0; to < RANKS; to++)
    if (bytes[rank][to])
      MPI_Isend(halo_out[to], bytes[rank][to], MPI_BYTE, to, HALO, MPI_COMM_WORLD, &sent[sends++]);
  for (int left = n; left; left--) {
    int which;
    MPI_Status status;
    MPI_Waitany(n, received, &which, &status);
    int from = arrival[which].from, origin = arrival[which].origin;
    if (origin >= 0) {
      check(corner_in[from][origin], bytes[origin][from] / 4, origin, &status);
      continue;
    }
    check(halo_in[from], bytes[from][rank], from, &status);
    MPI_Isend(halo_in[from], bytes[from][rank] / 4, MPI_BYTE, corner_goes_to(from, rank),
              CORNER + from, MPI_COMM_WORLD, &sent[sends++]);
  }
  MPI_Waitall(sends, sent, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
  int rank = begin(&argc, &argv), n = argc > 1 ? atoi(argv[1]) : 3;
  draw_mesh();
  allocate(rank);
  exchange(rank);
  double begun = start_clock();
  for (int round = 0; round < n; round++) exchange(rank);
  stop_clock(begun);
  return MPI_Finalize();
}
