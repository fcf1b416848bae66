/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of a message by itself. */
#include <berth/cost.h>

/* A pattern of that message; NULL on failure. */
static berth_pattern_t *one_message(uint64_t bytes, berth_error_t *err)
{
  const berth_message_t m = {.src = 0, .dst = 1, .size = bytes, .count = 1, .bytes = bytes};
  berth_pattern_t *p = berth_pattern_new(2, err);
  if (!p) return NULL;
  int rc = berth_pattern_add_message(p, &m, err);
  if (!rc) rc = berth_pattern_finish(p, err);
  if (!rc) return p;
  berth_pattern_free(p);
  return NULL;
}

int berth_message_time(const berth_topo_t *t, int from_pu, int to_pu, uint64_t bytes,
                       double *seconds, berth_error_t *err)
{
  const int pu[2] = {from_pu, to_pu};
  berth_error_t why = {0};
  for (int i = 0; i < 2; i++)
    if (pu[i] < 0 || pu[i] >= berth_topo_n_pus(t))
      return berth_fail(err, BERTH_BAD_INPUT, "found PU %d, expected 0 to %d", pu[i],
                        berth_topo_n_pus(t) - 1);
  berth_pattern_t *p = one_message(bytes, &why);
  berth_cost_t *c = p ? berth_cost_new(p, t, &why) : NULL;
  if (c) *seconds = berth_cost_evaluate(c, BERTH_MODEL_PORT, pu);
  if (c) berth_cost_ran_out(c, &why);
  berth_cost_free(c);
  berth_pattern_free(p);
  if (why.code && err) *err = why;
  return why.code;
}
