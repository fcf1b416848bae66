/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes of a topology as text: "rack.up*=2". */
#ifndef BERTH_TOPO_CHANGE_H
#define BERTH_TOPO_CHANGE_H

#include <berth/topo.h>
#include <stdbool.h>

#include "topo/topo_rate.h"

typedef enum change_field { CHANGE_UP, CHANGE_RATE, CHANGE_LATENCY, CHANGE_ALL } change_field_t;

typedef struct change {
  const char *text; /* as written; borrowed */
  const char *type; /* of type_length bytes, in text */
  size_t type_length;
  change_field_t field;
  bool scales;   /* by `factor`; else the new value is `stated` */
  double factor; /* above 0 */
  topo_stated_t stated;
} change_t;

/* What a change sets: a factor, seconds, or bytes per second. */
static inline double change_value(const change_t *c)
{
  if (c->scales) return c->factor;
  return c->field == CHANGE_LATENCY ? c->stated.latency_s : c->stated.cables * c->stated.rate;
}

/* Reads a change. BERTH_BAD_INPUT if it isn't one. */
int change_read(const char *text, change_t *change, berth_error_t *err);

#endif
