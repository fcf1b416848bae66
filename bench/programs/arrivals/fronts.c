/* SPDX-License-Identifier: BSD-3-Clause */
/* fronts [ROUNDS]: what a sparse direct solver sends along its tree of fronts, each of which has an
 * owner. When a front has the blocks of all its children, its owner sends a block to its parent's
 * owner: 20 to 100 KB far from the root, up to 600 KB near it. Then the solution goes down from the
 * root, a sixth of these bytes to each child. Owners take blocks of any front from any rank by
 * MPI_Mprobe and MPI_Mrecv. What stays on a rank isn't sent. */
#include "../timed.h"

enum { FRONTS = 128, LARGEST = 600000, DOWN = FRONTS }; /* tags: the child's number, DOWN + it */

/* Front 0 is the root. A parent's number is smaller than its children's. */
static struct {
  int parent, owner, bytes, children, missing;
} front[FRONTS];

static MPI_Comm comm; /* this round's */
static int me, sends;
static MPI_Request sent[2 * FRONTS];
static char *block, *incoming;

static unsigned draw(unsigned *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

static int drawn_bytes(int i, unsigned *state)
{
  int least = i < 8 ? 300000 : i < 32 ? 100000 : 20000;
  int most = i < 8 ? LARGEST : i < 32 ? 250000 : 100000;
  return least + (int)(draw(state) % (unsigned)(most - least));
}

/* All ranks draw the same. A third of the fronts have their parent's owner. */
static void draw_tree(void)
{
  unsigned state = 1812433253u;
  front[0].owner = 5;
  for (int i = 1; i < FRONTS; i++) {
    int first = i / 4, last = (i - 1) / 2;
    int parent = first + (int)(draw(&state) % (unsigned)(last - first + 1));
    unsigned other = draw(&state) % 3, owner = draw(&state) % RANKS;
    front[i].parent = parent;
    front[i].owner = other ? (int)owner : front[parent].owner;
    front[i].bytes = drawn_bytes(i, &state);
    front[parent].children++;
  }
}

static void send_block(int bytes, int to, int tag)
{
  MPI_Isend(block, bytes, MPI_BYTE, to, tag, comm, &sent[sends++]);
}

/* Front i has its solution: on to its children. */
static void solve(int i)
{
  for (int child = i + 1; child < FRONTS; child++) {
    if (front[child].parent != i) continue;
    if (front[child].owner == me)
      solve(child);
    else
      send_block(front[child].bytes / 6, front[child].owner, DOWN + child);
  }
}

/* Front i has the blocks of all its children: on to its parent. */
static void eliminate(int i)
{
  if (i == 0) {
    solve(0);
    return;
  }
  int parent = front[i].parent;
  if (front[parent].owner != me)
    send_block(front[i].bytes, front[parent].owner, i);
  else if (--front[parent].missing == 0)
    eliminate(parent);
}

static void take_any(void)
{
  MPI_Message message;
  MPI_Status status;
  int n;
  MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, &status);
  MPI_Get_count(&status, MPI_BYTE, &n);
  int down = status.MPI_TAG >= DOWN, child = status.MPI_TAG % FRONTS;
  int parent = front[child].parent;
  expect(n, down ? front[child].bytes / 6 : front[child].bytes, "a block's bytes");
  expect(status.MPI_SOURCE, front[down ? parent : child].owner, "a block's sender");
  MPI_Mrecv(incoming, n, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  if (down)
    solve(child);
  else if (--front[parent].missing == 0)
    eliminate(parent);
}

static int blocks_to_take(void)
{
  int n = 0;
  for (int i = 1; i < FRONTS; i++) {
    int parents = front[front[i].parent].owner, childs = front[i].owner;
    if (parents != childs) n += (parents == me) + (childs == me);
  }
  return n;
}

static void one_round(void)
{
  sends = 0;
  for (int i = 0; i < FRONTS; i++) front[i].missing = front[i].children;
  for (int i = FRONTS - 1; i > 0; i--)
    if (front[i].owner == me && !front[i].children) eliminate(i);
  for (int left = blocks_to_take(); left; left--) take_any();
  MPI_Waitall(sends, sent, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
  MPI_Comm own[2];
  me = begin(&argc, &argv);
  int n = argc > 1 ? atoi(argv[1]) : 2;
  block = calloc(1, LARGEST);
  incoming = calloc(1, LARGEST);
  draw_tree();
  /* A rank may be a round ahead of others, so rounds take turns. */
  for (int i = 0; i < 2; i++) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
  comm = own[0];
  one_round();
  double begun = start_clock();
  for (int round = 0; round < n; round++) {
    comm = own[round % 2];
    one_round();
  }
  stop_clock(begun);
  for (int i = 0; i < 2; i++) MPI_Comm_free(&own[i]);
  free(block);
  free(incoming);
  return MPI_Finalize();
}
