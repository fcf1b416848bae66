/* SPDX-License-Identifier: BSD-3-Clause */
/* A ladder exchange. P ranks stand in two columns of P/2: across each rung, ranks i and i + P/2
 * exchange BYTES; along each rail, neighbours of one column exchange BYTES / 8. A launcher that
 * fills hosts in rank order puts the two ends of every rung on different hosts. */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_LINKS = 3, TAG = 7 };

/* One neighbour; what is sent to it and received from it has the same size. */
struct link {
  int peer, bytes;
  char *out;
  char *in;
};

static const char usage[] =
    "usage: ladder [BYTES [ITERATIONS]]\n"
    "Ranks i and i + P/2 exchange BYTES (default 262144), neighbours in each half BYTES / 8,\n"
    "ITERATIONS times (default 10). P, the number of ranks, is even. Prints the seconds that one\n"
    "iteration took, the maximum over the ranks.\n";

/* Reads a whole number of at least `low`; 0 when the text is something else. */
static int read_int(const char *text, int low)
{
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (errno || end == text || *end || value < low || value > 1 << 30) return 0;
  return (int)value;
}

/* Adds a neighbour to the n links that are there; returns the new number of links. */
static int add_link(struct link *links, int n, int peer, int bytes)
{
  links[n] = (struct link){peer, bytes, calloc(1, (size_t)bytes), calloc(1, (size_t)bytes)};
  if (!links[n].out || !links[n].in) {
    fprintf(stderr, "ladder: no memory for messages of %d bytes\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 4);
  }
  return n + 1;
}

/* Finds the neighbours of rank `me` of `ranks` and returns their number. */
static int find_links(struct link *links, int me, int ranks, int bytes)
{
  int half = ranks / 2, place = me % half;
  int n = add_link(links, 0, (me + half) % ranks, bytes);
  if (place > 0) n = add_link(links, n, me - 1, bytes / 8);
  if (place < half - 1) n = add_link(links, n, me + 1, bytes / 8);
  return n;
}

/* Exchanges with all neighbours; at most `limit` bytes with each. */
static void exchange(const struct link *links, int n, int limit)
{
  MPI_Request requests[2 * MAX_LINKS];
  MPI_Status statuses[2 * MAX_LINKS]; /* gcc takes MPICH's MPI_STATUSES_IGNORE for an array */
  for (int i = 0; i < n; i++) {
    int bytes = links[i].bytes < limit ? links[i].bytes : limit;
    MPI_Irecv(links[i].in, bytes, MPI_BYTE, links[i].peer, TAG, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = 0; i < n; i++) {
    int bytes = links[i].bytes < limit ? links[i].bytes : limit;
    MPI_Isend(links[i].out, bytes, MPI_BYTE, links[i].peer, TAG, MPI_COMM_WORLD, &requests[n + i]);
  }
  MPI_Waitall(2 * n, requests, statuses);
}

/* Runs the exchange and returns the seconds of an iteration on the slowest rank (at rank 0). */
static double run(const struct link *links, int n, int iterations)
{
  exchange(links, n, 1); /* one byte each: connections are made before the clock starts */
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime(), slowest = 0;
  for (int i = 0; i < iterations; i++) exchange(links, n, links[0].bytes);
  double seconds = (MPI_Wtime() - begin) / iterations;
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return slowest;
}

int main(int argc, char **argv)
{
  int me, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int bytes = argc > 1 ? read_int(argv[1], 8) : 262144;
  int iterations = argc > 2 ? read_int(argv[2], 1) : 10;
  if (argc > 3 || !bytes || !iterations || ranks % 2) {
    if (me == 0) fputs(usage, stderr);
    if (me == 0 && ranks % 2) fprintf(stderr, "ladder: started with %d ranks\n", ranks);
    MPI_Finalize();
    return 2;
  }
  struct link links[MAX_LINKS];
  int n = find_links(links, me, ranks, bytes);
  double seconds = run(links, n, iterations);
  if (me == 0) printf("%.6f seconds per iteration\n", seconds);
  for (int i = 0; i < n; i++) {
    free(links[i].out);
    free(links[i].in);
  }
  MPI_Finalize();
  return 0;
}
