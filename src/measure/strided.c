/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages whose data lie in blocks. In an exchange each of two ranks posts a receive, sends to the
 * other one and waits for the receive (Boyer and Chase, "Insomnia", section 4). One way, one rank
 * sends several messages at once, as a link's bandwidth is measured (engine.c). Messages use slots
 * of memory in turns. Slots have 4 MiB of cache lines, as a link's messages have, whatever the
 * gaps: more than a core's own caches. All experiments of a size follow one another, and there are
 * laps of them all. Other jobs only slow them: a value is the median of the fastest lap. */
#include "measure/strided.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/measure.h"

enum { MOST_LAPS = 4, MOST_ROUNDS = 3, TAG = 7, MOST_ITERATIONS = 2048, MOST_SLOTS = 128 };
enum { LEAST_STEP = 1024, MOST_STEP = 256 << 10 }; /* where sizes beside it are measured */
enum {
  LEAST_BYTES = 256,
  MOST_BYTES = 4 << 20,
  FEW_BYTES = 8 << 10,
  LEAST_BLOCK = 4,
  MOST_BLOCK = 32 << 10
};
enum { AREA = 128 << 20 }; /* of memory with blocks */
enum { LINE = 64 };        /* bytes of a cache line */
/* Bytes between blocks, one way; the last one is wider than a page. In exchanges gaps are as large
 * as blocks. */
static const int gaps[] = {8, 16, 32, 64, 128, 256, 512, 1024, 4160};
enum { GAPS = sizeof gaps / sizeof *gaps };
/* Of a sample; exchanges are compared with each other, and a few per cent decide. */
#define SAMPLE_S   200e-6
#define EXCHANGE_S 800e-6
#define LONG_S     2e-3 /* a pass of all slots that needs no repetition in a lap */

/* Who packs: nobody (the data are contiguous), the program by assignments, by memcpy, by memcpy
 * that touches the destination first; MPI_Pack; the MPI, because the message has a derived type. */
typedef enum by { BY_NOBODY, BY_HAND, BY_MEMCPY, BY_TOUCH, BY_PACK, BY_TYPE, N_BYS } by_t;
static const char *const by_names[N_BYS] = {"contiguous", "hand", "memcpy",
                                            "touch",      "pack", "type"};
typedef enum side { SEND = 1, RECEIVE = 2, BOTH = 3 } side_t;
static const char *const side_names[] = {[SEND] = "send", [RECEIVE] = "receive", [BOTH] = "both"};

typedef struct point {
  by_t by;
  side_t side;
  int exchange;     /* else one way */
  int gap;          /* of `gaps`; 0: as many as a block has */
  int block, count; /* whole blocks */
  int bytes;        /* of a message of this point; its blocks may have a little less */
  int slots, batch; /* one way, half of the slots are under way at once */
  int iterations;   /* of a sample */
  int rounds;       /* samples of a lap */
  float seconds[MOST_LAPS][MOST_ROUNDS];
} point_t;

typedef struct strided {
  void (*say)(const char *members);
  int rank;
  char *from, *to;         /* the data in blocks */
  char *packed, *unpacked; /* contiguous */
  MPI_Comm pair;           /* the two ranks */
  point_t *point;
  size_t n;
  int laps, rounds, most_bytes;
} strided_t;

static int data_of(const point_t *p) { return p->block * p->count; }
static int stride_of(const point_t *p) { return p->block + (p->gap ? p->gap : p->block); }

/* --- by the program --- */

#define ASSIGN(type, n)                                                                            \
  for (int i = 0; i < count; i++)                                                                  \
    for (int k = 0; k < (n); k++)                                                                  \
  ((type *)(to + (size_t)i * (size_t)to_step))[k] =                                                \
      ((const type *)(from + (size_t)i * (size_t)from_step))[k]

static void by_assignments(char *to, int to_step, const char *from, int from_step, int block,
                           int count)
{
  if (block == 4)
    ASSIGN(float, 1);
  else if (block == 8)
    ASSIGN(double, 1);
  else if (block == 16)
    ASSIGN(double, 2);
  else if (block == 32)
    ASSIGN(double, 4);
  else
    ASSIGN(double, block / 8);
}

static void by_memcpy(char *to, int to_step, const char *from, int from_step, int block, int count)
{
  for (int i = 0; i < count; i++)
    memcpy(to + (size_t)i * (size_t)to_step, from + (size_t)i * (size_t)from_step, (size_t)block);
}

