/* SPDX-License-Identifier: BSD-3-Clause */
/* What the MPI is to be told by measurements of its own algorithms. */
#include <berth/collectives.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice_internal.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "schedule/two_levels/chosen.h"

/* A measured cell, and by what the MPI looks up its calls. */
typedef struct looked_up {
  const berth_tuned_cell_t *cell;
  schedule_op_t op;
  int ranks;
  uint64_t bytes, last;
} looked_up_t;

ORDER_BY(by_key, looked_up_t, RISING(op) RISING(ranks) RISING(bytes))

/* A cell's calls have as many digits. False: the MPI can't be told of them. */
static bool look_up(const advice_mpi_t *mpi, const berth_tuned_cell_t *c, looked_up_t *out)
{
  int digits = berth_tuning_digits(c->bytes);
  const int64_t first = digits ? INT64_C(1) << (digits - 1) : 0;
  *out = (looked_up_t){.cell = c};
  if (digits > 62 || c->n_choices == 0 || !schedule_op_find(c->operation, &out->op) ||
      !mpi->is_told(out->op))
    return false;
  schedule_request_t q = {.call = {.op = out->op, .size = c->ranks, .count = first}, .element = 1};
  mpi->find(&q, &out->ranks, &out->bytes);
  q.call.count = digits ? 2 * first : 1;
  mpi->find(&q, &out->ranks, &out->last);
  if (out->last > out->bytes) out->last--;
  return true;
}

/* --- one setting --- */

/* The time of all calls of a cell, and how much of it may be an error. */
typedef struct duration {
  double s, error_s;
} duration_t;

/* Adds a cell's calls by a choice; false: it wasn't measured there. */
static bool add_calls(const berth_tuned_cell_t *c, const berth_tuned_choice_t *like, duration_t *to)
{
  for (int k = 0; k < c->n_choices; k++) {
    const berth_tuned_choice_t *one = &c->choice[k];
    if (strcmp(one->algorithm, like->algorithm) != 0 || one->segment != like->segment ||
        one->degree != like->degree || one->measured_s < 0)
      continue;
    double s = one->measured_s * (c->calls ? (double)c->calls : 1);
    to->s += s;
    to->error_s += one->error > 0 ? one->error * s : 0;
    return true;
  }
  return false;
}

static bool add_all(const looked_up_t *list, size_t n, const berth_tuned_choice_t *like,
                    duration_t *to)
{
  *to = (duration_t){0};
  for (size_t i = 0; i < n; i++)
    if (!add_calls(list[i].cell, like, to)) return false;
  return true;
}

/* The fastest algorithm that was measured in all of these cells. False: none gains enough. */
static bool find_setting(berth_advice_t *a, const looked_up_t *list, size_t n, berth_setting_t *out)
{
  static const berth_tuned_choice_t own = {.algorithm = "mpi"};
  const berth_tuned_cell_t *c = list->cell;
  duration_t before, after, best = {.s = INFINITY};
  const schedule_setting_t *setting = NULL;
  if (!add_all(list, n, &own, &before)) return false;
  for (int k = 0; k < c->n_choices; k++) {
    const schedule_setting_t *s = chosen_setting(a->mpi->rules, list->op, c->choice[k].algorithm);
    if (!s || !add_all(list, n, &c->choice[k], &after) || after.s >= best.s) continue;
    best = after;
    setting = s;
    out->choice = (berth_choice_t){.algorithm = s->algorithm,
                                   .setting = s->number,
                                   .segment = c->choice[k].segment,
                                   .degree = c->choice[k].degree,
                                   .cost_s = after.s};
  }
  out->ranks = list->ranks;
  out->bytes = list->bytes;
  out->last = list->last;
  out->before_s = before.s;
  return setting && advice_gains(before.s - before.error_s, best.s + best.error_s);
}

/* "MPI_Bcast" of bcast; NULL: memory is out. */
static const char *name_of(berth_advice_t *a, schedule_op_t op)
{
  char name[64];
  snprintf(name, sizeof name, "MPI_%s", schedule_op_name(op));
  name[4] = (char)toupper((unsigned char)name[4]);
  return arena_strdup(&a->arena, name);
}

static bool find_all(berth_advice_t *a, looked_up_t *list, size_t n)
{
  if (!(a->settings = arena_alloc(&a->arena, (n + 1) * sizeof *a->settings))) return false;
  qsort(list, n, sizeof *list, by_key);
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && by_key(&list[i], &list[end]) == 0; end++) {
    }
    berth_setting_t *s = &a->settings[a->n_settings];
    *s = (berth_setting_t){0};
    if (!find_setting(a, &list[i], end - i, s)) continue;
    if (!(s->op = name_of(a, list[i].op))) return false;
    a->n_settings++;
  }
  return true;
}

berth_advice_t *berth_advice_of_tuning(const berth_tuning_t *t, berth_error_t *err)
{
  size_t n = 0;
  int nearest;
  const char *rules = berth_collectives_rules(t->mpi, &nearest);
  berth_advice_t *a = calloc(1, sizeof *a);
  looked_up_t *list = malloc((t->n + 1) * sizeof *list);
  bool done = a && list;
  if (done && rules) a->mpi = advice_mpi_find(rules);
  for (size_t i = 0; done && a->mpi && i < t->n; i++) n += look_up(a->mpi, &t->cell[i], &list[n]);
  if (done) done = find_all(a, list, n);
  free(list);
  if (done) return a;
  berth_advice_free(a);
  no_memory(err);
  return NULL;
}
