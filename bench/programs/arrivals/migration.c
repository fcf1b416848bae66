/* SPDX-License-Identifier: BSD-3-Clause */
/* migration [ROUNDS]: particles that leave a rank go to 2 to 6 others, drawn anew each round, in
 * messages of 1 to 500 KB. Nobody knows who will send to it. Ranks start MPI_Issend to all their
 * partners and take whatever MPI_Iprobe finds. A rank whose messages have all been taken enters
 * MPI_Ibarrier, and goes on taking messages till that has ended: then nothing is under way. */
#include <math.h>

#include "../timed.h"

enum { FEWEST = 2, MOST = 6, SMALLEST = 1000, LARGEST = 500000 };

/* bytes[from][to] of this round, 0: nothing. All ranks draw the same. */
static int bytes[RANKS][RANKS];
static char *leaving[RANKS], *incoming;

static unsigned draw(unsigned *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

/* As many below as above the geometric mean of the smallest and the largest. */
static int drawn_bytes(unsigned *state)
{
  double uniform = draw(state) / 4294967296.0;
  return (int)(SMALLEST * pow((double)LARGEST / SMALLEST, uniform));
}

static void draw_partners(int round)
{
  unsigned state = 521288629u + 104729u * (unsigned)round;
  for (int i = 0; i < 10; i++) draw(&state);
  for (int from = 0; from < RANKS; from++) {
    for (int to = 0; to < RANKS; to++) bytes[from][to] = 0;
    int left = FEWEST + (int)(draw(&state) % (MOST - FEWEST + 1));
    while (left) {
      int to = (int)(draw(&state) % RANKS);
      if (to == from || bytes[from][to]) continue;
      bytes[from][to] = drawn_bytes(&state);
      left--;
    }
  }
}

static int start_sending(int rank, int tag, MPI_Request *sent)
{
  int n = 0;
  for (int to = 0; to < RANKS; to++) {
    if (!bytes[rank][to]) continue;
    leaving[to][0] = (char)rank;
    leaving[to][bytes[rank][to] - 1] = (char)tag;
    MPI_Issend(leaving[to], bytes[rank][to], MPI_BYTE, to, tag, MPI_COMM_WORLD, &sent[n++]);
  }
  return n;
}

/* Returns how many messages it took: 0 or 1. */
static int take_any(int rank, int tag)
{
  MPI_Status status;
  int found, n;
  MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &status);
  if (!found) return 0;
  MPI_Get_count(&status, MPI_BYTE, &n);
  expect(n, bytes[status.MPI_SOURCE][rank], "a message's bytes");
  MPI_Recv(incoming, n, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect(incoming[0], status.MPI_SOURCE, "a message's first byte");
  expect(incoming[n - 1], (char)tag, "a message's last byte");
  return 1;
}

static int messages_to(int rank)
{
  int n = 0;
  for (int from = 0; from < RANKS; from++) n += bytes[from][rank] > 0;
  return n;
}

/* Ranks may be a round ahead of others, so each round has its tag. */
static void exchange(int rank, int tag)
{
  MPI_Request sent[MOST], barrier = MPI_REQUEST_NULL;
  int n = start_sending(rank, tag, sent), taken = 0, all_sent = 0, ended = 0;
  while (!ended) {
    taken += take_any(rank, tag);
    if (all_sent) {
      MPI_Test(&barrier, &ended, MPI_STATUS_IGNORE);
    } else {
      MPI_Testall(n, sent, &all_sent, MPI_STATUSES_IGNORE);
      if (all_sent) MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    }
  }
  expect(taken, messages_to(rank), "messages taken");
}

static void rounds(int rank, int first, int n)
{
  for (int round = first; round < first + n; round++) {
    draw_partners(round);
    exchange(rank, round);
  }
}

int main(int argc, char **argv)
{
  int rank = begin(&argc, &argv), n = argc > 1 ? atoi(argv[1]) : 4;
  for (int i = 0; i < RANKS; i++) leaving[i] = calloc(1, LARGEST);
  incoming = calloc(1, LARGEST);
  rounds(rank, 1000, 1);
  double begun = start_clock();
  rounds(rank, 0, n);
  stop_clock(begun);
  for (int i = 0; i < RANKS; i++) free(leaving[i]);
  free(incoming);
  return MPI_Finalize();
}
