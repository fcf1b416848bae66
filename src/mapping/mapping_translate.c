/* SPDX-License-Identifier: BSD-3-Clause */
/* Translates a mapping to a machine whose hosts correspond to those of its own. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "mapping/mapping_internal.h"

typedef struct machines {
  const berth_topo_t *from, *to;
} machines_t;

static const berth_element_t *host_element(const berth_topo_t *t, int host)
{
  return berth_topo_element(t, berth_topo_host(t, host)->element);
}

static const char *host_name(const berth_topo_t *t, int host)
{
  return berth_topo_host(t, host)->name;
}

/* Whether host number `host` has the same cores in the same order in both machines. */
static bool same_cores(const machines_t *m, int host)
{
  const berth_element_t *a = host_element(m->from, host), *b = host_element(m->to, host);
  bool same = a->n_pus == b->n_pus;
  for (int i = 0; i < a->n_pus && same; i++)
    same = berth_topo_pu(m->from, a->first_pu + i)->core ==
           berth_topo_pu(m->to, b->first_pu + i)->core;
  return same;
}

static int compare_hosts(const machines_t *m, berth_error_t *err)
{
  int n = berth_topo_n_hosts(m->from);
  if (n != berth_topo_n_hosts(m->to))
    return berth_fail(err, BERTH_BAD_INPUT,
                      "found %d host%s in '%.60s' and %d in '%.60s', expected equally many, which "
                      "correspond one to one",
                      n, n == 1 ? "" : "s", berth_topo_name(m->from), berth_topo_n_hosts(m->to),
                      berth_topo_name(m->to));
  for (int h = 0; h < n; h++)
    if (!same_cores(m, h))
      return berth_fail(err, BERTH_BAD_INPUT,
                        "found host %.60s with %d PUs and host %.60s with %d, expected the same "
                        "cores on hosts that correspond (number %d of both)",
                        host_name(m->from, h), host_element(m->from, h)->n_pus, host_name(m->to, h),
                        host_element(m->to, h)->n_pus, h);
  return BERTH_OK;
}

/* Translates a scope's hosts. */
static int translate_hosts(const machines_t *m, const char *hosts, char **out, berth_error_t *err)
{
  size_t n;
  const char **names = berth_hostlist(hosts, &n, err);
  if (!names) return err->code;
  int rc = BERTH_OK;
  for (size_t i = 0; i < n && !rc; i++) {
    int host = berth_topo_find_host(m->from, names[i]);
    if (host < 0)
      rc = berth_fail(err, BERTH_BAD_INPUT, "scope: found host '%.60s', which '%.60s' doesn't have",
                      names[i], berth_topo_name(m->from));
    else
      names[i] = host_name(m->to, host);
  }
  if (!rc && !(*out = berth_hostlist_text(names, n, err))) rc = err->code;
  free(names);
  return rc;
}

static int translate_pus(const machines_t *m, const berth_mapping_t *in, berth_mapping_t *out,
                         berth_error_t *err)
{
  out->pu_of_rank = malloc((size_t)in->ranks * sizeof *out->pu_of_rank);
  if (!out->pu_of_rank) return no_memory(err);
  for (int r = 0; r < in->ranks; r++) {
    int pu = in->pu_of_rank[r], host = berth_topo_pu(m->from, pu)->host;
    out->pu_of_rank[r] =
        host_element(m->to, host)->first_pu + pu - host_element(m->from, host)->first_pu;
  }
  return BERTH_OK;
}

static int translate(const machines_t *m, const berth_mapping_t *in, berth_mapping_t *out,
                     berth_error_t *err)
{
  int rc = compare_hosts(m, err);
  if (!rc) rc = translate_pus(m, in, out, err);
  if (!rc && in->scope.hosts) rc = translate_hosts(m, in->scope.hosts, &out->scope.hosts, err);
  if (rc) return rc;
  out->algorithm = strdup(in->algorithm);
  out->model = strdup(in->model);
  out->topology = strdup(berth_topo_name(m->to));
  return out->algorithm && out->model && out->topology ? BERTH_OK : no_memory(err);
}

int berth_mapping_translate(const berth_mapping_t *m, const berth_topo_t *from,
                            const berth_topo_t *to, berth_mapping_t *out, berth_error_t *err)
{
  berth_error_t local = {0};
  machines_t both = {from, to};
  if (!err) err = &local;
  *out = (berth_mapping_t){.ranks = m->ranks,
                           .cost_s = -1,
                           .unfinished = m->unfinished,
                           .scope = {NULL, m->scope.reserve, m->scope.ranks_per_pu}};
  return translate(&both, m, out, err);
}
