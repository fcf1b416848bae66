/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds PUs with ranks in the tree, and makes names for elements, pairs and lines. */
#include "calib/network/calib_pus.h"

#include <stdio.h>

#include "calib/calib_internal.h"

bool pus_is_above_hosts(const berth_calib_t *c, int element)
{
  return berth_topo_element(c->t, element)->host < 0;
}

/* Takes PUs first … end - 1 that have ranks. *last is the host of the PU taken last. */
static size_t take(const berth_calib_t *c, int first, int end, bool one_a_host, int *last, int *out,
                   size_t n, size_t max)
{
  for (int p = first; p < end && n < max; p++) {
    int host = berth_topo_pu(c->t, p)->host;
    if (!c->has_rank[p] || (one_a_host && host == *last)) continue;
    *last = host;
    out[n++] = p;
  }
  return n;
}

size_t pus_below(const berth_calib_t *c, int element, bool one_a_host, int *out, size_t max)
{
  const berth_element_t *e = berth_topo_element(c->t, element);
  int last = -1;
  return take(c, e->first_pu, e->first_pu + e->n_pus, one_a_host, &last, out, 0, max);
}

size_t pus_outside(const berth_calib_t *c, int element, int top, bool one_a_host, int *out,
                   size_t max)
{
  const berth_element_t *inner = berth_topo_element(c->t, element);
  size_t n = 0;
  for (int at = element; at != top && inner->parent >= 0 && n < max;) {
    const berth_element_t *outer = berth_topo_element(c->t, inner->parent);
    int last = -1, inner_end = inner->first_pu + inner->n_pus;
    /* those behind the element first, so that not all neighbours choose the same ones */
    n = take(c, inner_end, outer->first_pu + outer->n_pus, one_a_host, &last, out, n, max);
    n = take(c, outer->first_pu, inner->first_pu, one_a_host, &last, out, n, max);
    at = inner->parent;
    inner = outer;
  }
  return n;
}

int pu_last(const berth_calib_t *c, int pu)
{
  int host = berth_topo_pu(c->t, pu)->host, last = pu;
  for (int next = pu + 1; next < berth_topo_n_pus(c->t) && berth_topo_pu(c->t, next)->host == host;
       next++)
    if (c->has_rank[next]) last = next;
  return last;
}

const char *pus_label_copy(berth_calib_t *c, arena_t *arena, const char *text)
{
  const char *copy = arena_strdup(arena, text);
  if (!copy) c->failed = true;
  return copy ? copy : "";
}

const char *pus_element_label(berth_calib_t *c, arena_t *arena, int element)
{
  const berth_element_t *e = berth_topo_element(c->t, element);
  char text[600];
  if (e->type >= 0) {
    const char *name = berth_topo_element_name(c->t, element);
    bool part = e->host >= 0 && berth_topo_host(c->t, e->host)->element != element;
    snprintf(text, sizeof text, "%s%s%s", part ? berth_topo_host(c->t, e->host)->name : "",
             part ? " " : "", name);
  } else {
    const berth_pu_t *pu = berth_topo_pu(c->t, e->first_pu);
    snprintf(text, sizeof text, "%s pu %d", berth_topo_host(c->t, pu->host)->name, pu->os_index);
  }
  return pus_label_copy(c, arena, text);
}

const char *pus_pair_label(berth_calib_t *c, arena_t *arena, berth_calib_flow_t pair)
{
  char text[BERTH_MAX_NAME + 1];
  snprintf(text, sizeof text, "%.100s to %.100s",
           pus_element_label(c, arena, berth_topo_pu(c->t, pair.src)->element),
           pus_element_label(c, arena, berth_topo_pu(c->t, pair.dst)->element));
  return pus_label_copy(c, arena, text);
}

const char *pus_port_label(berth_calib_t *c, arena_t *arena, const port_t *p)
{
  char text[700];
  snprintf(text, sizeof text, "%s %s", pus_element_label(c, arena, p->element),
           p->direction == OUT ? "out" : "in");
  return pus_label_copy(c, arena, text);
}

static const char *type_name(const berth_calib_t *c, int type)
{
  return type < 0 ? "pu" : berth_topo_type(c->t, type)->name;
}

const char *pus_kind_label(berth_calib_t *c, arena_t *arena, int kind)
{
  char text[BERTH_MAX_NAME + 1];
  const link_kind_t *k = &c->kinds[kind];
  snprintf(text, sizeof text, "%.80s-%.80s", type_name(c, k->parent_type),
           type_name(c, k->child_type));
  return pus_label_copy(c, arena, text);
}

const char *pus_line_label(berth_calib_t *c, arena_t *arena, const line_t *l)
{
  char text[BERTH_MAX_NAME + 1];
  const char *direction = l->holds[OUT] && l->holds[IN] ? "" : l->holds[OUT] ? " out" : " in";
  const char *odd = l->odd >= 0 ? pus_element_label(c, arena, l->odd) : "";
  snprintf(text, sizeof text, "%s%s%.60s%s%s", pus_kind_label(c, arena, l->kind), *odd ? " (" : "",
           odd, *odd ? ")" : "", direction);
  return pus_label_copy(c, arena, text);
}
