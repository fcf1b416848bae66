/* SPDX-License-Identifier: BSD-3-Clause */
/* A two-dimensional transform that overlaps its exchange with computation: README.md says how. */
#define _POSIX_C_SOURCE 200809L
#include "exchange.h"
#include "field.h"
#include "options.h"
#include "serial.h"
#include "threads.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The time of a transform on all ranks, the processor's time of the mean rank, and the steps of the
 * rank that computes longest: the others wait for it. */
typedef struct {
  double total, cpu;
  transform_times_t times;
} sample_t;

typedef struct {
  transform_pieces_t pieces;
  exchange_t exchange;
  sample_t *sample; /* of each repetition; on rank 0 */
  uint64_t checksum;
} variant_t;

typedef struct {
  options_t o;
  transform_t t;
  field_t field;
  fftw_complex *scratch; /* a row for each thread */
  variant_t variant[OPTIONS_VARIANTS];
} job_t;

/* ------------------------------------------------------------------------------ one transform */

static double processor_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void transform(job_t *job, int which, transform_times_t *times)
{
  exchange_t *e = &job->variant[which].exchange;
  exchange_reset(e);
  switch (job->o.variant[which]) {
  case OPTIONS_PLAIN:
  case OPTIONS_GRANULES:
    serial_steps(e, job->scratch, times);
    return;
  case OPTIONS_NONBLOCKING:
  case OPTIONS_PERSISTENT:
    serial_overlapped(e, job->scratch, times);
    return;
  default:
    if (threads_run(e, &job->o.threads, job->scratch, times)) return;
    fprintf(stderr, "fft2d: threads can't be started\n");
    MPI_Abort(MPI_COMM_WORLD, 4);
  }
}

static double computing(const sample_t *s)
{
  const double *step = s->times.seconds;
  return step[TRANSFORM_FIRST] + step[TRANSFORM_TRANSPOSE] + step[TRANSFORM_SECOND];
}

