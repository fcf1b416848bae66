/* SPDX-License-Identifier: BSD-3-Clause */
#include "cost/packing_reference.h"

#include <berth/cost.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/order.h"

/* The first PU of each of a host's first two cores. False if it has one core. */
static bool first_cores(const berth_topo_t *t, int host, int *pus)
{
  int first = berth_topo_element(t, berth_topo_host(t, host)->element)->first_pu;
  for (int i = first + 1; i < berth_topo_n_pus(t) && berth_topo_pu(t, i)->host == host; i++) {
    if (berth_topo_pu(t, i)->core == berth_topo_pu(t, first)->core) continue;
    pus[0] = first;
    pus[1] = i;
    return true;
  }
  return false;
}

/* Whether the links where two PUs' ways part were measured under an MPI. */
static bool was_measured(const berth_topo_t *t, const int *pus, const char *mpi)
{
  const berth_element_t *up = berth_topo_element(t, berth_topo_pu(t, pus[0])->element);
  while (up->first_pu + up->n_pus <= pus[1]) up = berth_topo_element(t, up->parent);
  int curve = berth_topo_type(t, up->type)->down.out.curve;
  return curve >= 0 && strcmp(berth_topo_curve(t, curve)->origin.mpi, mpi) == 0;
}

/* Two PUs between which messages inside such hosts were measured. False: there are none. */
static bool find_pus(const berth_topo_t *t, int type, const char *mpi, int *pus)
{
  for (int h = 0; h < berth_topo_n_hosts(t); h++)
    if (berth_topo_element(t, berth_topo_host(t, h)->element)->type == type)
      return first_cores(t, h, pus) && was_measured(t, pus, mpi);
  return false;
}

/* Messages of such sizes, each in a phase of its own. NULL on failure. */
static berth_pattern_t *messages_of(const packing_reference_t *r, berth_error_t *err)
{
  berth_pattern_t *p = berth_pattern_new(2, err);
  int rc = p ? BERTH_OK : BERTH_MISSING;
  for (size_t i = 0; !rc && i < r->n; i++) {
    const berth_message_t m = {
        .phase = (int)i, .src = 0, .dst = 1, .size = r->size[i], .count = 1, .bytes = r->size[i]};
    rc = berth_pattern_add_message(p, &m, err);
  }
  if (!rc) rc = berth_pattern_finish(p, err);
  if (!rc) return p;
  berth_pattern_free(p);
  return NULL;
}

/* `table`: the record's contiguous messages. */
static int compare(const berth_topo_t *t, const int *pus, const berth_strided_t *table,
                   packing_reference_t *r, berth_error_t *err)
{
  berth_cost_result_t result;
  berth_pattern_t *p = messages_of(r, err);
  berth_cost_t *c = p ? berth_cost_new(p, t, err) : NULL;
  int rc = c ? BERTH_OK : BERTH_MISSING; /* *err says why */
  if (!rc && !(r->longer_s = calloc(r->n, sizeof *r->longer_s))) rc = no_memory(err);
  if (!rc) rc = berth_cost_explain(c, BERTH_MODEL_PORT, pus, 0, &result, err);
  for (size_t i = 0; !rc && i < r->n; i++)
    r->longer_s[i] =
        berth_strided_contiguous_s(table, (double)r->size[i]) - result.phases[i].cost_s;
  if (!rc) berth_cost_result_clear(&result);
  berth_cost_free(c);
  berth_pattern_free(p);
  return rc;
}

int packing_reference_find(const berth_topo_t *t, int type, const char *mpi, const uint64_t *size,
                           size_t n, packing_reference_t *out, berth_error_t *err)
{
  int pus[2];
  const berth_node_t *node = berth_topo_type(t, type)->node;
  const berth_strided_t *table =
      berth_node_find_strided(node, mpi, BERTH_PACKER_NOBODY, BERTH_SIDE_BOTH, 0, 0);
  *out = (packing_reference_t){.n = n, .size = size};
  if (!n || !table || !find_pus(t, type, mpi, pus)) return BERTH_OK;
  return compare(t, pus, table, out, err);
}

void packing_reference_clear(packing_reference_t *r)
{
  free(r->longer_s);
  *r = (packing_reference_t){0};
}

ORDER_VALUES(by_size, uint64_t)

double packing_reference_longer_s(const packing_reference_t *r, uint64_t size)
{
  const uint64_t *at = r->longer_s ? bsearch(&size, r->size, r->n, sizeof *r->size, by_size) : NULL;
  return at ? r->longer_s[at - r->size] : 0;
}
