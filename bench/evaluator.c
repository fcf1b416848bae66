/* SPDX-License-Identifier: BSD-3-Clause */
/* evaluator: how fast placements are priced on one core, and how fast swaps of two ranks are.
 *
 *   cmake --preset default -DBERTH_BENCH=ON && cmake --build build && build/bench/bench_evaluator
 *
 * Each rank sends messages of mixed sizes to so many others: "far" draws them at random, "near"
 * takes the ranks beside it. The machine is a tree of three levels (racks, hosts, PUs); network and
 * memory have a curve each. Placements are random permutations for "far", in order for "near".
 * All times are CPU times, medians of ROUNDS rounds with the least and the most. The limit,
 * measured in the same rounds, is a bare loop that only adds up bytes for every port that a pair
 * crosses: no curves, no order of ranks. Exits with 1 when a million random swaps end at another
 * cost than a full evaluation. */
#include <berth/cost.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 9, MODELS = BERTH_MODEL_SUM + 1 }; /* port, bound, sum; flow has bench/flow.c */
static const double round_s = 0.2;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* others' turns on this core don't count */
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t random_state = 1;
static uint32_t random_below(uint32_t n)
{
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(((random_state >> 32) * n) >> 32);
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *x, size_t n)
{
  qsort(x, n, sizeof *x, by_value);
  return x[n / 2];
}

/* --- inputs --- */

typedef struct shape {
  int racks, hosts, pus, degree;
  const char *aim;
  double capacity; /* 0: what one pair gets at most */
} shape_t;

static int n_ranks(const shape_t *s) { return s->racks * s->hosts * s->pus; }

static berth_topo_t *machine(const shape_t *s)
{
  static const double size[] = {1, 1024, 65536, 1048576};
  static const double net[] = {5e5, 2e8, 2e9, 2.5e9}, memory[] = {5e6, 2e9, 8e9, 1e10};
  berth_curve_t curves[] = {{"net", "", 4, size, net}, {"memory", "", 4, size, memory}};
  berth_topo_t *t = berth_topo_new("bench", NULL);
  berth_port_dir_t none = {-1, 0};
  berth_port_dir_t link = {berth_topo_add_curve(t, &curves[0], NULL), s->capacity};
  berth_port_dir_t bus = {berth_topo_add_curve(t, &curves[1], NULL), s->capacity};
  berth_type_t host = {"host", {link, link}, {bus, bus}, 0};
  berth_type_t rack = {"rack", {link, link}, {link, link}, 0};
  berth_type_t top = {"top", {none, none}, {link, link}, 0};
  int h = berth_topo_add_type(t, &host, NULL), r = berth_topo_add_type(t, &rack, NULL);
  int root = berth_topo_add_switch(t, -1, berth_topo_add_type(t, &top, NULL), "top", NULL, NULL);
  for (int i = 0; i < s->racks; i++) {
    char name[32];
    snprintf(name, sizeof name, "rack%d", i);
    int rack_element = berth_topo_add_switch(t, root, r, name, NULL, NULL);
    for (int j = 0; j < s->hosts; j++) {
      snprintf(name, sizeof name, "node%d", i * s->hosts + j);
      int e = berth_topo_add_switch(t, rack_element, h, name, name, NULL);
      for (int p = 0; p < s->pus; p++) berth_topo_add_pu(t, e, p, p, NULL);
    }
  }
  if (berth_topo_finish(t, NULL)) abort();
  return t;
}

static berth_pattern_t *pattern(const shape_t *s, int far)
{
  int ranks = n_ranks(s);
  berth_pattern_t *p = berth_pattern_new(ranks, NULL);
  for (int r = 0; r < ranks; r++)
    for (int i = 0; i < s->degree; i++) {
      int step = i / 2 + 1, to = i % 2 ? r - step : r + step;
      if (far) /* one receiver from each of `degree` equal parts of the others: no pair twice */
        to = r + 1 + (int)((int64_t)(ranks - 1) * i / s->degree) +
             (int)random_below((uint32_t)((ranks - 1) / s->degree));
      uint64_t size = UINT64_C(1) << (6 + random_below(15)), count = 1 + random_below(10);
      berth_message_t m = {.src = r,
                           .dst = (to + ranks) % ranks,
                           .size = size,
                           .count = count,
                           .bytes = size * count};
      if (berth_pattern_add_message(p, &m, NULL)) abort();
    }
  if (berth_pattern_finish(p, NULL)) abort();
  return p;
}

static int *placement(int ranks, int shuffled)
{
  int *pu_of_rank = malloc((size_t)ranks * sizeof *pu_of_rank);
  for (int r = 0; r < ranks; r++) pu_of_rank[r] = r;
  for (int r = ranks - 1; shuffled && r > 0; r--) {
    int q = (int)random_below((uint32_t)r + 1), pu = pu_of_rank[r];
    pu_of_rank[r] = pu_of_rank[q];
    pu_of_rank[q] = pu;
  }
  return pu_of_rank;
}

/* --- the limit --- */

