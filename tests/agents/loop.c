/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that agents carry out, one after the other: loop CALLS [STOP]. In each, all ranks add up
 * their numbers and send vectors of many sizes; every result is checked. With STOP, rank 1 ends
 * itself by a signal, or stops forever, after so many calls: "kill 100", "stop 100". With "many",
 * 3,000 calls at once follow, with "late" 1,000 that their root begins last, with "lists" calls
 * whose lists are freed early. With "linger", a rank lives on for some seconds after an error, so
 * that others have to find their own. Errors of the communicator come back. Prints how many calls
 * were right, and the first error that there was. Lines of the library go to the file SAID, if that
 * is set: MPICH's launcher loses what ranks say right before MPI_Abort, now and then. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 20000 };
static double in[MOST], out[MOST];
static int rank, ranks;

/* Waits, in one of the ways that there are. */
static int finish(MPI_Request *request, int call)
{
  int flag = 0, index, rc = MPI_SUCCESS;
  switch (call % 3) {
  case 0:
    return MPI_Wait(request, MPI_STATUS_IGNORE);
  case 1:
    while (!flag && rc == MPI_SUCCESS) rc = MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    return rc;
  default:
    return MPI_Waitany(1, request, &index, MPI_STATUS_IGNORE);
  }
}

/* The code of a call; ends the job if its result is wrong. */
static int one_call(int call)
{
  MPI_Request request;
  int n = call % 5 ? 1 + call % 4 : 1 + call * 37 % MOST, root = call % ranks;
  for (int i = 0; i < n; i++) in[i] = rank + i + call;
  int rc = call % 2 ? MPI_Ibcast(in, n, MPI_DOUBLE, root, MPI_COMM_WORLD, &request)
                    : MPI_Iallreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  if (rc == MPI_SUCCESS) rc = finish(&request, call);
  for (int i = 0; i < n && rc == MPI_SUCCESS; i++) {
    double sum = ranks * (ranks - 1) / 2.0 + ranks * (double)(i + call);
    double found = call % 2 ? in[i] : out[i], expected = call % 2 ? root + i + call : sum;
    if (found == expected) continue;
    printf("call %d, element %d: found %g, expected %g\n", call, i, found, expected);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return rc;
}

/* Very many calls at once, more than a rank has channels, and one that blocks. The code. */
static int many(int calls)
{
  MPI_Request *request = malloc((size_t)calls * sizeof *request);
  int *all = calloc((size_t)calls, sizeof *all), rc = MPI_SUCCESS;
  for (int i = 0; i < calls; i++) all[i] = rank + i;
  for (int i = 0; i < calls && rc == MPI_SUCCESS; i++)
    rc = MPI_Iallreduce(MPI_IN_PLACE, &all[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[i]);
  if (rc == MPI_SUCCESS) rc = MPI_Barrier(MPI_COMM_WORLD);
  if (rc == MPI_SUCCESS) rc = MPI_Waitall(calls, request, MPI_STATUSES_IGNORE);
  for (int i = 0; i < calls && rc == MPI_SUCCESS; i++)
    if (all[i] != ranks * (ranks - 1) / 2 + ranks * i) MPI_Abort(MPI_COMM_WORLD, 1);
  free(all);
  free(request);
  return rc;
}

/* Broadcasts at once, which their root begins when all others have. The code. */
static int late(int calls)
{
  MPI_Request *request = malloc((size_t)calls * sizeof *request);
  int *all = calloc((size_t)calls, sizeof *all), rc = MPI_SUCCESS;
  for (int r = 1; r < ranks && rank == 0 && rc == MPI_SUCCESS; r++)
    rc = MPI_Recv(NULL, 0, MPI_INT, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < calls && rc == MPI_SUCCESS; i++) {
    if (rank == 0) all[i] = i;
    rc = MPI_Ibcast(&all[i], 1, MPI_INT, 0, MPI_COMM_WORLD, &request[i]);
  }
  usleep(100000); /* for their agents to hear of it */
  if (rank > 0 && rc == MPI_SUCCESS) rc = MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rc == MPI_SUCCESS) rc = MPI_Waitall(calls, request, MPI_STATUSES_IGNORE);
  for (int i = 0; i < calls && rc == MPI_SUCCESS; i++)
    if (all[i] != i) MPI_Abort(MPI_COMM_WORLD, 1);
  free(all);
  free(request);
  return rc;
}

/* Numbers from 1 on, or their sums before each; to be freed. */
static int *list_of(int sums)
{
  int *list = malloc((size_t)ranks * sizeof *list);
  for (int r = 0; r < ranks; r++) list[r] = sums ? r * (r + 1) / 2 : r + 1;
  return list;
}

static void drop(int *list)
{
  memset(list, 0x55, (size_t)ranks * sizeof *list);
  free(list);
}

/* Calls whose lists are gone before they end. MPI doesn't allow that, but its implementations don't
 * mind, and mpi4py 3.1 does it. The code. */
static int lists(int calls)
{
  int all = ranks * (ranks + 1) / 2, rc = MPI_SUCCESS;
  int *given = malloc((size_t)all * sizeof *given),
      *got = malloc((size_t)(all * ranks) * sizeof *got);
  for (int call = 0; call < calls && rc == MPI_SUCCESS; call++) {
    MPI_Request request;
    int *counts = list_of(0), *places = list_of(1), n = rank + 1, last = n;
    for (int i = 0; i < all; i++) given[i] = got[i] = call + rank;
    if (call % 2) {
      rc = MPI_Ireduce_scatter(given, got, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    } else {
      rc = MPI_Iallgatherv(given, n, MPI_INT, got, counts, places, MPI_INT, MPI_COMM_WORLD,
                           &request);
      last = all;
    }
    drop(counts);
    drop(places);
    if (rc == MPI_SUCCESS) rc = finish(&request, call);
    for (int i = 0, from = 0; i < last && rc == MPI_SUCCESS; i++) {
      while (from * (from + 1) / 2 + from + 1 <= i) from++;
      int expected = call % 2 ? ranks * call + ranks * (ranks - 1) / 2 : call + from;
      if (got[i] != expected) MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  free(given);
  free(got);
  return rc;
}

int main(int argc, char **argv)
{
  int calls = argc > 1 ? atoi(argv[1]) : 100, end = argc > 3 ? atoi(argv[3]) : -1, rc = 0, call;
  const char *said = getenv("SAID");
  if (said) dup2(open(said, O_WRONLY | O_CREAT | O_APPEND, 0600), STDERR_FILENO);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (fork() == 0) _exit(0);
  while (wait(NULL) > 0) { /* for its own children alone */
  }
  if (rank == 0) {
    printf("begun\n");
    fflush(stdout);
  }
  for (call = 0; call < calls && rc == MPI_SUCCESS; call++) {
    if (call == end && rank == 1) raise(strcmp(argv[2], "kill") == 0 ? SIGKILL : SIGSTOP);
    rc = one_call(call);
  }
  if (rc == MPI_SUCCESS && argc > 2 && strcmp(argv[2], "many") == 0) rc = many(3000);
  if (rc == MPI_SUCCESS && argc > 2 && strcmp(argv[2], "late") == 0) rc = late(1000);
  if (rc == MPI_SUCCESS && argc > 2 && strcmp(argv[2], "lists") == 0) rc = lists(200);
  if (rc == MPI_SUCCESS) {
    if (rank == 0) printf("%d calls right\n", call);
    MPI_Finalize();
    return 0;
  }
  printf("rank %d: error class %d\n", rank, rc);
  fflush(stdout);
  if (argc > 2 && strcmp(argv[2], "linger") == 0) {
    sleep(8);
    _exit(7);
  }
  MPI_Abort(MPI_COMM_WORLD, 7);
}
