/* SPDX-License-Identifier: BSD-3-Clause */
/* graph [ROUNDS]: an irregular exchange whose partners and sizes are drawn anew each round, the
 * sizes by a power law from 100 B to 2 MB. A rank knows how many messages it gets, not from whom:
 * it receives them by MPI_Probe from any source, while its own are under way, and answers each with
 * a third of its bytes. Answers are awaited by MPI_Waitsome. */
#include <math.h>

#include "../timed.h"

enum { PARTNERS = 10, SMALLEST = 100, LARGEST = 2000000 };
static const double EXPONENT = 0.4;

/* bytes[from][to] of this round, 0: nothing. All ranks draw the same. */
static int bytes[RANKS][RANKS];
static char *request_out[RANKS], *answer_in[RANKS], *incoming;

static unsigned draw(unsigned *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

static int drawn_bytes(unsigned *state)
{
  double uniform = (draw(state) + 1.0) / 4294967296.0;
  double size = SMALLEST * pow(uniform, -1 / EXPONENT);
  return size < LARGEST ? (int)size : LARGEST;
}

static void draw_graph(int round)
{
  unsigned state = 362436069u + 7919u * (unsigned)round;
  for (int from = 0; from < RANKS; from++)
    for (int to = 0; to < RANKS; to++) bytes[from][to] = 0;
  for (int from = 0; from < RANKS; from++)
    for (int i = 0; i < PARTNERS; i++) {
      int to = (int)(draw(&state) % RANKS), size = drawn_bytes(&state);
      if (to != from) bytes[from][to] = size;
    }
}

/* Takes what comes from anybody, and answers it at once. */
static void serve(int rank, int tag)
{
  for (int from = 0; from < RANKS; from++) {
    if (!bytes[from][rank]) continue;
    MPI_Status status;
    int n;
    MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &n);
    expect(n, bytes[status.MPI_SOURCE][rank], "a message's bytes");
    MPI_Recv(incoming, n, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(incoming, n / 3, MPI_BYTE, status.MPI_SOURCE, tag + 1, MPI_COMM_WORLD);
  }
}

static void wait_for_answers(MPI_Request *answer, int n)
{
  int done, index[RANKS];
  for (int left = n; left; left -= done) MPI_Waitsome(n, answer, &done, index, MPI_STATUSES_IGNORE);
}

/* Ranks may be a round ahead of others, so each round has its tags. */
static void exchange(int rank, int tag)
{
  MPI_Request sent[RANKS], answer[RANKS];
  int n = 0;
  for (int to = 0; to < RANKS; to++) {
    int size = bytes[rank][to];
    if (!size) continue;
    MPI_Irecv(answer_in[to], size / 3, MPI_BYTE, to, tag + 1, MPI_COMM_WORLD, &answer[n]);
    MPI_Isend(request_out[to], size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &sent[n++]);
  }
  serve(rank, tag);
  wait_for_answers(answer, n);
  MPI_Waitall(n, sent, MPI_STATUSES_IGNORE);
}

static void rounds(int rank, int first, int n)
{
  for (int round = first; round < first + n; round++) {
    draw_graph(round);
    exchange(rank, 2 * round);
  }
}

int main(int argc, char **argv)
{
  int rank = begin(&argc, &argv), n = argc > 1 ? atoi(argv[1]) : 3;
  for (int i = 0; i < RANKS; i++) {
    request_out[i] = calloc(1, LARGEST);
    answer_in[i] = calloc(1, LARGEST);
  }
  incoming = calloc(1, LARGEST);
  rounds(rank, 1000, 1);
  double begun = start_clock();
  rounds(rank, 0, n);
  stop_clock(begun);
  return MPI_Finalize();
}
