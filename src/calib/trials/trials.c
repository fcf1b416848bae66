/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates and measures messages between random ranks.
 *
 * A trial has a kind: each rank sends to one other, each to two others, or a quarter of the ranks
 * to three each. So ports are loaded evenly, by chance, and unevenly. The draws are the same in
 * each calibration. */
#include <berth/cost.h>
#include <berth/trials.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/order.h"

enum { TRIALS = 12, MAX_PARTNERS = 3, MODELS = 2 };
static const berth_model_t models[MODELS] = {BERTH_MODEL_PORT, BERTH_MODEL_FLOW};

/* Estimated seconds of a trial, and its message. Shorter trials measure the start of processes. */
static const double trial_s = 0.4;
static const size_t message_bytes = 65536;
enum { MAX_COUNT = 1 << 14 };

struct berth_trials {
  const berth_topo_t *t;
  int *pu_of_rank, n_ranks;
  int *order; /* ranks in random order */
  uint64_t random;
  berth_calib_flow_t *flows; /* of the current trial, PUs */
  size_t n_flows;
  long count;               /* its messages of a flow */
  double estimated[MODELS]; /* its seconds */
  bool current;
  int begun, done;
  double off[MODELS][TRIALS]; /* measured / estimated, or the reverse: at least 1 */
};

berth_trials_t *berth_trials_new(const berth_topo_t *t, const unsigned char *has_rank,
                                 berth_error_t *err)
{
  size_t pus = (size_t)berth_topo_n_pus(t);
  berth_trials_t *x = calloc(1, sizeof *x);
  if (!x) return no_memory_null(err);
  *x = (berth_trials_t){.t = t, .random = 0x9e3779b97f4a7c15u};
  x->pu_of_rank = malloc(pus * sizeof *x->pu_of_rank);
  x->order = malloc(pus * sizeof *x->order);
  x->flows = malloc(pus * MAX_PARTNERS * sizeof *x->flows);
  if (!x->pu_of_rank || !x->order || !x->flows) {
    berth_trials_free(x);
    return no_memory_null(err);
  }
  for (size_t pu = 0; pu < pus; pu++)
    if (has_rank[pu]) x->pu_of_rank[x->n_ranks++] = (int)pu;
  return x;
}

void berth_trials_free(berth_trials_t *x)
{
  if (!x) return;
  free(x->pu_of_rank);
  free(x->order);
  free(x->flows);
  free(x);
}

/* xorshift64* (Vigna, 2016) */
static int draw(berth_trials_t *x, int n)
{
  x->random ^= x->random >> 12;
  x->random ^= x->random << 25;
  x->random ^= x->random >> 27;
  return (int)((x->random * 0x2545f4914f6cdd1du >> 33) % (uint64_t)n);
}

static void shuffle(berth_trials_t *x)
{
  for (int i = 0; i < x->n_ranks; i++) {
    int k = draw(x, i + 1);
    x->order[i] = x->order[k];
    x->order[k] = i;
  }
}

/* Each of the first `senders` ranks of a random order sends to the `partners` that follow it in
 * steps, so that no pair comes twice. */
static void draw_flows(berth_trials_t *x)
{
  static const struct {
    int part, partners;
  } kinds[] = {{1, 1}, {1, 2}, {4, 3}};
  int kind = x->begun % 3, senders = x->n_ranks / kinds[kind].part;
  shuffle(x);
  x->n_flows = 0;
  for (int i = 0; i < senders; i++)
    for (int p = 1; p <= kinds[kind].partners; p++)
      x->flows[x->n_flows++] = (berth_calib_flow_t){x->order[i], x->order[(i + p) % x->n_ranks]};
}

