/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of measurements: any bytes load, and are of the job's ranks then, or fail with one
 * line. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tune/tuning_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
  berth_error_t err = {0};
  berth_tuning_t t;
  int rc = tuning_parse((const char *)data, n, "f", 0, &t, &err);
  if (rc && (rc != BERTH_BAD_INPUT || !*err.text || strchr(err.text, '\n'))) abort();
  for (size_t i = 0; !rc && i < t.n; i++) {
    const berth_tuned_cell_t *c = &t.cell[i];
    if (c->ranks < 1 || c->ranks > t.ranks || c->n_choices > BERTH_MAX_CHOICES) abort();
    for (int k = 0; c->members && k < c->ranks; k++)
      if (c->members[k] < 0 || c->members[k] >= t.ranks) abort();
  }
  berth_tuning_clear(&t);
  return 0;
}
