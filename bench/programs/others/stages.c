/* SPDX-License-Identifier: BSD-3-Clause */
/* stages [ITEMS]: a pipeline of five stages of 1, 4, 6, 4 and 1 ranks. Item i goes to rank i modulo
 * the stage's width. A rank receives its next item while it works on this one (MPI_Irecv into two
 * buffers), and hands the item on by MPI_Ssend, so that nobody runs ahead. Items grow to some 150
 * KB and shrink to some 20 KB; each differs. */
#include "../timed.h"

enum { STAGES = 5, LARGEST = 220000 };

static const int width[STAGES] = {1, 4, 6, 4, 1}, first[STAGES] = {0, 1, 5, 11, 15};
static const int usual_bytes[STAGES - 1] = {50000, 150000, 40000, 20000};

static char buffer[2][LARGEST], out[LARGEST];

static int rank_of(int stage, int item) { return first[stage] + item % width[stage]; }

/* Bytes of an item behind a stage: 60% to 140% of the usual ones. */
static int bytes_behind(int stage, int item)
{
  unsigned x = (unsigned)(item * STAGES + stage + 1) * 2246822519u;
  x ^= x >> 14;
  return usual_bytes[stage] / 100 * (60 + (int)(x * 3266489917u >> 8) % 81);
}

/* The first item from `item` on that this rank of the stage gets. */
static int mine_from(int stage, int rank, int item)
{
  while (rank_of(stage, item) != rank) item++;
  return item;
}

static void receive(int stage, int item, int slot, MPI_Request *request)
{
  MPI_Irecv(buffer[slot], LARGEST, MPI_BYTE, rank_of(stage - 1, item), item, MPI_COMM_WORLD,
            request);
}

static void pass_on(int stage, int item)
{
  *(int *)out = item;
  MPI_Ssend(out, bytes_behind(stage, item), MPI_BYTE, rank_of(stage + 1, item), item,
            MPI_COMM_WORLD);
}

/* Every later stage: the next item is under way while this one is handed on. */
static void take_and_pass(int stage, int rank, int items)
{
  MPI_Request request[2];
  int item = mine_from(stage, rank, 0);
  if (item < items) receive(stage, item, 0, &request[0]);
  for (int slot = 0; item < items; slot = !slot) {
    int next = mine_from(stage, rank, item + 1), bytes;
    MPI_Status status;
    if (next < items) receive(stage, next, !slot, &request[!slot]);
    MPI_Wait(&request[slot], &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    expect(bytes, bytes_behind(stage - 1, item), "an item's bytes");
    expect(*(int *)buffer[slot], item, "an item");
    if (stage < STAGES - 1) pass_on(stage, item);
    item = next;
  }
}

static void run(int rank, int items)
{
  int stage = 0;
  while (stage + 1 < STAGES && rank >= first[stage + 1]) stage++;
  for (int item = 0; stage == 0 && item < items; item++) pass_on(0, item);
  if (stage > 0) take_and_pass(stage, rank, items);
}

int main(int argc, char **argv)
{
  int rank = begin(&argc, &argv), items = argc > 1 ? atoi(argv[1]) : 36;
  run(rank, 12);
  double begun = start_clock();
  run(rank, items);
  stop_clock(begun);
  return MPI_Finalize();
}
