/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps the source of messages that depend on hosts. */
#include "pattern/by_hosts.h"

#include "pattern/pattern_internal.h"

int pattern_set_by_hosts(berth_pattern_t *p, by_hosts_t from, berth_error_t *err)
{
  if (p->by_hosts.source) {
    from.free(from.source);
    return berth_fail(err, BERTH_USAGE,
                      "found calls by hosts twice in a pattern, expected that they are added once");
  }
  p->by_hosts = from;
  return BERTH_OK;
}

bool pattern_is_by_hosts(const berth_pattern_t *p)
{
  for (size_t k = 0; p->by_hosts.source && k < p->phases.n; k++)
    if (p->phases.items[k].by_hosts) return true;
  return false;
}

berth_pattern_t *pattern_by_hosts(const berth_pattern_t *p, const int *host_of_rank,
                                  berth_error_t *err)
{
  return p->by_hosts.messages(p->by_hosts.source, p, host_of_rank, err);
}
