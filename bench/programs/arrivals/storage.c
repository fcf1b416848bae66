/* SPDX-License-Identifier: BSD-3-Clause */
/* storage [REQUESTS]: three ranks keep blocks for the thirteen others, each of which has a list of
 * requests: to read a block of 20 to 200 KB from one of the three, or to write one. It sends a
 * request, awaits the reply, and sends the next. A read is a small request with a large reply, a
 * write is a large request with a small reply. The three take requests by MPI_Recv from any source,
 * and reply to one before they take another. A client tells them when it has ended. */
#include <string.h>

#include "../timed.h"

enum { SERVERS = 3, CLIENTS = RANKS - SERVERS, SMALLEST = 20000, LARGEST = 200000 };
enum { READ, WRITE, STOP };
enum { REQUEST = 1, REPLY = 2 };

static const int SERVER[SERVERS] = {2, 7, 13};

/* A request's first bytes, and the whole reply to a write. A block follows when one is sent. */
struct header {
  int kind, client, number, bytes;
};

enum { HEADER = sizeof(struct header) };

static char *outgoing, *incoming;

static unsigned draw(unsigned *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

static int is_server(int rank)
{
  for (int i = 0; i < SERVERS; i++)
    if (rank == SERVER[i]) return 1;
  return 0;
}

static int received_bytes(const MPI_Status *status)
{
  int n;
  MPI_Get_count(status, MPI_BYTE, &n);
  return n;
}

/* A message starts with the header, and has a block behind it if `block`. Returns its bytes. */
static int message_bytes(const struct header *about, int block)
{
  return HEADER + (block ? about->bytes : 0);
}

static void send_message(const struct header *about, int block, int to, int tag)
{
  memcpy(outgoing, about, HEADER);
  MPI_Send(outgoing, message_bytes(about, block), MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

/* Returns when all clients have ended. */
static void serve(void)
{
  struct header asked;
  for (int ended = 0; ended < CLIENTS;) {
    MPI_Status status;
    MPI_Recv(incoming, HEADER + LARGEST, MPI_BYTE, MPI_ANY_SOURCE, REQUEST, MPI_COMM_WORLD,
             &status);
    memcpy(&asked, incoming, HEADER);
    expect(asked.client, status.MPI_SOURCE, "a request's client");
    expect(received_bytes(&status), message_bytes(&asked, asked.kind == WRITE),
           "a request's bytes");
    if (asked.kind == STOP)
      ended++;
    else
      send_message(&asked, asked.kind == READ, status.MPI_SOURCE, REPLY);
  }
}

static void ask(const struct header *wanted, int server)
{
  MPI_Status status;
  struct header got;
  send_message(wanted, wanted->kind == WRITE, server, REQUEST);
  MPI_Recv(incoming, HEADER + LARGEST, MPI_BYTE, server, REPLY, MPI_COMM_WORLD, &status);
  memcpy(&got, incoming, HEADER);
  expect(received_bytes(&status), message_bytes(wanted, wanted->kind == READ), "a reply's bytes");
  expect(got.number, wanted->number, "a reply's number");
}

/* Two of three requests are reads. */
static void work_off_list(int rank, int requests, unsigned seed)
{
  unsigned state = seed + 6700417u * (unsigned)(rank + 1);
  for (int i = 0; i < 10; i++) draw(&state);
  for (int i = 0; i < requests; i++) {
    struct header wanted = {.client = rank, .number = i};
    int server = SERVER[draw(&state) % SERVERS];
    wanted.kind = draw(&state) % 3 ? READ : WRITE;
    wanted.bytes = SMALLEST + (int)(draw(&state) % (LARGEST - SMALLEST));
    ask(&wanted, server);
  }
  struct header stop = {.kind = STOP, .client = rank};
  for (int i = 0; i < SERVERS; i++) send_message(&stop, 0, SERVER[i], REQUEST);
}

static void run(int rank, int requests, unsigned seed)
{
  if (is_server(rank))
    serve();
  else
    work_off_list(rank, requests, seed);
}

int main(int argc, char **argv)
{
  int rank = begin(&argc, &argv), n = argc > 1 ? atoi(argv[1]) : 11;
  outgoing = calloc(1, HEADER + LARGEST);
  incoming = calloc(1, HEADER + LARGEST);
  run(rank, 3, 77u);
  double begun = start_clock();
  run(rank, n, 88675123u);
  stop_clock(begun);
  free(outgoing);
  free(incoming);
  return MPI_Finalize();
}
