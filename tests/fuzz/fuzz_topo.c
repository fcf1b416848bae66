/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of topologies: any bytes load or fail with one line. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "topo/topo_internal.h"
#include "topo/topo_shift.h"

static void check(int holds)
{
  if (!holds) abort();
}

/* What every loaded topology promises. */
static void check_tree(const berth_topo_t *t)
{
  int n_pus = berth_topo_n_pus(t), n = 0;
  check(n_pus > 0 && berth_topo_n_hosts(t) > 0);
  check(berth_topo_element(t, 0)->size == berth_topo_n_elements(t));
  for (int i = 0; i < berth_topo_n_elements(t); i++) {
    const berth_element_t *e = berth_topo_element(t, i);
    check(e->first_pu == n && e->n_pus > 0 && e->depth < BERTH_MAX_DEPTH);
    check((e->type < 0) == (e->height == 0) && (e->type < 0) == !berth_topo_element_name(t, i));
    if (e->type >= 0) continue;
    const berth_pu_t *pu = berth_topo_pu(t, n++);
    check(pu->element == i && pu->host == e->host && pu->host >= 0);
  }
  check(n == n_pus);
  int *cut = malloc((size_t)n_pus * sizeof *cut);
  check(cut && berth_topo_cut(t, 0, cut) == n_pus);
  free(cut);
}

/* Each measured number can be off: no bandwidth is below 0 or no number then. */
static void check_shifts(const berth_topo_t *t)
{
  topo_shift_t *s = topo_shift_new(t, NULL);
  check(s != NULL);
  for (size_t k = 0; k < 2 * topo_shift_count(s) && k < 64; k++) {
    const berth_topo_t *shifted = topo_shift(s, k / 2, k % 2);
    for (int c = 0; c < berth_topo_n_curves(shifted); c++)
      for (size_t i = 0; i < berth_topo_curve(shifted, c)->n; i++)
        check(berth_topo_curve(shifted, c)->bandwidth[i] >= 0);
    for (int i = 0; i < berth_topo_n_types(shifted); i++)
      check(berth_topo_type(shifted, i)->up.out.capacity >= 0);
  }
  topo_shift_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
  static const topo_limits_t limits = {1 << 12, 1 << 13, 1 << 20};
  berth_error_t err = {0};
  berth_topo_t *t = topo_parse((const char *)data, n, "f", &limits, &err);
  if (t) {
    check_tree(t);
    check_shifts(t);
  } else {
    check(err.code == BERTH_BAD_INPUT && *err.text && !strchr(err.text, '\n'));
  }
  berth_topo_free(t);
  return 0;
}
