/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the loads of single resources, and the pairs that cause them. */
#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "cost/cost_hosts.h"
#include "cost/cost_internal.h"
#include "cost/cost_slot.h"
#include "cost/dense/cost_dense.h"
#include "cost/flow/cost_flow.h"
#include "pattern/message_merge.h"

static bool crosses(const berth_cost_t *c, size_t pair, const int *pu_of_rank, int r)
{
  int path[COST_PATH_MAX], n = cost_path(c, c->src[pair], c->dst[pair], pu_of_rank, path);
  for (int i = 0; i < n; i++)
    if (path[i] == r) return true;
  return false;
}

/* The number of messages of a pair in one occurrence of the phase. */
static double count_messages(const berth_cost_t *c, size_t phase, int src, int dst)
{
  size_t n;
  double count = 0;
  const berth_message_t *m = berth_pattern_messages(c->pattern, phase, &n);
  for (size_t i = message_find(m, n, src, dst); i < n && m[i].src == src && m[i].dst == dst; i++)
    count += (double)m[i].count;
  return count;
}

ORDER_BY(by_time, berth_pair_load_t, FALLING(time_s) FALLING(bytes) RISING(src) RISING(dst))

void cost_sort_pairs(berth_pair_load_t *pair, size_t n)
{
  if (n) qsort(pair, n, sizeof *pair, by_time);
}

int cost_list_pairs(const berth_cost_t *c, size_t phase, const int *pu_of_rank, int r,
                    berth_pair_load_t **out, size_t *n, berth_error_t *err)
{
  size_t cap = 0;
  *out = NULL;
  *n = 0;
  for (size_t i = cost_first_pair(c, phase); i < cost_first_pair(c, phase + 1); i++) {
    if (!crosses(c, i, pu_of_rank, r)) continue;
    if (!ARRAY_GROW(out, *n, &cap)) return no_memory(err);
    (*out)[(*n)++] =
        (berth_pair_load_t){c->src[i], c->dst[i], count_messages(c, phase, c->src[i], c->dst[i]),
                            cost_pair_bytes(c, phase, i), cost_pair_time(c, phase, i, r)};
  }
  cost_sort_pairs(*out, *n);
  return BERTH_OK;
}

double cost_price_phase(berth_cost_t *c, berth_model_t model, size_t k, const int *pu_of_rank)
{
  double sum = 0;
  if (model == BERTH_MODEL_SUM) {
    cost_place_for_sum(c, pu_of_rank);
    sum = cost_phase_sum(c, k);
  }
  double max_cost_slot = cost_phase(c, model, k, cost_place(c, pu_of_rank, true));
  return model == BERTH_MODEL_SUM ? sum : max_cost_slot;
}

ORDER_BY(by_place, berth_load_t, RISING(resource.element) RISING(resource.kind))

static size_t take_loads(const berth_cost_t *c, size_t phase, berth_load_t *out)
{
  size_t n = 0;
  for (int i = 0; i < c->n_touched; i++) {
    const cost_slot_t *slot = &c->slot[c->touched[i]];
    const cost_load_t *load = &c->load[c->touched[i]];
    for (int j = 0; j < 2 && slot->resource[j] >= 0; j++)
      out[n++] = (berth_load_t){c->resource[slot->resource[j]].is, load->cost,
                                cost_slot_bytes(c, phase, load->bytes)};
  }
  return n;
}

static size_t take_flow_loads(const berth_cost_t *c, const cost_flow_reasons_t *reasons,
                              berth_load_t *out)
{
  for (int i = 0; i < reasons->n; i++) {
    int r = reasons->resource[i];
    out[i] = (berth_load_t){c->resource[r].is, reasons->busy[r], reasons->carried[r]};
  }
  return (size_t)reasons->n;
}

int berth_cost_loads(berth_cost_t *c, berth_model_t model, size_t phase, const int *pu_of_rank,
                     berth_load_t **out, size_t *n, berth_error_t *err)
{
  cost_flow_reasons_t reasons;
  if (cost_is_by_hosts(c, phase)) return cost_hosts_loads(c, model, phase, pu_of_rank, out, n, err);
  *n = 0;
  *out = malloc(((size_t)c->n_resources + 1) * sizeof **out);
  if (!*out) return no_memory(err);
  if (model == BERTH_MODEL_FLOW && cost_is_counted(c, phase)) model = BERTH_MODEL_PORT;
  if (model != BERTH_MODEL_FLOW) {
    cost_price_phase(c, model, phase, pu_of_rank);
    *n = take_loads(c, phase, *out);
  } else if (cost_flow_explain(c, phase, pu_of_rank, &reasons, err) == BERTH_OK) {
    *n = take_flow_loads(c, &reasons, *out);
  } else {
    free(*out);
    *out = NULL;
    return err ? err->code : BERTH_MISSING;
  }
  qsort(*out, *n, sizeof **out, by_place);
  return BERTH_OK;
}

int berth_cost_pairs_on(const berth_cost_t *c, size_t phase, const int *pu_of_rank,
                        berth_resource_t resource, berth_pair_load_t **out, size_t *n,
                        berth_error_t *err)
{
  if (cost_is_by_hosts(c, phase))
    return cost_hosts_pairs(c, phase, pu_of_rank, resource, out, n, err);
  *out = NULL;
  *n = 0;
  for (int r = 0; r < c->n_resources; r++)
    if (c->resource[r].is.element == resource.element && c->resource[r].is.kind == resource.kind)
      return cost_list_pairs(c, phase, pu_of_rank, r, out, n, err);
  return BERTH_OK;
}
