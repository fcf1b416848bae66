/* SPDX-License-Identifier: BSD-3-Clause */
/* Fans: flows between a port and several partners, which show what the port carries. */
#include "calib/network/calib_network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { PARTNERS = 4, CHUNK = 16, WIDE = 16 };

/* The PUs behind a port: a host's, or one per host. */
static size_t inner_pus(const berth_calib_t *c, int element, int *pus)
{
  return pus_below(c, element, pus_is_above_hosts(c, element), pus, WIDE);
}

/* Flows between the PUs behind a port and some outside. All PUs of both sides take part. */
static size_t make_fan(const berth_calib_t *c, int element, int direction, const int *outer,
                       size_t n_outer, size_t max, berth_calib_flow_t *flows)
{
  int inner[WIDE];
  size_t n_inner = inner_pus(c, element, inner);
  if (n_inner == 0 || n_outer == 0) return 0;
  bool many = pus_is_above_hosts(c, element);
  size_t n = many ? n_inner * n_outer : n_inner > n_outer ? n_inner : n_outer;
  if (n > max) n = max;
  for (size_t i = 0; i < n; i++) {
    int in = inner[i % n_inner], out = outer[(many ? i / n_inner + i % n_inner : i) % n_outer];
    flows[i] = direction == OUT ? (berth_calib_flow_t){in, pu_last(c, out)}
                                : (berth_calib_flow_t){out, many ? pu_last(c, in) : in};
  }
  return n;
}

/* A size of which a flow sends some dozen messages in a sample's time. */
static size_t fan_size(const berth_calib_t *c, int kind, size_t n)
{
  const double messages = 16, time_s = 0.25;
  calib_stat_t pilot = probe_rate(c, c->kinds[kind].pilot, 0, 1);
  double bytes = (pilot.n ? pilot.median : 0) * time_s / messages / (double)n;
  size_t size = n > 2 * PARTNERS ? 4 << 10 : 16 << 10;
  while (size < 1 << 20 && (double)(2 * size) <= bytes) size *= 2;
  return size;
}

/* Fans of several ports in one experiment. */
typedef struct round {
  berth_calib_flow_t *flows;
  size_t n, cap, n_ports, cap_ports;
  int *ports;
  size_t *first;
  size_t cap_first;
  size_t largest; /* number of flows of a port */
} round_t;

static void round_free(round_t *r)
{
  free(r->flows);
  free(r->ports);
  free(r->first);
}

static void round_add(berth_calib_t *c, round_t *r, int port, const berth_calib_flow_t *flows,
                      size_t n)
{
  if (n == 0) return;
  if (!array_reserve(&r->flows, &r->cap, r->n + n, sizeof *flows) ||
      !array_reserve(&r->ports, &r->cap_ports, r->n_ports + 1, sizeof *r->ports) ||
      !array_reserve(&r->first, &r->cap_first, r->n_ports + 1, sizeof *r->first)) {
    c->failed = true;
    return;
  }
  memcpy(r->flows + r->n, flows, n * sizeof *flows);
  r->ports[r->n_ports] = port;
  r->first[r->n_ports++] = r->n;
  r->n += n;
  if (n > r->largest) r->largest = n;
}

/* Adds the experiment and empties the round. */
static void round_end(berth_calib_t *c, round_t *r)
{
  char more[40] = "";
  if (r->n_ports == 0 || c->failed) return;
  const port_t *p = &c->ports[r->ports[0]];
  size_t size = fan_size(c, p->kind, r->largest);
  calib_stat_t pilot = probe_rate(c, c->kinds[p->kind].pilot, 0, 1);
  if (r->n_ports > 1) snprintf(more, sizeof more, " and %zu more", r->n_ports - 1);
  const char *label = pus_port_label(c, &c->arena, p);
  const char *what = pus_label(c, &c->arena, "%s%s, %zu pairs", label, more, r->n);
  double each = pilot.n ? (double)(r->largest * size) / pilot.median : 0.01;
  int probe = probe_add(c, BERTH_CALIB_STREAM, size, r->n, r->flows, 2, each, what);
  for (size_t i = 0; i < r->n_ports && !c->failed; i++) {
    port_t *port = &c->ports[r->ports[i]];
    size_t end = i + 1 < r->n_ports ? r->first[i + 1] : r->n;
    port->view[port->n_views++] = (view_t){probe, r->first[i], end - r->first[i]};
  }
  r->n = r->n_ports = r->largest = 0;
}

static void add_port(berth_calib_t *c, int element, int direction)
{
  const port_t port = {
      .element = element, .direction = direction, .kind = kind_of_link(c, element), .line = -1};
  if (ARRAY_ADD(&c->ports, &c->n_ports, &c->cap_ports, port))
    c->port_of[direction][element] = (int)c->n_ports - 1;
  else
    c->failed = true;
}