static void by_touch(char *to, int to_step, const char *from, int from_step, int block, int count)
{
  for (int i = 0; i < count; i++) {
    char *here = to + (size_t)i * (size_t)to_step;
    *(volatile char *)here = 0;
    memcpy(here, from + (size_t)i * (size_t)from_step, (size_t)block);
  }
}

static void copy_blocks(const point_t *p, char *to, int to_step, const char *from, int from_step)
{
  static void (*const kernels[])(char *, int, const char *, int, int, int) = {
      [BY_HAND] = by_assignments, [BY_MEMCPY] = by_memcpy, [BY_TOUCH] = by_touch};
  kernels[p->by](to, to_step, from, from_step, p->block, p->count);
}

/* --- an experiment --- */

static MPI_Datatype make_type(const point_t *p)
{
  MPI_Datatype type, element = p->block % 8 ? MPI_FLOAT : MPI_DOUBLE;
  int unit = p->block % 8 ? 4 : 8;
  MPI_Type_vector(p->count, p->block / unit, stride_of(p) / unit, element, &type);
  MPI_Type_commit(&type);
  return type;
}

/* A message's place in the memory with blocks, and in the contiguous memory. */
static size_t span_of(const point_t *p) { return (size_t)p->count * (size_t)stride_of(p); }
/* Bytes of the cache lines that it is in. A block ends in a line that it doesn't fill, unless the
 * next one begins there. */
static int lines_of(const point_t *p)
{
  int gap = stride_of(p) - p->block;
  return p->by == BY_NOBODY ? p->bytes : p->count * (p->block + (gap < LINE ? gap : LINE));
}
static char *in_blocks(const point_t *p, char *area, int i)
{
  return area + (size_t)(i % p->slots) * span_of(p);
}
static char *in_line(const point_t *p, char *area, int i)
{
  return area + (size_t)(i % p->slots) * (size_t)p->bytes;
}

static void pack(const strided_t *s, const point_t *p, MPI_Datatype type, int i)
{
  int at = 0;
  char *to = in_line(p, s->packed, i), *from = in_blocks(p, s->from, i);
  if (p->by == BY_PACK)
    MPI_Pack(from, 1, type, to, data_of(p), &at, MPI_COMM_WORLD);
  else
    copy_blocks(p, to, p->block, from, stride_of(p));
}

static void unpack(const strided_t *s, const point_t *p, MPI_Datatype type, int i)
{
  int at = 0;
  char *to = in_blocks(p, s->to, i), *from = in_line(p, s->unpacked, i);
  if (p->by == BY_PACK)
    MPI_Unpack(from, data_of(p), &at, to, 1, type, MPI_COMM_WORLD);
  else
    copy_blocks(p, to, stride_of(p), from, p->block);
}

static void post_receive(const strided_t *s, const point_t *p, MPI_Datatype type, int i,
                         MPI_Request *request)
{
  if (p->by == BY_TYPE && p->side & RECEIVE)
    MPI_Irecv(in_blocks(p, s->to, i), 1, type, 1 - s->rank, TAG, MPI_COMM_WORLD, request);
  else
    MPI_Irecv(in_line(p, s->unpacked, i), data_of(p), MPI_BYTE, 1 - s->rank, TAG, MPI_COMM_WORLD,
              request);
}

static void post_send(const strided_t *s, const point_t *p, MPI_Datatype type, int i,
                      MPI_Request *request)
{
  if (p->by == BY_TYPE && p->side & SEND)
    MPI_Isend(in_blocks(p, s->from, i), 1, type, 1 - s->rank, TAG, MPI_COMM_WORLD, request);
  else
    MPI_Isend(in_line(p, s->packed, i), data_of(p), MPI_BYTE, 1 - s->rank, TAG, MPI_COMM_WORLD,
              request);
}

