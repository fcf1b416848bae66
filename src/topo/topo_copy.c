/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/topo_copy.h"

static int add_element(berth_topo_t *to, const berth_topo_t *from, int i, const int *type_of,
                       berth_error_t *err)
{
  const berth_element_t *e = berth_topo_element(from, i);
  if (e->type < 0) {
    const berth_pu_t *pu = berth_topo_pu(from, e->first_pu);
    return berth_topo_add_pu(to, e->parent, pu->os_index, pu->core, err);
  }
  const berth_host_t *host = e->host >= 0 ? berth_topo_host(from, e->host) : NULL;
  return berth_topo_add_switch(to, e->parent, type_of ? type_of[i] : e->type,
                               berth_topo_element_name(from, i),
                               host && host->element == i ? host->name : NULL, err);
}

int topo_copy_tree(berth_topo_t *to, const berth_topo_t *from, const int *type_of,
                   berth_error_t *err)
{
  berth_error_t own;
  if (!err) err = &own;
  for (int i = 0; i < berth_topo_n_elements(from); i++)
    if (add_element(to, from, i, type_of, err) < 0) return err->code;
  return berth_topo_finish(to, err);
}
