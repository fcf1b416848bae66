/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks trees of network switches, and lists their hosts in the order of the tree. */
#include "topo/discover/topo_network.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/field.h"
#include "base/no_memory.h"

#define FAIL(s, line, ...) network_fail((s), (line), err, __VA_ARGS__)

berth_network_t *network_new(const char *path, berth_error_t *err)
{
  berth_network_t *s = calloc(1, sizeof *s);
  if (s && (s->path = strdup(path))) return s;
  no_memory(err);
  free(s);
  return NULL;
}

int network_fail(const berth_network_t *s, long line, berth_error_t *err, const char *format, ...)
{
  FIELD_ARGUMENTS(what, 400, format);
  return berth_fail(err, BERTH_BAD_INPUT, "%s:%ld: %s", s->path, line, what);
}

/* The next switch in depth-first order; -1 after the last one below its root. */
static int next_switch(const berth_network_t *s, int w)
{
  if (s->switches[w].child >= 0) return s->switches[w].child;
  while (w >= 0 && s->switches[w].sibling < 0) w = s->switches[w].parent;
  return w < 0 ? -1 : s->switches[w].sibling;
}

/* Lists the hosts in the order of the tree. A switch that no root leads to is in a cycle. */
static int walk(berth_network_t *s, berth_error_t *err)
{
  char *seen = calloc(s->n + 1, 1);
  int rc = seen ? BERTH_OK : no_memory(err);
  for (size_t root = 0; root < s->n && !rc; root++) {
    if (s->switches[root].parent >= 0) continue;
    for (int w = (int)root; w >= 0 && !rc; w = next_switch(s, w)) {
      const network_switch_t *here = &s->switches[w];
      seen[w] = 1;
      if (!array_reserve(&s->in_order.names, &s->in_order.cap, s->in_order.n + here->n + 1,
                         sizeof *s->in_order.names))
        rc = no_memory(err);
      for (size_t i = 0; i < here->n && !rc; i++)
        s->in_order.names[s->in_order.n++] = s->hosts.names[here->first + i];
    }
  }
  for (size_t w = 0; w < s->n && !rc; w++)
    if (!seen[w])
      rc = FAIL(s, s->switches[w].line, "found switch \"%.60s\" below itself, expected a tree",
                s->switches[w].name);
  free(seen);
  return rc;
}

static int index_hosts(berth_network_t *s, berth_error_t *err)
{
  s->switch_of_host = malloc((s->hosts.n + 1) * sizeof *s->switch_of_host);
  if (!s->switch_of_host) return no_memory(err);
  for (size_t w = 0; w < s->n; w++) {
    const network_switch_t *here = &s->switches[w];
    for (size_t i = here->first; i < here->first + here->n; i++) {
      int other = name_table_find(&s->host_of_name, s->hosts.names[i]);
      if (other >= 0)
        return FAIL(s, here->line,
                    "found host \"%.60s\" on switch \"%.60s\" and on \"%.60s\", expected one",
                    s->hosts.names[i], s->switches[s->switch_of_host[other]].name, here->name);
      s->switch_of_host[i] = (int)w;
      if (!name_table_add(&s->host_of_name, s->hosts.names[i], (int)i)) return no_memory(err);
    }
  }
  return BERTH_OK;
}

int network_finish(berth_network_t *s, berth_error_t *err)
{
  int rc = index_hosts(s, err);
  return rc ? rc : walk(s, err);
}

void berth_network_free(berth_network_t *s)
{
  if (!s) return;
  free(s->switches);
  free(s->hosts.names);
  free(s->host_links);
  free(s->below.names);
  free(s->in_order.names);
  free(s->switch_of_host);
  name_table_clear(&s->switch_of_name);
  name_table_clear(&s->host_of_name);
  arena_free(&s->arena);
  free(s->note);
  free(s->path);
  free(s);
}

const char *const *berth_network_hosts(const berth_network_t *s, size_t *n)
{
  *n = s->in_order.n;
  return s->in_order.names;
}

const char *berth_network_note(const berth_network_t *s) { return s->note; }

int network_find_host(const berth_network_t *s, const char *name)
{
  int found = name_table_find(&s->host_of_name, name);
  const char *dot = strchr(name, '.');
  if (found >= 0) return found;
  if (dot) {
    char *plain = strndup(name, (size_t)(dot - name));
    if (plain) found = name_table_find(&s->host_of_name, plain);
    free(plain);
    return found;
  }
  for (size_t i = 0, n = strlen(name); i < s->hosts.n; i++)
    if (strncmp(s->hosts.names[i], name, n) == 0 && s->hosts.names[i][n] == '.') return (int)i;
  return -1;
}
