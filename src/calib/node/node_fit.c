/* SPDX-License-Identifier: BSD-3-Clause */
/* A topology with a node's record: on the host's type, and as curves and limits of its parts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "calib/node/calib_node.h"
#include "topo/topo_copy.h"

static const char source[] = "berth calibrate node, memcpy of cold buffers";

typedef struct fit {
  const berth_topo_t *t;
  berth_topo_t *out;
  const node_machine_t *m;
  const berth_node_t *record;
  berth_type_t *types;
  int host;
  berth_error_t *err;
} fit_t;

static int numa_of_pu(const node_machine_t *m, int pu)
{
  for (int i = 0; i < m->n_cores; i++)
    if (m->core[i].pu == pu) return m->core[i].numa;
  return -1; /* another PU of a core */
}

/* How many measured cores are below an element, and their NUMA node; *numa -1: several. */
static int cores_below(const fit_t *f, const berth_element_t *e, int *numa)
{
  int n = 0;
  *numa = -1;
  for (int pu = e->first_pu; pu < e->first_pu + e->n_pus; pu++) {
    int here = numa_of_pu(f->m, berth_topo_pu(f->t, pu)->os_index);
    if (here < 0) continue;
    *numa = n == 0 || *numa == here ? here : -1;
    n++;
  }
  return n;
}

static bool is_default(const fit_t *f, const berth_port_dir_t *d)
{
  return d->curve >= 0 && berth_curve_is_default(berth_topo_curve(f->t, d->curve));
}

/* The time of a message: the latency of the curve that was there, and a copy. */
static int add_curve(fit_t *f, const berth_node_curve_t *copies, const berth_curve_t *old,
                     double *most)
{
  double *bandwidth = calloc(copies->n, sizeof *bandwidth);
  double latency = old->size[0] / old->bandwidth[0];
  if (!bandwidth) return no_memory_index(f->err);
  *most = 0;
  for (size_t i = 0; i < copies->n; i++) {
    bandwidth[i] = copies->x[i] / (latency + copies->x[i] / copies->y[i]);
    *most = fmax(*most, copies->y[i]);
  }
  char name[80];
  snprintf(name, sizeof name, "%.60s, copied", old->name);
  berth_curve_t curve = {.name = name,
                         .source = source,
                         .n = copies->n,
                         .size = copies->x,
                         .bandwidth = bandwidth,
                         .origin = {.date = berth_node_date(f->record)},
                         .spread = copies->spread,
                         .samples = copies->samples};
  int number = berth_topo_add_curve(f->out, &curve, f->err);
  free(bandwidth);
  return number;
}

/* Gives a port that nobody measured the curve of copies. */
static int set_port(fit_t *f, berth_port_t *port, const berth_node_curve_t *copies)
{
  double most;
  if (!copies || !is_default(f, &port->out) || !is_default(f, &port->in)) return BERTH_OK;
  int curve = add_curve(f, copies, berth_topo_curve(f->t, port->out.curve), &most);
  if (curve < 0) return f->err->code;
  port->out = port->in = (berth_port_dir_t){.curve = curve, .capacity = most};
  return BERTH_OK;
}

/* The limit of a part of the host: what its cores copy together. */
static void set_limit(const fit_t *f, berth_type_t *type, int cores, int numa)
{
  const berth_node_curve_t *all =
      berth_node_find(f->record, BERTH_NODE_MEMORY, "copy", "close", numa, numa);
  if (!all) all = berth_node_find(f->record, BERTH_NODE_MEMORY, "copy", "close", -1, -1);
  if (!all || (type->samples > 0 && !is_default(f, &type->down.out))) return;
  size_t at = 0;
  while (at + 1 < all->n && all->x[at] < cores) at++;
  type->capacity = berth_node_at(all, cores);
  type->spread = all->spread[at];
  type->samples = all->samples[at];
  type->origin = (berth_origin_t){.date = berth_node_date(f->record)};
}

static int fit_part(fit_t *f, int element, char *seen)
{
  const berth_element_t *e = berth_topo_element(f->t, element);
  int numa, cores = e->type < 0 ? 0 : cores_below(f, e, &numa);
  if (cores < 2 || seen[e->type]) return BERTH_OK;
  seen[e->type] = 1;
  berth_type_t *type = &f->types[e->type];
  bool measured = !is_default(f, &type->down.out);
  if (!measured) set_limit(f, type, cores, numa);
  int from = numa < 0 ? 1 : numa;
  return set_port(f, &type->down,
                  berth_node_find(f->record, BERTH_NODE_COPY, "memcpy", "cold", 0, from));
}

static int fit_types(fit_t *f)
{
  int n = berth_topo_n_types(f->t), rc = BERTH_OK;
  const berth_host_t *h = berth_topo_host(f->t, f->host);
  int size = berth_topo_element(f->t, h->element)->size;
  char *seen = calloc((size_t)n + 1, 1);
  f->types = calloc((size_t)n + 1, sizeof *f->types);
  if (!seen || !f->types) rc = no_memory(f->err);
  for (int i = 0; i < n && !rc; i++) f->types[i] = *berth_topo_type(f->t, i);
  bool complete = berth_node_is_complete(f->record);
  for (int e = h->element; complete && e < h->element + size && !rc; e++) rc = fit_part(f, e, seen);
  if (!rc) f->types[berth_topo_element(f->t, h->element)->type].node = f->record;
  for (int i = 0; i < n && !rc; i++)
    if (berth_topo_add_type(f->out, &f->types[i], f->err) < 0) rc = f->err->code;
  free(seen);
  free(f->types);
  return rc;
}

berth_topo_t *calib_node_fit(const calib_node_t *c, const berth_topo_t *t, int host,
                             berth_error_t *err)
{
  fit_t f = {.t = t,
             .out = berth_topo_new(berth_topo_name(t), err),
             .m = calib_node_machine(c),
             .record = calib_node_record(c),
             .host = host,
             .err = err};
  int rc = f.out ? BERTH_OK : BERTH_MISSING;
  for (int i = 0; i < berth_topo_n_curves(t) && !rc; i++)
    if (berth_topo_add_curve(f.out, berth_topo_curve(t, i), err) < 0) rc = err->code;
  if (!rc) rc = fit_types(&f);
  if (!rc && berth_topo_has_distances(t)) berth_topo_set_distances(f.out);
  if (!rc) rc = topo_copy_tree(f.out, t, NULL, err);
  if (!rc) return f.out;
  berth_topo_free(f.out);
  return NULL;
}
