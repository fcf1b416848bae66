/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes hashes of machines: with links, and of the tree alone, which mappings depend on. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/no_memory.h"
#include "topo/topo_internal.h"

/* Byte order doesn't enter. */
static uint64_t add_u64(uint64_t h, uint64_t value)
{
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(value >> (8 * i));
  return hash_bytes(h, bytes, sizeof bytes);
}

static uint64_t add_int(uint64_t h, int value) { return add_u64(h, (uint64_t)(int64_t)value); }

static uint64_t add_number(uint64_t h, double value)
{
  uint64_t bits;
  value += 0.0; /* turns -0.0 into 0.0 */
  memcpy(&bits, &value, sizeof bits);
  return add_u64(h, bits);
}

/* Hashes a curve's points, so that its name and number don't enter. */
static uint64_t add_direction(uint64_t h, const berth_topo_t *t, const berth_port_dir_t *d)
{
  size_t n = d->curve < 0 ? 0 : t->curves[d->curve].n;
  h = add_number(add_u64(h, n), d->capacity);
  for (size_t i = 0; i < n; i++) {
    h = add_number(h, t->curves[d->curve].size[i]);
    h = add_number(h, t->curves[d->curve].bandwidth[i]);
  }
  return h;
}

static uint64_t add_port(uint64_t h, const berth_topo_t *t, const berth_port_t *port)
{
  h = add_direction(h, t, &port->out);
  return add_number(add_direction(h, t, &port->in), port->reverse);
}

static uint64_t add_type(uint64_t h, const berth_topo_t *t, const berth_type_t *type)
{
  h = add_port(add_port(h, t, &type->up), t, &type->down);
  h = add_u64(add_number(h, type->capacity), type->n_slowdowns);
  for (size_t i = 0; i < type->n_slowdowns; i++) h = add_number(h, type->slowdown[i]);
  return h;
}

/* Hashes the tree; with links also what its ports carry. */
static uint64_t tree_hash(const berth_topo_t *t, bool with_links)
{
  uint64_t h = add_u64(HASH_START, t->n_elements);
  for (size_t e = 0; e < t->n_elements; e++) {
    const berth_element_t *element = &t->elements[e];
    h = add_int(add_int(h, element->depth), element->host);
    if (element->type >= 0) {
      if (with_links) h = add_type(h, t, &t->types[element->type]);
      continue;
    }
    const berth_pu_t *pu = &t->pus[element->first_pu];
    h = add_int(add_int(h, pu->os_index), pu->core);
  }
  return h;
}

uint64_t berth_topo_hash(const berth_topo_t *t)
{
  uint64_t h = tree_hash(t, true);
  return t->distances ? add_u64(h, 1) : h;
}

uint64_t berth_topo_machine(const berth_topo_t *t)
{
  uint64_t h = tree_hash(t, false);
  for (size_t i = 0; i < t->n_hosts; i++)
    h = hash_bytes(h, t->hosts[i].name, strlen(t->hosts[i].name) + 1);
  return h;
}

uint64_t berth_topo_shape(const berth_topo_t *t) { return tree_hash(t, false); }

char *berth_topo_hosts_text(const berth_topo_t *t, berth_error_t *err)
{
  int n = berth_topo_n_hosts(t);
  const char **names = malloc(((size_t)n + 1) * sizeof *names);
  if (!names) no_memory(err);
  for (int i = 0; names && i < n; i++) names[i] = berth_topo_host(t, i)->name;
  char *text = names ? berth_hostlist_text(names, (size_t)n, err) : NULL;
  free(names);
  return text;
}