typedef struct bare {
  size_t n_pairs;
  int *src, *dst, *parent;
  double *bytes, *out, *in;
  int n_elements;
  int *first, *of_rank; /* pairs of each rank, at both ends */
  const int *pu_of_rank;
  const berth_topo_t *topo;
  int *pu_element;
} bare_t;

static bare_t bare_new(const berth_pattern_t *p, const berth_topo_t *t)
{
  size_t n;
  const berth_message_t *m = berth_pattern_messages(p, 0, &n);
  size_t elements = (size_t)berth_topo_n_elements(t), pus = (size_t)berth_topo_n_pus(t);
  bare_t b = {.n_pairs = n, .topo = t, .n_elements = (int)elements};
  b.src = malloc(n * sizeof *b.src);
  b.dst = malloc(n * sizeof *b.dst);
  b.bytes = malloc(n * sizeof *b.bytes);
  b.parent = malloc(elements * sizeof *b.parent);
  b.out = malloc(elements * sizeof *b.out);
  b.in = malloc(elements * sizeof *b.in);
  b.pu_element = malloc(pus * sizeof *b.pu_element);
  for (size_t i = 0; i < n; i++) {
    b.src[i] = m[i].src;
    b.dst[i] = m[i].dst;
    b.bytes[i] = (double)m[i].bytes;
  }
  b.first = calloc((size_t)berth_pattern_ranks(p) + 2, sizeof *b.first);
  b.of_rank = malloc(2 * n * sizeof *b.of_rank);
  int *at = b.first + 1;
  for (size_t i = 0; i < n; i++) {
    at[b.src[i] + 1]++;
    at[b.dst[i] + 1]++;
  }
  for (int r = 0; r < berth_pattern_ranks(p); r++) at[r + 1] += at[r];
  for (size_t i = 0; i < n; i++) {
    b.of_rank[at[b.src[i]]++] = (int)i;
    b.of_rank[at[b.dst[i]]++] = (int)i;
  }
  for (size_t e = 0; e < elements; e++) b.parent[e] = berth_topo_element(t, (int)e)->parent;
  for (size_t i = 0; i < pus; i++) b.pu_element[i] = berth_topo_pu(t, (int)i)->element;
  return b;
}

static void bare_free(bare_t *b)
{
  free(b->src);
  free(b->dst);
  free(b->bytes);
  free(b->parent);
  free(b->out);
  free(b->in);
  free(b->pu_element);
  free(b->first);
  free(b->of_rank);
}

static double bare_evaluate(bare_t *b)
{
  double most = 0;
  for (int e = 0; e < b->n_elements; e++) b->out[e] = b->in[e] = 0;
  for (size_t i = 0; i < b->n_pairs; i++) {
    int from = b->pu_element[b->pu_of_rank[b->src[i]]];
    int to = b->pu_element[b->pu_of_rank[b->dst[i]]];
    for (; from != to; from = b->parent[from], to = b->parent[to]) { /* PUs are equally deep */
      b->out[from] += b->bytes[i];
      b->in[to] += b->bytes[i];
    }
  }
  for (int e = 0; e < b->n_elements; e++) {
    if (b->out[e] > most) most = b->out[e];
    if (b->in[e] > most) most = b->in[e];
  }
  return most / 1e10;
}

/* --- full evaluations --- */

typedef struct subject {
  berth_cost_t *cost;
  bare_t bare;
  int *placements[4]; /* taken in turn */
} subject_t;

static double evaluate(subject_t *s, int model, int i)
{
  s->bare.pu_of_rank = s->placements[i % 4];
  return model == MODELS ? bare_evaluate(&s->bare)
                         : berth_cost_evaluate(s->cost, (berth_model_t)model, s->placements[i % 4]);
}

static double seconds_each(subject_t *s, int model)
{
  static volatile double kept;
  int n = 0;
  double start = now(), passed = 0;
  for (int batch = 1; passed < round_s; batch *= 2) {
    for (int i = 0; i < batch; i++) kept = evaluate(s, model, n++);
    passed = now() - start;
  }
  (void)kept;
  return passed / n;
}

static void full_evaluations(const shape_t *s, int far)
{
  berth_topo_t *t = machine(s);
  berth_pattern_t *p = pattern(s, far);
  double start = now();
  subject_t subject = {.cost = berth_cost_new(p, t, NULL), .bare = bare_new(p, t)};
  printf("%d ranks, %zu pairs, %s, %d:%d:%d%s; laid out in %.3g ms; aim for port %s\n", n_ranks(s),
         subject.bare.n_pairs, far ? "far" : "near", s->racks, s->hosts, s->pus,
         s->capacity > 0 ? ", ports wider than a pair can fill" : "", 1e3 * (now() - start),
         s->aim);
  for (int i = 0; i < 4; i++) subject.placements[i] = placement(n_ranks(s), far);
  double time[MODELS + 1][ROUNDS], each[MODELS + 1];
  for (int round = 0; round < ROUNDS; round++)
    for (int m = 0; m <= MODELS; m++) time[m][round] = seconds_each(&subject, m);
  for (int m = 0; m <= MODELS; m++) each[m] = median(time[m], ROUNDS);
  for (int m = 0; m <= MODELS; m++)
    printf("  %-6s %10.0f /s  %10.3f us each (%.3f to %.3f)  %5.2f times the limit\n",
           m == MODELS ? "limit" : berth_model_name((berth_model_t)m), 1 / each[m], 1e6 * each[m],
           1e6 * time[m][0], 1e6 * time[m][ROUNDS - 1], each[m] / each[MODELS]);
  for (int i = 0; i < 4; i++) free(subject.placements[i]);
  bare_free(&subject.bare);
  berth_cost_free(subject.cost);
  berth_pattern_free(p);
  berth_topo_free(t);
}