static bool find_ports(berth_calib_t *c)
{
  int n = berth_topo_n_elements(c->t), pu;
  for (int d = OUT; d <= IN; d++) {
    c->port_of[d] = arena_alloc(&c->arena, ((size_t)n + 1) * sizeof *c->port_of[d]);
    if (!c->port_of[d]) return false;
    for (int e = 0; e < n; e++) c->port_of[d][e] = -1;
  }
  for (int e = 1; e < n; e++) {
    bool is_port = pus_is_above_hosts(c, berth_topo_element(c->t, e)->parent) &&
                   pus_below(c, e, false, &pu, 1) > 0 && pus_outside(c, e, 0, true, &pu, 1) > 0;
    for (int d = OUT; d <= IN && is_port; d++) add_port(c, e, d);
  }
  return !c->failed;
}

/* The children with ranks. -1 if one isn't a host or there are fewer than three: their fans need
 * other partners. */
static int host_children(const berth_calib_t *c, int element, int *hosts)
{
  int end = element + berth_topo_element(c->t, element)->size, n = 0;
  for (int e = element + 1; e < end; e += berth_topo_element(c->t, e)->size) {
    if (pus_is_above_hosts(c, e)) return -1;
    if (port_find(c, e, OUT)) hosts[n++] = e;
  }
  return n < 3 ? -1 : n;
}

/* The fans of a switch's child with its next neighbours in its chunk. */
static void add_neighbours(berth_calib_t *c, round_t *r, const int *chunk, int n, int child, int d)
{
  berth_calib_flow_t flows[MAX_FAN];
  int outer[PARTNERS];
  size_t n_outer = 0;
  for (int i = 1; i < n && n_outer < PARTNERS; i++)
    n_outer += pus_below(c, chunk[(child + i) % n], false, &outer[n_outer], 1);
  size_t max = make_fan(c, chunk[child], d, outer, n_outer, WIDE, flows);
  round_add(c, r, c->port_of[d][chunk[child]], flows, max);
}

/* Switches with only hosts are measured at the same time, in chunks of hosts: no flow leaves
 * them. */
static void add_rounds(berth_calib_t *c, int *hosts)
{
  round_t r = {0};
  for (int k = 0; k < 2 * CHUNK && !c->failed; k++) {
    for (int e = 0; e < berth_topo_n_elements(c->t); e++) {
      int n = pus_is_above_hosts(c, e) ? host_children(c, e, hosts) : -1;
      int chunks = (n + CHUNK - 1) / CHUNK;
      for (int i = 0; i < chunks; i++) {
        int first = n * i / chunks, size = n * (i + 1) / chunks - first;
        if (k / 2 < size) add_neighbours(c, &r, hosts + first, size, k / 2, k % 2);
      }
    }
    round_end(c, &r);
  }
  round_free(&r);
}

void fan_add_alone(berth_calib_t *c, int port, const view_t *skip, bool wide)
{
  const port_t *p = &c->ports[port];
  const size_t max = wide ? WIDE : PARTNERS;
  int outer[2 * WIDE], first[WIDE], last[WIDE];
  size_t n = pus_outside(c, p->element, 0, true, outer, 2 * WIDE), n_first = 0, n_last = 0;
  for (size_t i = 0; i < n; i++) {
    bool was = false;
    for (size_t k = 0; skip && k < skip->n; k++) {
      berth_calib_flow_t f = c->probes[skip->probe].flows[skip->first + k];
      was |= (p->direction == OUT ? f.dst == pu_last(c, outer[i]) : f.src == outer[i]);
    }
    if (was && n_last < WIDE) last[n_last++] = outer[i];
    if (!was && n_first < WIDE) first[n_first++] = outer[i];
  }
  for (size_t i = 0; i < n_last && n_first < max; i++) first[n_first++] = last[i];
  berth_calib_flow_t flows[MAX_FAN];
  round_t r = {0};
  if (n_first > max) n_first = max;
  size_t n_flows =
      make_fan(c, p->element, p->direction, first, n_first, wide ? MAX_FAN : PARTNERS, flows);
  if (wide && !port_fan_has_room(c, p, flows, n_flows)) return;
  c->ports[port].has_wide |= wide;
  round_add(c, &r, port, flows, n_flows);
  round_end(c, &r);
  round_free(&r);
}

void fans_add_ports(berth_calib_t *c)
{
  int *hosts = malloc(((size_t)berth_topo_n_elements(c->t) + 1) * sizeof *hosts);
  if (!hosts || !find_ports(c))
    c->failed = true;
  else
    add_rounds(c, hosts);
  free(hosts);
  for (size_t i = 0; i < c->n_ports && !c->failed; i++)
    if (c->ports[i].n_views == 0) fan_add_alone(c, (int)i, NULL, false);
}
