/* SPDX-License-Identifier: BSD-3-Clause */
#include <berth/tuning.h>
#include <stdlib.h>

void berth_tuning_clear(berth_tuning_t *t)
{
  for (size_t i = 0; i < t->n; i++) {
    free(t->cell[i].members);
    free(t->cell[i].choice);
  }
  free(t->cell);
  free(t->epochs);
  *t = (berth_tuning_t){0};
}