/* On rank 0. */
static void keep(const job_t *job, const sample_t *mine, sample_t *kept)
{
  enum { NUMBERS = sizeof *mine / sizeof(double) };
  sample_t all[job->t.ranks];
  MPI_Gather(mine, NUMBERS, MPI_DOUBLE, all, NUMBERS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (job->t.rank) return;
  double cpu = 0, total = 0;
  int busiest = 0;
  for (int i = 0; i < job->t.ranks; i++) {
    cpu += all[i].cpu / job->t.ranks;
    if (all[i].total > total) total = all[i].total;
    if (computing(&all[i]) > computing(&all[busiest])) busiest = i;
  }
  *kept = (sample_t){total, cpu, all[busiest].times};
}

/* False: the result is wrong. */
static bool check(job_t *job, int which, bool first)
{
  char why[256];
  variant_t *v = &job->variant[which];
  if (!field_check(&job->field, &job->t, why, sizeof why)) {
    if (job->t.rank == 0)
      fprintf(stderr, "fft2d: %s: %s\n", options_variants[job->o.variant[which]], why);
    return false;
  }
  uint64_t found = field_checksum(&job->t), expected = job->variant[0].checksum;
  if (first) v->checksum = found;
  if (first && which == 0) return true;
  if (found == expected) return true;
  if (job->t.rank == 0)
    fprintf(stderr, "fft2d: %s: the checksum is %016" PRIx64 ", expected %016" PRIx64 "\n",
            options_variants[job->o.variant[which]], found, expected);
  return false;
}

/* Numbers that nobody writes are NaN, and so is a spectrum that is made of them. */
static void forget(const transform_t *t)
{
  size_t bytes = (size_t)t->m * (size_t)t->n * sizeof *t->out;
  memset(t->receive, 0xff, bytes);
  memset(t->out, 0xff, bytes);
}

static bool run_one(job_t *job, int which, int repetition)
{
  sample_t mine = {0};
  if (!job->o.no_exchange) forget(&job->t);
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = transform_now(), cpu = processor_now();
  MPI_Pcontrol(2 + job->o.variant[which]); /* berth trace: a phase of this variant */
  transform(job, which, &mine.times);
  MPI_Pcontrol(1);
  mine.total = transform_now() - begin;
  mine.cpu = processor_now() - cpu;
  keep(job, &mine, &job->variant[which].sample[repetition]);
  return job->o.no_exchange || check(job, which, repetition == 0);
}

/* --------------------------------------------------------------------------------- results */

static int compare(const void *a, const void *b)
{
  double x = ((const sample_t *)a)->total, y = ((const sample_t *)b)->total;
  return (x > y) - (x < y);
}

static void print_text(const job_t *job, const variant_t *v, const char *by, const sample_t *s,
                       const char *checksum)
{
  const threads_options_t *o = &job->o.threads;
  const double *step = s->times.seconds;
  bool threads = strcmp(by, "threads") == 0;
  printf("by=%s n=%d ranks=%d granules=%d groups=%d window=%d slower=%d workers=%d ", by, job->t.n,
         job->t.ranks, v->pieces.granules, v->pieces.groups, job->o.window, job->t.slower,
         threads ? o->workers : 0);
  if (threads)
    printf("work=%s communicator=%s locks=%s rows=%d ", options_work[o->work],
           options_communicator[o->communicator], options_locks[o->locks], o->group);
  printf("seconds=%.6fs computing=%.6fs first=%.6fs transpose=%.6fs second=%.6fs waiting=%.6fs "
         "cpu=%.6fs checksum=%s\n",
         s->total, computing(s), step[TRANSFORM_FIRST], step[TRANSFORM_TRANSPOSE],
         step[TRANSFORM_SECOND], step[TRANSFORM_WAITING], s->cpu, checksum);
}

static void print_json(const job_t *job, const variant_t *v, const char *by, const sample_t *s,
                       const char *checksum)
{
  const threads_options_t *o = &job->o.threads;
  const double *step = s->times.seconds;
  bool threads = strcmp(by, "threads") == 0;
  printf("{\"by\": \"%s\", \"n\": %d, \"ranks\": %d, \"granules\": %d, \"groups\": %d, "
         "\"window\": %d, \"slower\": %d, \"workers\": %d, ",
         by, job->t.n, job->t.ranks, v->pieces.granules, v->pieces.groups, job->o.window,
         job->t.slower, threads ? o->workers : 0);
  if (threads)
    printf("\"work\": \"%s\", \"communicator\": \"%s\", \"locks\": \"%s\", \"rows\": %d, ",
           options_work[o->work], options_communicator[o->communicator], options_locks[o->locks],
           o->group);
  printf("\"exchange\": %s, \"seconds\": %.9f, \"minimum_s\": %.9f, \"maximum_s\": %.9f, "
         "\"computing_s\": %.9f, \"first_s\": %.9f, \"transpose_s\": %.9f, \"second_s\": %.9f, "
         "\"waiting_s\": %.9f, \"cpu_s\": %.9f, \"checksum\": %s%s%s}\n",
         job->o.no_exchange ? "false" : "true", s->total, v->sample[0].total,
         v->sample[job->o.repeat - 1].total, computing(s), step[TRANSFORM_FIRST],
         step[TRANSFORM_TRANSPOSE], step[TRANSFORM_SECOND], step[TRANSFORM_WAITING], s->cpu,
         job->o.no_exchange ? "" : "\"", job->o.no_exchange ? "null" : checksum,
         job->o.no_exchange ? "" : "\"");
}

/* On rank 0. */
static void print(job_t *job)
{
  for (int i = 0; i < job->o.n_variants; i++) {
    variant_t *v = &job->variant[i];
    char checksum[24] = "none";
    qsort(v->sample, (size_t)job->o.repeat, sizeof *v->sample, compare);
    if (!job->o.no_exchange) snprintf(checksum, sizeof checksum, "%016" PRIx64, v->checksum);
    (job->o.json ? print_json : print_text)(job, v, options_variants[job->o.variant[i]],
                                            &v->sample[job->o.repeat / 2], checksum);
  }
}

/* ----------------------------------------------------------------------------- beginning, end */

static bool make_variant(job_t *job, int which)
{
  int by = job->o.variant[which];
  bool plain = by == OPTIONS_PLAIN;
  variant_t *v = &job->variant[which];
  exchange_kind_t kind = by == OPTIONS_PERSISTENT ? EXCHANGE_PERSISTENT : EXCHANGE_STARTS;
  v->sample = calloc((size_t)job->o.repeat, sizeof *v->sample);
  bool ok = v->sample &&
            transform_divide(&job->t, plain ? 1 : job->o.granules, plain ? 1 : job->o.groups,
                             &v->pieces) &&
            exchange_make(&v->exchange, &job->t, &v->pieces, kind, job->o.no_exchange);
  v->exchange.nap_us = job->o.nap;
  if (job->o.window > 0) v->exchange.window = job->o.window;
  return ok;
}

static bool make(job_t *job)
{
  job->t.n = job->o.n;
  job->t.block = job->o.block;
  job->t.slower = job->o.slower;
  job->t.sleep = job->o.sleep;
  size_t rows = (size_t)job->o.threads.workers + 1;
  job->scratch = fftw_alloc_complex(rows * (size_t)job->t.n);
  bool ok = job->scratch && transform_make(&job->t);
  for (int i = 0; ok && i < job->o.n_variants; i++) ok = make_variant(job, i);
  return ok && field_make(&job->field, &job->t);
}

static void discard(job_t *job)
{
  for (int i = 0; i < job->o.n_variants; i++) {
    exchange_free(&job->variant[i].exchange);
    free(job->variant[i].pieces.piece);
    free(job->variant[i].sample);
  }
  transform_free(&job->t);
  fftw_free(job->scratch);
}

/* Makes the connections, before time is measured. */
static void connect(int ranks)
{
  char out[ranks], in[ranks];
  memset(out, 0, sizeof out);
  MPI_Alltoall(out, 1, MPI_CHAR, in, 1, MPI_CHAR, MPI_COMM_WORLD);
}

/* Returns the exit code. */
static int run(job_t *job)
{
  if (!make(job)) {
    fprintf(stderr, "fft2d: not enough memory for N %d\n", job->o.n);
    MPI_Abort(MPI_COMM_WORLD, 4);
  }
  connect(job->t.ranks);
  bool right = true;
  for (int r = 0; right && r < job->o.repeat; r++)
    for (int i = 0; right && i < job->o.n_variants; i++) right = run_one(job, i, r);
  if (right && job->t.rank == 0) print(job);
  discard(job);
  return !right;
}

int main(int argc, char **argv)
{
  static job_t job;
  char why[384] = "";
  int provided, code = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &job.t.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.t.ranks);
  if (!options_read(&job.o, argc, argv, why, sizeof why) ||
      (!job.o.help && !options_suit(&job.o, job.t.ranks, why, sizeof why))) {
    if (job.t.rank == 0) fprintf(stderr, "fft2d: %s\n", why);
    code = 2;
  } else if (job.o.help) {
    if (job.t.rank == 0) fputs(options_usage, stdout);
  } else {
    code = run(&job);
  }
  MPI_Finalize();
  return code;
}
