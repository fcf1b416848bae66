/* SPDX-License-Identifier: BSD-3-Clause */
/* Hockney's model (R. Hockney, 1994; dissertation, section 4.2.1) over the rounds of a schedule: a
 * round takes the time of its busiest rank, of which each message takes a + m/b, and messages that
 * are under way together a quarter of a more for each. */
#include "coll/tuning/tune_choices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "schedule/two_levels/choose.h"
#include "schedule/two_levels/chosen.h"
#include "schedule/two_levels/two_levels_limits.h"

enum { MOST_ROUNDS = 1 << 14, MOST_CHOICES = 8, MOST_TOLD = 4 };
#define WORTH 2.0    /* times the best */
enum { CHAINS = 4 }; /* that Open MPI has unless it is told another number */

/* --- the model --- */

typedef struct side_load {
  int messages;
  double bytes;
} side_load_t;

static double side_time(const side_load_t *l, double half)
{
  return l->messages ? half + (l->messages - 1) * half / 4 + l->bytes : 0;
}

/* What a rank's part of a round takes, in bytes. */
static double part_time(const schedule_steps_t *steps, size_t element, double half)
{
  side_load_t sent = {0}, got = {0};
  for (size_t i = 0; i < steps->n; i++) {
    const schedule_step_t *s = &steps->step[i];
    if (s->kind != STEP_SEND && s->kind != STEP_RECV) continue;
    side_load_t *l = s->kind == STEP_SEND ? &sent : &got;
    l->messages++;
    l->bytes += (double)s->n * (double)element;
  }
  return fmax(side_time(&sent, half), side_time(&got, half));
}

/* What a schedule takes, in bytes. Negative: it has very many rounds, or memory is out. */
static double price(const schedule_algorithm_t *a, const schedule_call_t *call, size_t element,
                    double half)
{
  schedule_steps_t steps = {.messages_only = true};
  int64_t rounds = a->rounds(call), looked = 0;
  double sum = 0;
  for (int64_t round = 0, alike; round < rounds && sum >= 0; round += alike) {
    double busiest = 0;
    alike = schedule_alike(a, call, round);
    for (int rank = 0; rank < call->size; rank++) {
      steps.n = 0;
      schedule_steps(a, call, rank, round, &steps);
      busiest = fmax(busiest, part_time(&steps, element, half));
    }
    sum += busiest * (double)alike;
    if (++looked > MOST_ROUNDS || steps.lost) sum = -1;
  }
  schedule_steps_clear(&steps);
  return sum;
}

/* --- choices --- */

ORDER_BY(by_prediction, berth_tuned_choice_t, RISING(predicted_s))

/* The call of hosts, as if all had as many ranks. */
static schedule_call_t call_of_hosts(const tune_shape_t *s, size_t *element)
{
  schedule_call_t c = {.op = s->op, .size = s->hosts, .count = s->bytes, .commutative = true};
  int64_t ranks = s->largest;
  *element = 1;
  switch (s->op) {
  case SCHEDULE_SCAN:
    c.op = SCHEDULE_EXSCAN;
    break;
  case SCHEDULE_GATHER:
  case SCHEDULE_SCATTER:
  case SCHEDULE_ALLGATHER:
  case SCHEDULE_ALLGATHERV:
  case SCHEDULE_REDUCE_SCATTER:
    c.count *= ranks;
    break;
  case SCHEDULE_ALLTOALL:
    c.count *= ranks * ranks;
    break;
  default:
    break;
  }
  return c;
}

static berth_tuned_choice_t choice(const char *algorithm, int64_t segment, int degree,
                                   double predicted)
{
  berth_tuned_choice_t c = {.segment = (uint64_t)segment,
                            .degree = degree,
                            .predicted_s = predicted,
                            .measured_s = -1,
                            .error = -1};
  snprintf(c.algorithm, sizeof c.algorithm, "%s", algorithm);
  return c;
}

