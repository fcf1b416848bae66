/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameterised LogP between two ranks (T. Kielmann and others, 2000): a line "m os or g"
 * for each size, in bytes and seconds, and one "latency L". g is the time from one message to the
 * next of many, os and or what the sender and the receiver spend, L what is left of a message of
 * one byte. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 9, LARGEST = 1 << 20 };

static int me, other;
static char *data;

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *t, int n)
{
  qsort(t, (size_t)n, sizeof *t, by_value);
  return t[n / 2];
}

static void send(int bytes) { MPI_Send(data, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD); }
static void receive(int bytes)
{
  MPI_Recv(data, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* There and back. */
static double round_trip(int bytes)
{
  double begin = MPI_Wtime();
  if (me == 0) {
    send(bytes);
    receive(0);
  } else {
    receive(bytes);
    send(0);
  }
  return MPI_Wtime() - begin;
}

/* The time of a message among n that follow each other. */
static double gap(int bytes, int n)
{
  double begin = MPI_Wtime();
  for (int i = 0; i < n; i++)
    if (me == 0)
      send(bytes);
    else
      receive(bytes);
  if (me == 0)
    receive(0);
  else
    send(0);
  return (MPI_Wtime() - begin) / n;
}

/* What MPI_Isend takes, and MPI_Recv of a message that has arrived, or could have. */
static double overhead(int bytes, int who)
{
  const struct timespec pause = {.tv_nsec = 2000000 + 100L * bytes};
  MPI_Request request;
  double begin = MPI_Wtime(), took = 0;
  if (me == 0) {
    MPI_Isend(data, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &request);
    if (who == 0) took = MPI_Wtime() - begin;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    receive(0);
  } else {
    int there = 0;
    while (!there) MPI_Iprobe(other, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    nanosleep(&pause, NULL);
    begin = MPI_Wtime();
    receive(bytes);
    if (who != 0) took = MPI_Wtime() - begin;
    send(0);
  }
  double all;
  MPI_Allreduce(&took, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

int main(int argc, char **argv)
{
  double t[ROUNDS], g1;
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  other = 1 - me;
  data = calloc(LARGEST, 1);
  round_trip(1);
  for (int i = 0; i < ROUNDS; i++) t[i] = gap(1, 256);
  g1 = median(t, ROUNDS);
  for (int i = 0; i < ROUNDS; i++) t[i] = round_trip(1);
  double latency = median(t, ROUNDS) / 2 - g1;
  if (me == 0) printf("latency %.9f\n", latency > 0 ? latency : 0);
  for (int bytes = 1024; bytes <= LARGEST; bytes *= 2) {
    double os, or;
    int n = bytes < 65536 ? 64 : 1 << 22 >> 6 > bytes ? 32 : 8;
    for (int i = 0; i < ROUNDS; i++) t[i] = overhead(bytes, 0);
    os = median(t, ROUNDS);
    for (int i = 0; i < ROUNDS; i++) t[i] = overhead(bytes, 1);
    or = median(t, ROUNDS);
    for (int i = 0; i < ROUNDS; i++) t[i] = gap(bytes, n);
    if (me == 0) printf("%d %.9f %.9f %.9f\n", bytes, os, or, median(t, ROUNDS));
  }
  free(data);
  MPI_Finalize();
  return 0;
}
