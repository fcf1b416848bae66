/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan of a node's measurement. */
#include "calib/node/calib_node.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "calib/node/node_session.h"
#include "calib/node/node_uses.h"

static int add(calib_node_t *c, node_step_t s, berth_error_t *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static int add(calib_node_t *c, node_step_t s, berth_error_t *err, const char *format, ...)
{
  char text[200];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  s.lap = c->lap;
  s.text = arena_strdup(&c->arena, text);
  return s.text && ARRAY_ADD(&c->steps, &c->n_steps, &c->cap_steps, s) ? BERTH_OK : no_memory(err);
}

static int plan_copies(calib_node_t *c, berth_error_t *err)
{
  static const char *const states[] = {"hot", "cold"};
  int rc = BERTH_OK;
  for (int numa = 0; numa < c->machine.n_numas; numa++)
    for (int i = 0; i < 2 && !rc; i++)
      rc = add(c, (node_step_t){.run = node_copies, .state = states[i], .memory_numa = numa}, err,
               "copies, %s buffers, from NUMA node %d to 0", states[i], numa);
  return rc;
}

/* The cores of all NUMA nodes together, and of each. In both orders where they differ. */
static int plan_together(calib_node_t *c, const char *use, int numa, berth_error_t *err)
{
  const node_machine_t *m = &c->machine;
  bool differ = false;
  for (int i = 0; i < m->n_cores; i++) differ |= m->spread[i] != i;
  node_step_t s = {
      .run = node_together, .name = use, .state = "close", .core_numa = numa, .memory_numa = numa};
  char where[40] = "all NUMA nodes";
  if (numa >= 0) snprintf(where, sizeof where, "NUMA node %d", numa);
  int rc = add(c, s, err, "%s, cores of %s, close ones first", use, where);
  s.state = "spread";
  if (!rc && differ) rc = add(c, s, err, "%s, cores of %s, distant ones first", use, where);
  return rc;
}

static int plan_contention(calib_node_t *c, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (int i = 0; i < NODE_USES && !rc; i++) {
    rc = plan_together(c, node_uses[i].name, -1, err);
    for (int numa = 0; numa < c->machine.n_numas && c->machine.n_numas > 1 && !rc; numa++)
      rc = plan_together(c, node_uses[i].name, numa, err);
  }
  node_step_t s = {.core_numa = -1, .memory_numa = -1};
  for (int i = 0; i < NODE_USES && !rc; i++) {
    s.name = node_uses[i].name;
    s.state = "";
    s.run = node_alone;
    rc = add(c, s, err, "%s, each core alone", s.name);
    s.state = "close";
    s.run = node_beside;
    if (!rc && c->machine.n_cores > 1) rc = add(c, s, err, "%s, while another core sends", s.name);
  }
  return rc;
}

static int plan_work(calib_node_t *c, berth_error_t *err)
{
  static const char *const states[] = {"equal", "unequal"};
  node_step_t s = {.run = node_granules, .core_numa = -1, .memory_numa = -1};
  int rc = BERTH_OK;
  for (int i = 0; i < 2 && !rc; i++) {
    s.state = states[i];
    rc = add(c, s, err, "granules of %s work", states[i]);
  }
  return rc;
}

/* The last core is left idle, if there is another one. */
static int plan_noise(calib_node_t *c, berth_error_t *err)
{
  node_step_t s = {.run = node_timers, .state = "", .core_numa = -1, .memory_numa = -1};
  int rc = add(c, s, err, "the clock, and sleeping"), last = c->machine.n_cores - 1;
  s = (node_step_t){.run = node_noise, .idle = -1};
  if (!rc) rc = add(c, s, err, "noise of all cores");
  s.idle = c->machine.core[last].pu;
  if (!rc && last > 0) rc = add(c, s, err, "noise, with PU %d left idle", s.idle);
  return rc;
}

static int plan(calib_node_t *c, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (c->lap = 0; c->lap < c->laps && !rc; c->lap++) {
    rc = plan_copies(c, err);
    if (!rc) rc = plan_contention(c, err);
    if (!rc) rc = plan_work(c, err);
    if (!rc && c->lap == 0) rc = plan_noise(c, err);
  }
  return rc;
}

/* An unfinished plan of other length is another version's or another machine's. */
static bool fits(const calib_node_t *c, const berth_node_t *before)
{
  return before && (berth_node_is_complete(before) || berth_node_steps(before) < (int)c->n_steps);
}

calib_node_t *calib_node_new(const char *date, int samples, const berth_node_t *before,
                             berth_error_t *err)
{
  calib_node_t *c = calloc(1, sizeof *c);
  if (!c) return no_memory_null(err);
  c->laps = samples < NODE_LAPS ? samples : NODE_LAPS;
  c->rounds = samples / c->laps;
  int rc = node_machine_find(&c->machine, err);
  if (!rc && !(c->team = node_team_new(&c->machine, err))) rc = BERTH_MISSING;
  if (!rc) rc = plan(c, err);
  if (!rc)
    c->record = fits(c, before) ? berth_node_copy(before, err)
                                : berth_node_new(date, c->machine.processor, err);
  if (!rc && c->record) return c;
  calib_node_free(c);
  return NULL;
}

void calib_node_free(calib_node_t *c)
{
  if (!c) return;
  node_areas_free(c);
  node_team_free(c->team);
  node_machine_clear(&c->machine);
  berth_node_free(c->record);
  arena_free(&c->arena);
  free(c->steps);
  free(c);
}

size_t calib_node_steps(const calib_node_t *c) { return c->n_steps; }
size_t calib_node_done(const calib_node_t *c)
{
  return berth_node_is_complete(c->record) ? c->n_steps : (size_t)berth_node_steps(c->record);
}
berth_node_t *calib_node_add_to(calib_node_t *c) { return c->record; }
const char *calib_node_next(const calib_node_t *c) { return c->steps[calib_node_done(c)].text; }
const berth_node_t *calib_node_record(const calib_node_t *c) { return c->record; }
const node_machine_t *calib_node_machine(const calib_node_t *c) { return &c->machine; }

int calib_node_do(calib_node_t *c, bool (*goes_on)(void), berth_error_t *err)
{
  size_t done = calib_node_done(c);
  const node_step_t *s = &c->steps[done];
  c->goes_on = goes_on;
  c->lap = s->lap;
  int rc = s->run(c, s, err);
  if (!rc) berth_node_set_progress(c->record, (int)done + 1, done + 1 == c->n_steps);
  return rc;
}

int node_stopped(const calib_node_t *c, berth_error_t *err)
{
  return c->goes_on() ? BERTH_OK : berth_fail(err, BERTH_MISSING, "interrupted");
}

size_t node_area_bytes(const calib_node_t *c, int areas)
{
  enum { LEAST = 32 << 20 };
  size_t n = (size_t)areas, bytes = 2 * c->machine.cache / n;
  if (bytes < LEAST) bytes = LEAST;
  size_t most = c->machine.memory / 8 / n; /* there are two of each */
  if (bytes > most) bytes = most;
  if (bytes < 4 * NODE_PIECE) bytes = 4 * NODE_PIECE;
  return bytes / NODE_PIECE * NODE_PIECE;
}