/* What the library would choose where ranks don't share cores; none if hosts have one rank each. */
static int64_t overlap_of(const tune_shape_t *s, const schedule_algorithm_t *a,
                          const schedule_call_t *call, size_t element)
{
  return s->largest > 1 ? choose_overlap(a, call, element) : 0;
}

/* The first one is the library's own. */
typedef struct choices {
  const tune_shape_t *shape;
  berth_tuned_choice_t *list;
  int n;
} choices_t;

bool tune_is_same(const berth_tuned_choice_t *a, const berth_tuned_choice_t *b)
{
  return strcmp(a->algorithm, b->algorithm) == 0 && a->segment == b->segment &&
         a->degree == b->degree && a->overlap == b->overlap;
}

static bool has(const choices_t *c, const berth_tuned_choice_t *one)
{
  for (int i = 0; i < c->n; i++)
    if (tune_is_same(&c->list[i], one)) return true;
  return false;
}

/* Two places stay free. */
static void add(choices_t *c, const berth_tuned_choice_t *one)
{
  if (c->n < BERTH_MAX_CHOICES - 2 && !has(c, one)) c->list[c->n++] = *one;
}

/* An algorithm with a segment: what it adds, and how. */
typedef struct variant {
  const schedule_algorithm_t *a;
  schedule_call_t call;
  size_t element;
} variant_t;

/* All powers of two as overlaps (dissertation, table 4.1: a column of the matrix). */
static void add_overlaps(choices_t *c, berth_tuned_choice_t one, uint64_t most)
{
  for (one.overlap = CHOOSE_LEAST_SEGMENT; one.overlap < most; one.overlap *= 2) add(c, &one);
  one.overlap = most;
  add(c, &one);
  one.overlap = 0;
  add(c, &one);
}

/* Adds a variant, if it serves the call and `adds` is set, with the overlap that the library would
 * choose; `all`: with all. Returns its price, or a negative number. */
static double add_priced(choices_t *c, variant_t v, int64_t segment, bool adds, bool all)
{
  v.call.segment = segment / (int64_t)v.element;
  v.call.degree = v.a->needs & SCHEDULE_DEGREE ? 4 : 0;
  if (!schedule_serves(v.a, &v.call)) return -1;
  double bytes = price(v.a, &v.call, v.element, c->shape->half);
  berth_tuned_choice_t one = choice(v.a->name, segment, v.call.degree, bytes / c->shape->bandwidth);
  uint64_t most = (uint64_t)overlap_of(c->shape, v.a, &v.call, v.element);
  one.overlap = c->shape->crowded ? 0 : most;
  if (bytes >= 0 && adds) add(c, &one);
  if (bytes >= 0 && adds && all) add_overlaps(c, one, most);
  return bytes;
}

/* An algorithm whole, and in the segments that are the best by the model, or in all. */
static void add_algorithm(choices_t *c, variant_t v, bool all)
{
  int64_t bytes = v.call.count * (int64_t)v.element, best = 0;
  double least = add_priced(c, v, 0, all, all);
  for (int64_t s = CHOOSE_LEAST_SEGMENT;
       v.a->needs & SCHEDULE_SEGMENTS && s <= CHOOSE_LONGEST_SEGMENT && 2 * s <= bytes; s *= 2) {
    double now = add_priced(c, v, s, all, all);
    if (now < 0 || (least >= 0 && now >= least)) continue;
    least = now;
    best = s;
  }
  if (all || least < 0) return;
  add_priced(c, v, best, true, false);
  if (best >= 2 * CHOOSE_LEAST_SEGMENT) add_priced(c, v, best / 2, true, false);
  if (best > 0) add_priced(c, v, best * 2, true, false);
}

/* An algorithm that another name of the list has, too, or that sends what nobody needs. */
static bool is_spare(const schedule_algorithm_t *list, size_t i)
{
  if (list[i].needs & (SCHEDULE_REDUNDANT | SCHEDULE_UNWRITTEN | SCHEDULE_TWO_RANKS)) return true;
  for (size_t k = 0; k < i; k++)
    if (list[k].op == list[i].op && list[k].steps == list[i].steps) return true;
  return false;
}

