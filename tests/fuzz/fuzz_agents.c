/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of agents' parameters: any bytes load, and give times then, or fail with one line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agents/agents_internal.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
  berth_error_t err = {0};
  berth_agents_t *a = agents_parse((const char *)data, n, "f", &err);
  if (!a && (err.code != BERTH_BAD_INPUT || !*err.text || strchr(err.text, '\n'))) abort();
  for (size_t i = 0; a && i < a->host.n_compute; i++) {
    const berth_compute_t *c = &a->host.compute[i];
    berth_reduction_t r = {a, c->operation, c->type, 100, 7};
    double seconds;
    if (berth_reduction_check(&r, NULL)) continue;
    berth_reduction_best(&r, BERTH_REDUCE_HOST, -1, &seconds);
    if (!(seconds >= 0) || !isfinite(seconds)) abort();
  }
  berth_agents_free(a);
  return 0;
}
