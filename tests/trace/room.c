/* SPDX-License-Identifier: BSD-3-Clause */
/* More kinds of messages than small tables hold:
 *   room PHASES SIZES THREADS [puts]
 * Each thread of each rank sends, in each of so many phases, one message of 1, 2, … SIZES bytes to
 * each rank, and ends when all have; with `puts` each rank puts as many of the same sizes into each
 * window before that. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

static int rank, ranks, sizes;
static pthread_barrier_t all_sent;

/* One round to all ranks, all at once; the thread's number is the tag. */
static void send_all(int tag)
{
  int n = 0;
  size_t most = (size_t)sizes * (size_t)ranks;
  char *out = calloc(1, (size_t)sizes), *in = malloc(most * (size_t)sizes);
  MPI_Request *requests = malloc(2 * most * sizeof *requests);
  for (int size = 1; size <= sizes; size++)
    for (int from = 0; from < ranks; from++, n++)
      MPI_Irecv(in + (size_t)n * (size_t)sizes, size, MPI_BYTE, from, tag, MPI_COMM_WORLD,
                &requests[n]);
  for (int size = 1; size <= sizes; size++)
    for (int to = 0; to < ranks; to++)
      MPI_Isend(out, size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &requests[n++]);
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  free(out);
  free(in);
  free(requests);
}

/* One round into all ranks' windows, each rank into a place of its own. */
static void put_all(MPI_Win window)
{
  char *out = calloc(1, (size_t)sizes);
  for (int size = 1; size <= sizes; size++)
    for (int to = 0; to < ranks; to++)
      MPI_Put(out, size, MPI_BYTE, to, (MPI_Aint)rank * sizes, size, MPI_BYTE, window);
  MPI_Win_flush_all(window);
  free(out);
}

static void *thread_main(void *tag)
{
  send_all(*(int *)tag);
  pthread_barrier_wait(&all_sent);
  return NULL;
}

int main(int argc, char **argv)
{
  int level, phases = atoi(argv[1]), n_threads = atoi(argv[3]);
  MPI_Init_thread(&argc, &argv, n_threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  sizes = atoi(argv[2]);
  pthread_t *thread = malloc((size_t)n_threads * sizeof *thread);
  int *tag = malloc((size_t)n_threads * sizeof *tag);
  pthread_barrier_init(&all_sent, NULL, (unsigned)n_threads);
  MPI_Win window = MPI_WIN_NULL;
  char *memory;
  if (argc > 4) {
    MPI_Win_allocate((MPI_Aint)ranks * sizes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
  }
  for (int phase = 0; phase < phases; phase++) {
    MPI_Pcontrol(phase + 2);
    if (argc > 4) put_all(window);
    for (int i = 1; i < n_threads; i++) {
      tag[i] = i;
      pthread_create(&thread[i], NULL, thread_main, &tag[i]);
    }
    thread_main(&(int){0});
    for (int i = 1; i < n_threads; i++) pthread_join(thread[i], NULL);
  }
  if (argc > 4) {
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
  }
  MPI_Finalize();
  return 0;
}
