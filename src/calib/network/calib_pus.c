/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds PUs with ranks in the tree, and makes names for elements, pairs and lines. */
#include "calib/network/calib_network.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

const char *pus_label(berth_calib_t *c, arena_t *arena, const char *format, ...)
{
  va_list args;
  char *text = NULL;
  va_start(args, format);
  int n = vasprintf(&text, format, args);
  va_end(args);
  const char *copy = n < 0 ? NULL : arena_strdup(arena, text);
  if (n >= 0) free(text);
  if (!copy) c->failed = true;
  return copy ? copy : "";
}

const char *pus_element_label(berth_calib_t *c, arena_t *arena, int element)
{
  const berth_element_t *e = berth_topo_element(c->t, element);
  if (e->type < 0) {
    const berth_pu_t *pu = berth_topo_pu(c->t, e->first_pu);
    return pus_label(c, arena, "%s pu %d", berth_topo_host(c->t, pu->host)->name, pu->os_index);
  }
  const char *name = berth_topo_element_name(c->t, element);
  const berth_host_t *host = e->host >= 0 ? berth_topo_host(c->t, e->host) : NULL;
  if (!host || host->element == element) return pus_label(c, arena, "%s", name);
  return pus_label(c, arena, "%s %s", host->name, name);
}

const char *pus_pair_label(berth_calib_t *c, arena_t *arena, berth_calib_flow_t pair)
{
  return pus_label(c, arena, "%.100s to %.100s",
                   pus_element_label(c, arena, berth_topo_pu(c->t, pair.src)->element),
                   pus_element_label(c, arena, berth_topo_pu(c->t, pair.dst)->element));
}

const char *pus_port_label(berth_calib_t *c, arena_t *arena, const port_t *p)
{
  return pus_label(c, arena, "%s %s", pus_element_label(c, arena, p->element),
                   p->direction == OUT ? "out" : "in");
}

static const char *type_name(const berth_calib_t *c, int type)
{
  return type < 0 ? "pu" : berth_topo_type(c->t, type)->name;
}

const char *pus_kind_label(berth_calib_t *c, arena_t *arena, int kind)
{
  const link_kind_t *k = &c->kinds[kind];
  return pus_label(c, arena, "%.80s-%.80s", type_name(c, k->parent_type),
                   type_name(c, k->child_type));
}

const char *pus_line_label(berth_calib_t *c, arena_t *arena, const line_t *l)
{
  const char *direction = l->holds[OUT] && l->holds[IN] ? "" : l->holds[OUT] ? " out" : " in";
  const char *odd = l->odd >= 0 ? pus_element_label(c, arena, l->odd) : "";
  return pus_label(c, arena, "%s%s%.60s%s%s", pus_kind_label(c, arena, l->kind), *odd ? " (" : "",
                   odd, *odd ? ")" : "", direction);
}
