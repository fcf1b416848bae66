/* SPDX-License-Identifier: BSD-3-Clause */
/* steal - count the nodes of an unbalanced random tree by work stealing
 *
 * The tree is implicit: a node is a 64-bit state, its children are hashes of
 * it.  Rank 0 has the root; whoever has nothing to do asks a random process for
 * half of its open nodes.  Safra's algorithm (a token that goes round) finds
 * the end.  The tree, and so the work in total, is the same for any number of
 * processes; who does what depends on chance.
 *
 *   mpirun -np P ./steal
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROOT_CHILDREN = 4000, POLL = 64, TAG_ASK = 1, TAG_WORK, TAG_TOKEN, TAG_DONE };
#define EXPECT_NODES 211408L /* counted by one process */

typedef struct {
  long count;
  int black;
  int pad;
} token_t;

static int rank, nprocs;
static uint64_t *stack, chance;
static long top, cap, visited, checksum, asked, got;
static long balance; /* work messages sent minus received */
static int black, have_token, finished, waiting;
static token_t token;

static uint64_t mix(uint64_t z)
{
  z += 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}

static void push(uint64_t node)
{
  if (top == cap) stack = realloc(stack, (cap = 2 * cap + 1024) * sizeof *stack);
  stack[top++] = node;
}

static void visit(void)
{
  uint64_t node = stack[--top], h = node;
  for (int i = 0; i < 400; i++) h = mix(h); /* the work */
  visited++;
  checksum ^= (long)h;
  int children = h % 1000 < 124 ? 8 : 0; /* 0.992 on average */
  for (int i = 1; i <= children; i++) push(mix(node ^ (uint64_t)i << 56));
}

/* answer what has come in; idle processes may also get work or the token */
static void serve(void)
{
  for (;;) {
    MPI_Status st;
    int there, n;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &st);
    if (!there) return;
    int from = st.MPI_SOURCE;
    switch (st.MPI_TAG) {
    case TAG_ASK: {
      MPI_Recv(NULL, 0, MPI_BYTE, from, TAG_ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      long give = top >= 4 ? top / 2 : 0;
      if (give > 256) give = 256;
      if (give) balance++;
      /* the oldest nodes: they have the largest subtrees */
      MPI_Send(stack, (int)give, MPI_UINT64_T, from, TAG_WORK, MPI_COMM_WORLD);
      for (long i = give; give && i < top; i++) stack[i - give] = stack[i];
      top -= give;
      break;
    }
    case TAG_WORK: {
      MPI_Get_count(&st, MPI_UINT64_T, &n);
      uint64_t *in = malloc((n + 1) * sizeof *in);
      MPI_Recv(in, n, MPI_UINT64_T, from, TAG_WORK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = 0; i < n; i++) push(in[i]);
      free(in);
      waiting = 0;
      if (n) {
        balance--;
        black = 1;
        got++;
      }
      break;
    }
    case TAG_TOKEN:
      MPI_Recv(&token, sizeof token, MPI_BYTE, from, TAG_TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      have_token = 1;
      break;
    case TAG_DONE:
      MPI_Recv(NULL, 0, MPI_BYTE, from, TAG_DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      finished = 1;
      break;
    }
  }
}

static void pass_token(void)
{
  if (!have_token || nprocs == 1) return;
  if (rank == 0) {
    static int started;
    if (started && !token.black && !black && token.count + balance == 0) {
      finished = 1;
      for (int p = 1; p < nprocs; p++) MPI_Send(NULL, 0, MPI_BYTE, p, TAG_DONE, MPI_COMM_WORLD);
      return;
    }
    started = 1;
    token = (token_t){0, 0, 0};
  } else {
    token.count += balance;
    token.black |= black;
  }
  black = 0;
  have_token = 0;
  MPI_Send(&token, sizeof token, MPI_BYTE, (rank + 1) % nprocs, TAG_TOKEN, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  chance = mix(rank + 4711);
  have_token = rank == 0;
  if (rank == 0)
    for (int i = 0; i < ROOT_CHILDREN; i++) push(mix(1000 + i));

  int pause = 50;
  while (!finished) {
    for (int i = 0; i < POLL && top > 0; i++) visit();
    serve();
    if (top > 0) {
      pause = 50;
      continue;
    }
    if (nprocs == 1) break;
    pass_token();
    if (!waiting && !finished) {
      int victim = (rank + 1 + (chance = mix(chance)) % (nprocs - 1)) % nprocs;
      MPI_Send(NULL, 0, MPI_BYTE, victim, TAG_ASK, MPI_COMM_WORLD);
      waiting = 1;
      asked++;
    }
    usleep(pause);
    if (pause < 3200) pause *= 2;
  }
  /* an answer may be on its way, and others may wait for ours */
  while (waiting) serve();
  MPI_Request req;
  int all = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &req);
  while (!all) {
    serve();
    MPI_Test(&req, &all, MPI_STATUS_IGNORE);
  }

  long mine[4] = {visited, asked, got, balance}, sum[4], x, least;
  MPI_Reduce(mine, sum, 4, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&visited, &least, 1, MPI_LONG, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&checksum, &x, 1, MPI_LONG, MPI_BXOR, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("steal %ld nodes (least %ld), %ld requests, %ld successful, checksum %016lx %s\n",
           sum[0], least, sum[1], sum[2], (unsigned long)x,
           sum[0] == EXPECT_NODES && sum[3] == 0 ? "PASSED" : "FAILED");
  MPI_Finalize();
  return 0;
}