/* One that does as the ring does where all hosts have as many ranks. */
static bool is_ring(const tune_shape_t *s, const schedule_algorithm_t *a)
{
  return a->needs & SCHEDULE_FULL_BLOCKS && s->ranks == s->hosts * s->largest;
}

static void add_algorithms(choices_t *c, const schedule_call_t *call, size_t element, bool all)
{
  size_t n;
  const schedule_algorithm_t *list = schedule_algorithms(&n);
  for (size_t i = 0; i < n; i++)
    if (list[i].op == call->op && !is_spare(list, i) && !is_ring(c->shape, &list[i]))
      add_algorithm(c, (variant_t){&list[i], *call, element}, all);
}

/* What the library does without a table. Returns the bytes that it may overlap. */
static uint64_t add_own(choices_t *c, schedule_call_t call, size_t element)
{
  const schedule_algorithm_t *a = choose_schedule(&call, element, c->shape->half);
  if (!a) return 0;
  double bytes = price(a, &call, element, c->shape->half);
  berth_tuned_choice_t own = choice(a->name, call.segment * (int64_t)element, 0,
                                    bytes >= 0 ? bytes / c->shape->bandwidth : -1);
  uint64_t most = (uint64_t)overlap_of(c->shape, a, &call, element);
  own.overlap = c->shape->crowded ? 0 : most;
  c->list[c->n++] = own;
  return most;
}

/* The library's own choice with other overlaps: all, a quarter, and none (dissertation,
 * section 4.6: with less than a quarter nothing can be gained). */
static void add_own_with_others(choices_t *c, uint64_t most)
{
  berth_tuned_choice_t one = c->list[0];
  for (int i = 0; i < 3 && most > 0; i++) {
    one.overlap = i == 0 ? most : i == 1 ? most / 4 : 0;
    add(c, &one);
  }
}

/* All blocks from rank to rank: what a host's ranks send to other hosts. */
static double direct_time(const tune_shape_t *s)
{
  const int messages = s->largest * (s->ranks - s->largest);
  const side_load_t sent = {messages, (double)messages * (double)s->bytes};
  return side_time(&sent, s->half) / s->bandwidth;
}

/* Whether the model can't tell a choice from two that are kept. */
static bool is_like_others(const choices_t *c, int kept, const berth_tuned_choice_t *one)
{
  int alike = 0;
  for (int i = 0; i < kept; i++)
    alike += fabs(c->list[i].predicted_s - one->predicted_s) <= 1e-9 * one->predicted_s;
  return alike >= 2;
}

/* Leaves out what the model expects to take much longer than the best, and all but some. */
static void leave_out(choices_t *c)
{
  double least = INFINITY;
  int kept = 1;
  for (int i = 0; i < c->n; i++)
    if (c->list[i].predicted_s >= 0) least = fmin(least, c->list[i].predicted_s);
  qsort(c->list + 1, (size_t)c->n - 1, sizeof *c->list, by_prediction);
  for (int i = 1; i < c->n && kept < MOST_CHOICES; i++)
    if (c->list[i].predicted_s <= WORTH * least && !is_like_others(c, kept, &c->list[i]))
      c->list[kept++] = c->list[i];
  c->n = kept;
}

/* --- the MPI's own algorithms --- */

/* Adds one, with the segment that is the best by the model, or with all. */
static void add_told(choices_t *c, const schedule_setting_t *s, bool all)
{
  const tune_shape_t *shape = c->shape;
  char name[BERTH_CHOICE_NAME];
  double least = -1;
  berth_tuned_choice_t best;
  schedule_call_t call = {
      .op = s->op, .size = shape->ranks, .count = shape->bytes, .commutative = true};
  const schedule_algorithm_t *a = schedule_find(s->op, s->algorithm);
  if (!a || a->needs & SCHEDULE_TWO_RANKS) return;
  call.degree = s->has_degree ? CHAINS : 0;
  snprintf(name, sizeof name, "mpi:%s", s->algorithm);
  for (int64_t segment = 0; segment == 0 || (s->has_segment && 2 * segment <= shape->bytes);
       segment = segment ? 2 * segment : CHOOSE_LEAST_SEGMENT) {
    call.segment = segment;
    double bytes = schedule_serves(a, &call) ? price(a, &call, 1, shape->half) : -1;
    if (bytes < 0) continue;
    const berth_tuned_choice_t one = choice(name, segment, call.degree, bytes);
    if (all) add(c, &one);
    if (least >= 0 && bytes >= least) continue;
    least = bytes;
    best = one;
  }
  if (!all && least >= 0) add(c, &best);
}

