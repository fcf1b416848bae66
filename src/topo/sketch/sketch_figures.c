/* SPDX-License-Identifier: BSD-3-Clause */
/* What the links of a sketch carry. */
#include <math.h>
#include <string.h>

#include "topo/sketch/sketch_internal.h"
#include "topo/topo_internal.h"

int sketch_figure(const sketch_setting_t *set, const topo_figure_t *below, topo_figure_t *link,
                  berth_error_t *err)
{
  const topo_stated_t *l = &set->link;
  topo_rate_figure(l, link);
  if (l->ratio == 0) return BERTH_OK;
  if (!(below->capacity > 0))
    return sketch_fail(set->word, err, "found a ratio, expected a rate: no rate below is known");
  link->capacity = fmin(fmax(below->capacity / l->ratio, 1), TOPO_MAX_AMOUNT);
  link->rate = fmin(below->rate, link->capacity);
  if (l->latency_s < 0) link->latency_s = below->latency_s;
  return BERTH_OK;
}

/* A link within a host: the rate bounds all messages together, and the default goes on to hold for
 * one pair, which doesn't get what a data sheet says. */
static int bound(const sketch_setting_t *set, topo_figure_t *f, double *capacity,
                 berth_error_t *err)
{
  *capacity = 0;
  const topo_stated_t *l = &set->link;
  if (l->ratio > 0) return sketch_fail(set->word, err, "found a ratio, expected a rate");
  *capacity = l->cables * l->rate;
  f->capacity = fmin(f->capacity, *capacity);
  f->stated = l->latency_s >= 0 || l->rate < f->rate;
  f->rate = fmin(f->rate, l->rate);
  if (l->latency_s >= 0) f->latency_s = l->latency_s;
  return BERTH_OK;
}

/* Settings of links within a host. Their curves have the same names. */
static const char *const keys[N_LINKS] = {[LINK_INTERCONNECT] = "interconnect",
                                          [LINK_MEMORY] = "memory",
                                          [LINK_L3] = "l3",
                                          [LINK_L2] = "l2",
                                          [LINK_CORE] = "core"};

bool sketch_is_host_link(const char *key)
{
  for (int k = 0; k < N_LINKS; k++)
    if (keys[k] && strcmp(key, keys[k]) == 0) return true;
  return false;
}

void sketch_host_uses(const berth_sketch_t *s, int level, const berth_topo_t *host)
{
  for (int k = 0; k < N_LINKS; k++)
    if (keys[k] && name_table_find(&host->curve_of_name, keys[k]) >= 0) {
      sketch_setting_t *set = sketch_look(s, &s->levels[level], keys[k]);
      if (set) set->used = true;
    }
}

int sketch_host_figures(const berth_sketch_t *s, int level, topo_figures_t *figures,
                        berth_error_t *err)
{
  *figures = topo_default_figures;
  for (int k = 0; k < N_LINKS; k++) {
    topo_figure_t *f = &figures->link[k];
    const sketch_setting_t *set = keys[k] ? sketch_look(s, &s->levels[level], keys[k]) : NULL;
    double capacity;
    if (!set) continue;
    int rc = bound(set, f, &capacity, err);
    if (rc) return rc;
    if (k == LINK_MEMORY)
      figures->memory_capacity = capacity;
    else
      f->capacity = capacity;
  }
  return BERTH_OK;
}
