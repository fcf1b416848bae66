/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps the source of messages that depend on hosts. */
#include "pattern/by_hosts.h"

#include "pattern/pattern_internal.h"

int pattern_set_by_hosts(berth_pattern_t *p, by_hosts_t from, berth_error_t *err)
{
  if (p->n_by_hosts == BY_HOSTS_SOURCES) {
    from.free(from.source);
    return berth_fail(err, BERTH_USAGE,
                      "found calls by hosts twice in a pattern, expected that they are added once");
  }
  p->by_hosts[p->n_by_hosts++] = from;
  return BERTH_OK;
}

bool pattern_is_by_hosts(const berth_pattern_t *p)
{
  for (size_t k = 0; p->n_by_hosts && k < p->phases.n; k++)
    if (p->phases.items[k].by_hosts) return true;
  return false;
}

/* Adds the phases that stand for calls, so that their rounds occur as often. */
static int add_own_phases(const berth_pattern_t *p, berth_pattern_t *to, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t k = 0; k < p->phases.n && !rc; k++) {
    const berth_phase_t *phase = &p->phases.items[k];
    const berth_phase_t own = {.id = phase->id, .name = "", .repeats = phase->repeats};
    if (phase->by_hosts) rc = berth_pattern_add_phase(to, &own, err);
  }
  return rc ? rc : berth_pattern_finish(to, err);
}

berth_pattern_t *pattern_by_hosts(const berth_pattern_t *p, const int *host_of_rank,
                                  berth_error_t *err)
{
  berth_pattern_t *to = berth_pattern_new(p->ranks, err);
  int rc = to ? add_own_phases(p, to, err) : BERTH_MISSING;
  for (int i = 0; i < p->n_by_hosts && !rc; i++) {
    rc = p->by_hosts[i].add(p->by_hosts[i].source, p, host_of_rank, to, err);
    if (!rc) rc = berth_pattern_finish(to, err);
  }
  if (!rc) return to;
  berth_pattern_free(to);
  return NULL;
}