/* The model doesn't know what hosts have in common, so its predictions only choose. */
static void add_all_told(choices_t *c, bool all)
{
  size_t n;
  const int first = c->n;
  const schedule_setting_t *settings = schedule_settings(c->shape->told, &n);
  for (size_t i = 0; i < n; i++)
    if (settings[i].op == c->shape->op) add_told(c, &settings[i], all);
  qsort(c->list + first, (size_t)(c->n - first), sizeof *c->list, by_prediction);
  double least = c->n > first ? c->list[first].predicted_s : 0;
  while (!all && c->n > first &&
         (c->n - first > MOST_TOLD || c->list[c->n - 1].predicted_s > WORTH * least))
    c->n--;
  for (int i = first; i < c->n; i++) c->list[i].predicted_s = -1;
}

/* --- agents --- */

enum { LEAST_DEGREE = 4, LARGEST_DEGREE = 32 };

/* By what they choose themselves, and by k-nomial trees: with slow arithmetic, or late messages,
 * another degree than 2 is the best (A. Moody's thesis, 2003, section 3.2.3). */
static void add_agents(choices_t *c, bool all)
{
  schedule_op_t op = c->shape->op;
  bool has_tree = op == SCHEDULE_BCAST || op == SCHEDULE_REDUCE || op == SCHEDULE_ALLREDUCE;
  berth_tuned_choice_t one = choice("agents", 0, 0, -1);
  add(c, &one);
  for (one.degree = all ? 2 : LEAST_DEGREE;
       has_tree && one.degree < c->shape->hosts && one.degree <= LARGEST_DEGREE; one.degree *= 2)
    add(c, &one);
}

bool tune_serves(const tune_shape_t *s, const berth_tuned_choice_t *one)
{
  size_t element;
  chosen_t c;
  schedule_call_t call = call_of_hosts(s, &element);
  if (!chosen_of(s->op, one, &c)) return false;
  if (c.told) return s->told && chosen_setting(s->told, s->op, one->algorithm);
  if (c.mpi) return true;
  if (c.agents) return s->agents;
  if (s->hosts == 1 || !c.equal) return c.direct || (s->hosts == 1 && !c.equal);
  return chosen_schedule(&c, &call, element) != NULL;
}

int tune_choices(const tune_shape_t *s, bool all, berth_tuned_choice_t out[BERTH_MAX_CHOICES])
{
  choices_t c = {s, out, 0};
  if (s->hosts == 1) {
    out[c.n++] = choice("host", 0, 0, 0);
  } else {
    size_t element;
    uint64_t most = 0;
    const schedule_call_t call = call_of_hosts(s, &element);
    bool pairs = s->op == SCHEDULE_ALLTOALL;
    bool direct = pairs && !two_levels_together(s->largest, s->ranks, s->bytes, s->half);
    bool fits =
        !pairs || two_levels_together(s->largest, s->ranks, s->bytes ? s->bytes : 1, INFINITY);
    const berth_tuned_choice_t apart = choice("direct", 0, 0, direct_time(s));
    if (direct)
      add(&c, &apart);
    else
      most = add_own(&c, call, element);
    if (fits) add_algorithms(&c, &call, element, all);
    if (pairs) add(&c, &apart);
    if (!all && c.n > 0) leave_out(&c);
    if (!all && c.n > 0) add_own_with_others(&c, most);
  }
  if (s->agents) add_agents(&c, all);
  if (s->told) add_all_told(&c, all);
  out[c.n++] = choice("mpi", 0, 0, -1);
  return c.n;
}