/* --- swaps --- */

enum { TRIES = 50000, DRIFT = 1000000 };

static double tries(berth_swap_t *s, int ranks, int n, int commit)
{
  static volatile double kept;
  double start = now();
  for (int i = 0; i < n; i++) {
    kept =
        berth_swap_try(s, (int)random_below((uint32_t)ranks), (int)random_below((uint32_t)ranks));
    if (commit && berth_swap_commit(s, NULL)) abort();
  }
  (void)kept;
  return (now() - start) / n;
}

/* The limit of a try: goes up both ways of every pair of the two ranks and adds up bytes. */
static double bare_try(bare_t *b, const int *pu_of_rank, int x, int y)
{
  const int of[] = {x, y};
  double most = 0;
  for (int i = 0; i < 2; i++)
    for (int j = b->first[of[i]]; j < b->first[of[i] + 1]; j++) {
      int pair = b->of_rank[j], other = b->src[pair] == of[i] ? b->dst[pair] : b->src[pair];
      int fixed = b->pu_element[pu_of_rank[other]];
      for (int k = 0; k < 2; k++) {
        int to = fixed;
        for (int from = b->pu_element[pu_of_rank[of[k]]]; from != to;
             from = b->parent[from], to = b->parent[to]) {
          b->out[from] += k == i ? -b->bytes[pair] : b->bytes[pair];
          if (b->out[from] > most) most = b->out[from];
        }
      }
    }
  return most;
}

static double bare_tries(bare_t *b, const int *pu_of_rank, int ranks, int n)
{
  static volatile double kept;
  double start = now();
  for (int i = 0; i < n; i++)
    kept = bare_try(b, pu_of_rank, (int)random_below((uint32_t)ranks),
                    (int)random_below((uint32_t)ranks));
  (void)kept;
  return (now() - start) / n;
}

static int swaps(const shape_t *s, int far)
{
  int wrong = 0, ranks = n_ranks(s);
  berth_topo_t *t = machine(s);
  berth_pattern_t *p = pattern(s, far);
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  int *start = placement(ranks, far);
  printf("swaps: %d ranks, each sends to and gets from %d, %s; aim 1 us a try\n", ranks, s->degree,
         far ? "far" : "near");
  bare_t bare = bare_new(p, t);
  for (int e = 0; e < bare.n_elements; e++) bare.out[e] = 0;
  for (int m = 0; m < MODELS; m++) {
    berth_swap_t *swap = berth_swap_new(c, (berth_model_t)m, start, NULL);
    if (!swap) continue; /* not a model for swaps */
    double time[ROUNDS], limit[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      time[i] = tries(swap, ranks, TRIES, 0);
      limit[i] = bare_tries(&bare, start, ranks, TRIES);
    }
    double each = median(time, ROUNDS), committed = tries(swap, ranks, DRIFT, 1);
    int equal = berth_swap_cost(swap) ==
                berth_cost_evaluate(c, (berth_model_t)m, berth_swap_placement(swap));
    printf("  %-6s %7.3f us a try (%.3f to %.3f), %.2f times the limit; %.3f us with its commit\n"
           "         after %d random swaps %s\n",
           berth_model_name((berth_model_t)m), 1e6 * each, 1e6 * time[0], 1e6 * time[ROUNDS - 1],
           each / median(limit, ROUNDS), 1e6 * committed, DRIFT,
           equal ? "equal to a full evaluation, to the bit" : "NOT EQUAL to a full evaluation");
    wrong += !equal;
    berth_swap_free(swap);
  }
  bare_free(&bare);
  free(start);
  berth_cost_free(c);
  berth_pattern_free(p);
  berth_topo_free(t);
  return wrong;
}

int main(void)
{
  static const shape_t shapes[] = {{2, 2, 4, 4, "1,000,000 /s", 0},
                                   {8, 8, 16, 8, "20,000 /s", 0},
                                   {64, 64, 64, 8, "50 ms each", 0}};
  static const shape_t wide = {8, 8, 16, 8, "20,000 /s", 1e10};
  int wrong = 0;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int far = 0; far < 2; far++) full_evaluations(&shapes[i], far);
  full_evaluations(&wide, 1);
  for (int far = 0; far < 2; far++) wrong += swaps(&shapes[1], far);
  return wrong > 0;
}