/* The trial as a pattern of one message a flow. */
static berth_pattern_t *pattern_of(const berth_trials_t *x)
{
  berth_pattern_t *p = berth_pattern_new(x->n_ranks, NULL);
  bool enough = p != NULL;
  for (size_t i = 0; i < x->n_flows && enough; i++) {
    berth_message_t m = {.src = x->flows[i].src,
                         .dst = x->flows[i].dst,
                         .size = message_bytes,
                         .count = 1,
                         .bytes = message_bytes};
    enough = berth_pattern_add_message(p, &m, NULL) == BERTH_OK;
  }
  if (enough && berth_pattern_finish(p, NULL) == BERTH_OK) return p;
  berth_pattern_free(p);
  return NULL;
}

/* Estimates one message a flow. False if memory is out. */
static bool estimate(berth_trials_t *x)
{
  berth_pattern_t *p = pattern_of(x);
  berth_cost_t *c = p ? berth_cost_new(p, x->t, NULL) : NULL;
  for (int m = 0; m < MODELS && c; m++)
    x->estimated[m] = berth_cost_evaluate(c, models[m], x->pu_of_rank);
  bool enough = c && berth_cost_ran_out(c, NULL) == BERTH_OK;
  berth_cost_free(c);
  berth_pattern_free(p);
  return enough;
}

/* Sets the number of messages, so that the trial takes long enough, and turns ranks into PUs. */
static void set_length(berth_trials_t *x)
{
  double count = ceil(trial_s / fmax(x->estimated[0], 1e-9) / 2) * 2;
  x->count = (long)fmin(fmax(count, 2), MAX_COUNT);
  for (int m = 0; m < MODELS; m++) x->estimated[m] *= (double)x->count;
  for (size_t i = 0; i < x->n_flows; i++)
    x->flows[i] =
        (berth_calib_flow_t){x->pu_of_rank[x->flows[i].src], x->pu_of_rank[x->flows[i].dst]};
}

int berth_trials_next(berth_trials_t *x, double left_s, berth_calib_experiment_t *out)
{
  if (x->n_ranks < BERTH_MIN_TRIAL_RANKS || x->begun == TRIALS) return 0;
  draw_flows(x);
  if (!estimate(x) || x->estimated[0] <= 0) return 0;
  set_length(x);
  if (2 * x->estimated[0] > left_s) return 0;
  x->begun++;
  x->current = true;
  *out = (berth_calib_experiment_t){.mode = BERTH_CALIB_STREAM,
                                    .size = message_bytes,
                                    .batch = 1,
                                    .depth = 2,
                                    .count = x->count,
                                    .estimate_s = x->estimated[0],
                                    .n_flows = x->n_flows,
                                    .flows = x->flows,
                                    .what = "messages between random ranks"};
  return 1;
}

int berth_trials_take(berth_trials_t *x, const double *seconds, berth_error_t *err)
{
  double longest = 0;
  if (!x->current) return berth_fail(err, BERTH_BAD_INPUT, "found a result of no experiment");
  for (size_t i = 0; i < x->n_flows; i++) {
    if (!(seconds[i] > 0 && isfinite(seconds[i])))
      return berth_fail(err, BERTH_BAD_INPUT,
                        "trial %d: found %g s per message, expected more than 0", x->begun,
                        seconds[i]);
    longest = fmax(longest, seconds[i] * (double)x->count);
  }
  for (int m = 0; m < MODELS; m++)
    x->off[m][x->done] = fmax(longest / x->estimated[m], x->estimated[m] / longest);
  x->done++;
  x->current = false;
  return BERTH_OK;
}

int berth_trials_done(const berth_trials_t *x) { return x->done; }

ORDER_VALUES(by_value, double)

double berth_trials_error(const berth_trials_t *x, const char *model)
{
  double off[TRIALS];
  int m = 0;
  while (m < MODELS && strcmp(berth_model_name(models[m]), model) != 0) m++;
  if (m == MODELS || x->done < BERTH_MIN_TRIALS) return -1;
  memcpy(off, x->off[m], sizeof off);
  qsort(off, (size_t)x->done, sizeof *off, by_value);
  return off[(size_t)ceil(0.9 * x->done) - 1] - 1;
}
