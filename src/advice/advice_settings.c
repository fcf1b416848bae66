/* SPDX-License-Identifier: BSD-3-Clause */
/* What the MPI is to be told: for all calls together that a setting is for. */
#include <stdlib.h>
#include <string.h>

#include "advice/advice_internal.h"
#include "base/order.h"
#include "base/out_file.h"
#include "base/text.h"

static int op_order(const void *a, const void *b)
{
  const advice_key_t *x = a, *y = b;
  return strcmp(x->group->op, y->group->op);
}
ORDER_BY(same_setting, advice_key_t, BY(op_order) RISING(ranks) RISING(bytes))

static bool is_same(const berth_choice_t *a, const berth_choice_t *b)
{
  return strcmp(a->setting, b->setting) == 0 && a->segment == b->segment && a->degree == b->degree;
}

/* What the calls of a group cost if the MPI is told a choice that another group has: it takes what
 * it takes anyway where the choice doesn't serve. */
static double cost_with(const berth_advised_t *g, const berth_choice_t *choice)
{
  for (size_t i = 0; i < g->n; i++)
    if (is_same(&g->choices[i], choice)) return g->choices[i].cost_s;
  return g->cost_s;
}

/* Whether a setting would change parts of calls that the MPI composes by hosts: then nobody knows
 * what it gains. */
static bool reaches_parts(const advice_key_t *k, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (k[i].by_hosts) return true;
  return false;
}

/* The cheapest choice for n groups that have the same setting. */
static berth_setting_t cheapest(const advice_key_t *k, size_t n)
{
  berth_setting_t best = {
      .op = k->group->op, .ranks = k->ranks, .bytes = k->bytes, .last = k->bytes};
  for (size_t i = 0; i < n; i++) best.before_s += k[i].group->cost_s;
  best.choice.cost_s = best.before_s;
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < k[i].group->n; c++) {
      double sum = 0;
      const berth_choice_t *choice = &k[i].group->choices[c];
      for (size_t g = 0; g < n; g++) sum += cost_with(k[g].group, choice);
      if (sum >= best.choice.cost_s) continue;
      best.choice = *choice;
      best.choice.cost_s = sum;
    }
  return best;
}

bool advice_find_settings(berth_advice_t *a)
{
  a->settings = arena_alloc(&a->arena, (a->n + 1) * sizeof *a->settings);
  if (!a->settings) return false;
  qsort(a->keys, a->n, sizeof *a->keys, same_setting);
  for (size_t i = 0, end; i < a->n; i = end) {
    for (end = i + 1; end < a->n && same_setting(&a->keys[i], &a->keys[end]) == 0; end++) {
    }
    berth_setting_t s = cheapest(&a->keys[i], end - i);
    if (!reaches_parts(&a->keys[i], end - i) && advice_gains(s.before_s, s.choice.cost_s))
      a->settings[a->n_settings++] = s;
  }
  return true;
}

const berth_choice_t *berth_advice_best(const berth_advised_t *g)
{
  return g->n > 0 && advice_gains(g->cost_s, g->choices[0].cost_s) ? &g->choices[0] : NULL;
}

const berth_setting_t *berth_advice_settings(const berth_advice_t *a, size_t *n)
{
  *n = a->n_settings;
  return a->settings;
}

int berth_advice_write(const berth_advice_t *a, const char *path, berth_error_t *err)
{
  if (!a->mpi)
    return berth_fail(err, BERTH_USAGE,
                      "found rules of an MPI whose settings berth doesn't know, expected "
                      "openmpi-4.1 or mpich-4.0");
  out_file_t *out = out_open(path, err);
  if (!out) return BERTH_MISSING;
  a->mpi->write(out, a->settings, a->n_settings);
  return out_commit(out, err);
}

char *berth_advice_command(const berth_advice_t *a, const char *path)
{
  const char *here = strchr(path, '/') ? "" : "./"; /* shells look for other names in PATH */
  return a->mpi ? text_printf("%s%s%s%s", a->mpi->command, here, path, a->mpi->rest)
                : text_printf("%s", "");
}