static void exchange(const strided_t *s, const point_t *p, MPI_Datatype type, int n)
{
  MPI_Request request[2];
  int by_program = p->by != BY_NOBODY && p->by != BY_TYPE;
  for (int i = 0; i < n; i++) {
    post_receive(s, p, type, i, &request[0]);
    if (by_program && p->side & SEND) pack(s, p, type, i);
    post_send(s, p, type, i, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    if (by_program && p->side & RECEIVE) unpack(s, p, type, i);
  }
}

/* Rank 0 sends; after each batch rank 1 says that it has everything. */
static void one_way(const strided_t *s, const point_t *p, MPI_Datatype type, int n)
{
  MPI_Request request[MOST_SLOTS];
  char byte = 0;
  for (int i = 0; i < n; i += p->batch) {
    int k = 0;
    for (; k < p->batch && i + k < n; k++)
      (s->rank ? post_receive : post_send)(s, p, type, i + k, &request[k]);
    MPI_Waitall(k, request, MPI_STATUSES_IGNORE);
    if (s->rank)
      MPI_Send(&byte, 1, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    else
      MPI_Recv(&byte, 1, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void meet(int rank)
{
  char mine = 0, theirs;
  MPI_Sendrecv(&mine, 1, MPI_BYTE, 1 - rank, TAG, &theirs, 1, MPI_BYTE, 1 - rank, TAG,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double sample(const strided_t *s, const point_t *p, MPI_Datatype type, int n)
{
  meet(s->rank);
  double begin = MPI_Wtime();
  (p->exchange ? exchange : one_way)(s, p, type, n);
  return (MPI_Wtime() - begin) / n;
}

/* How many messages make a sample and how many samples a lap, as the first rank finds. */
static void plan_samples(const strided_t *s, point_t *p, MPI_Datatype type)
{
  double seconds = sample(s, p, type, 2 * p->batch), all = p->exchange ? EXCHANGE_S : SAMPLE_S;
  int n = seconds > 0 ? p->batch * (2 + (int)(all / seconds / p->batch)) : MOST_ITERATIONS;
  int plan[2] = {n < MOST_ITERATIONS ? n : MOST_ITERATIONS,
                 p->slots * seconds < LONG_S ? s->rounds : 1};
  MPI_Bcast(plan, 2, MPI_INT, 0, s->pair);
  p->iterations = plan[0];
  p->rounds = plan[1];
}

/* The caches first get what they have when such messages follow one another. */
static void measure_point(const strided_t *s, point_t *p, int lap)
{
  MPI_Datatype type = make_type(p);
  if (p->iterations == 0) plan_samples(s, p, type);
  if (p->rounds > 1 || lap == 0) sample(s, p, type, p->slots);
  for (int round = 0; round < p->rounds; round++)
    p->seconds[lap][round] = (float)sample(s, p, type, p->iterations);
  MPI_Type_free(&type);
}

/* --- the plan --- */

static void add(strided_t *s, point_t p)
{
  p.count = p.bytes / p.block;
  size_t span = span_of(&p);
  if (span > AREA) return;
  p.slots = MOST_BYTES / lines_of(&p);
  if (p.slots > MOST_SLOTS) p.slots = MOST_SLOTS;
  if ((size_t)p.slots > AREA / span) p.slots = (int)(AREA / span);
  if (p.slots < 1) p.slots = 1;
  p.batch = p.exchange || p.slots < 2 ? 1 : p.slots / 2;
  if (s->point) s->point[s->n] = p;
  s->n++;
}

static void add_block(strided_t *s, int block, int bytes, int compares)
{
  for (int side = SEND; side <= BOTH; side++) {
    point_t p = {.by = BY_TYPE, .side = side, .block = block, .bytes = bytes};
    for (int g = 0; g < GAPS; g++) {
      p.gap = gaps[g];
      add(s, p);
    }
    p.gap = 0;
    p.exchange = 1;
    for (int by = BY_HAND; by < N_BYS && compares; by++) {
      p.by = by;
      add(s, p);
    }
  }
}

static void add_contiguous(strided_t *s, int bytes, int compares)
{
  point_t p = {.by = BY_NOBODY, .side = BOTH, .block = bytes, .bytes = bytes};
  for (p.exchange = 0; p.exchange <= compares; p.exchange++) add(s, p);
}

static void add_size(strided_t *s, int bytes, int most_block, int compares)
{
  add_contiguous(s, bytes, compares);
  for (int block = LEAST_BLOCK; block <= most_block; block *= 2) {
    add_block(s, block, bytes, compares);
    int more = block + block / 2;
    if (more >= 12 && more <= 48 && more <= most_block) add_block(s, more, bytes, 0);
  }
}

/* A size a little above a power of two, in blocks of powers of two and in few large ones. */
static void add_size_above(strided_t *s, int power)
{
  int bytes = power + power / 32;
  add_size(s, bytes, power / 32, 0);
  for (int n = 8; n >= 2; n /= 4)
    if (bytes % (8 * n) == 0) add_block(s, bytes / n, bytes, 0);
}

/* Counts the points, or puts them into s->point. MPIs change the way they send at powers of two, so
 * there is a size a little above each. Open MPI's sizes have its header, so contiguous messages,
 * which change most, have a size a little below, too. Who packs is compared at every second power.
 */
static void plan(strided_t *s)
{
  int compares = 0;
  s->n = 0;
  for (int bytes = LEAST_BYTES; bytes <= s->most_bytes; bytes *= 2, compares = !compares) {
    int half = bytes / 2;
    bool steps = bytes >= LEAST_STEP && bytes <= MOST_STEP;
    if (steps) add_contiguous(s, bytes - bytes / 64, 0);
    add_size(s, bytes, half < MOST_BLOCK ? half : MOST_BLOCK, compares);
    if (steps) add_size_above(s, bytes);
  }
}

/* --- results --- */

static int compare(const void *a, const void *b)
{
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* The fastest lap, which has the least median. Its samples are sorted. */
static const float *fastest_lap(point_t *p, int laps)
{
  const float *best = p->seconds[0];
  for (int lap = 0; lap < laps; lap++) {
    float *here = p->seconds[lap];
    qsort(here, (size_t)p->rounds, sizeof *here, compare);
    if (here[p->rounds / 2] < best[p->rounds / 2]) best = here;
  }
  return best;
}

static void say_point(const strided_t *s, point_t *p)
{
  char text[280];
  const float *sample = fastest_lap(p, s->laps);
  double median = sample[p->rounds / 2], whole = (double)p->bytes / data_of(p);
  snprintf(text, sizeof text,
           "\"by\":\"%s\",\"side\":\"%s\",\"exchange\":%s,\"gap\":%d,\"block\":%d,"
           "\"bytes\":%d,"
           "\"seconds\":%.6g,\"spread\":%.3g,\"samples\":%d",
           by_names[p->by], side_names[p->side], p->exchange ? "true" : "false", p->gap, p->block,
           p->bytes, median * whole, (sample[p->rounds - 1] - sample[0]) / median, p->rounds);
  s->say(text);
}

static void say_part(const strided_t *s, int part, int parts)
{
  char text[64];
  snprintf(text, sizeof text, "\"part\":%d,\"parts\":%d", part, parts);
  if (s->rank == 0) s->say(text);
}

static void measure_all(const strided_t *s)
{
  int part = 0, parts = 0;
  for (size_t i = 0; i < s->n; i++) parts += i == 0 || s->point[i].bytes != s->point[i - 1].bytes;
  for (int lap = 0; lap < s->laps; lap++)
    for (size_t first = 0, end; first < s->n; first = end) {
      for (end = first; end < s->n && s->point[end].bytes == s->point[first].bytes;) end++;
      say_part(s, part++, s->laps * parts);
      for (size_t i = first; i < end; i++) measure_point(s, &s->point[i], lap);
    }
}

int strided_run(int samples, void (*say)(const char *members))
{
  int most = samples < MOST_LAPS ? samples : MOST_LAPS;
  strided_t s = {.say = say,
                 .laps = most,
                 .rounds = samples / most,
                 .most_bytes = samples < MOST_LAPS ? FEW_BYTES : MOST_BYTES};
  if (s.rounds > MOST_ROUNDS) s.rounds = MOST_ROUNDS;
  MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
  MPI_Comm_split(MPI_COMM_WORLD, s.rank < 2 ? 0 : MPI_UNDEFINED, s.rank, &s.pair);
  if (s.rank < 2) {
    plan(&s);
    s.point = calloc(s.n, sizeof *s.point);
    s.from = measure_memory(AREA);
    s.to = measure_memory(AREA);
    s.packed = measure_memory(MOST_BYTES);
    s.unpacked = measure_memory(MOST_BYTES);
    if (!s.point || !s.from || !s.to || !s.packed || !s.unpacked) return 0; /* the job ends */
    plan(&s);
    measure_all(&s);
    for (size_t i = 0; s.rank == 0 && i < s.n; i++) say_point(&s, &s.point[i]);
    free(s.point);
    measure_memory_free(s.from);
    measure_memory_free(s.to);
    measure_memory_free(s.packed);
    measure_memory_free(s.unpacked);
    MPI_Comm_free(&s.pair);
  }
  measure_wait();
  if (s.rank == 0) say("\"done\":true");
  return 1;
}
