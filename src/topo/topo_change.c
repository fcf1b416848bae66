/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes variants of a topology: what if the racks had twice as many uplinks? */
#include "topo/topo_change.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/field.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "topo/sketch/sketch_internal.h"
#include "topo/topo_copy.h"
#include "topo/topo_internal.h"
#include "topo/topo_levels.h"
#include "topo/topo_rate.h"

typedef struct changer {
  const berth_topo_t *from;
  berth_topo_t *to;
  berth_type_t *types; /* those of `from`, changed; their curves are numbers of `to` */
  change_t change;     /* the one that is made */
  bool *is_meant;      /* by type: whether the change is for it */
  berth_error_t *err;
} changer_t;

static int fail(const char *text, berth_error_t *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int fail(const char *text, berth_error_t *err, const char *format, ...)
{
  FIELD_ARGUMENTS(what, 400, format);
  return berth_fail(err, BERTH_BAD_INPUT, "%.100s: %s", text, what);
}

/* --- reading --- */

static int read_value(change_t *c, const char *value, berth_error_t *err)
{
  if (c->scales && !topo_rate_factor(value, &c->factor))
    return fail(c->text, err, "found \"%.40s\", expected a decimal number above 0, up to 1000000",
                value);
  bool latency = c->field == CHANGE_LATENCY && !c->scales;
  if (latency && !topo_rate_time(value, &c->stated.latency_s))
    return fail(c->text, err, "found \"%.40s\", expected a latency, such as 1.5us", value);
  if (c->scales || latency) return BERTH_OK;
  const char *at, *expected = topo_rate_link(value, &c->stated, &at);
  bool extra = c->stated.ratio > 0 || (c->stated.latency_s >= 0 && c->field != CHANGE_RATE);
  if (!expected && !extra) return BERTH_OK;
  return fail(c->text, err, "found \"%.40s\", expected a rate, such as 100Gbit/s or 2x12.5GB/s",
              expected ? at : value);
}

int change_read(const char *text, change_t *c, berth_error_t *err)
{
  static const char *const fields[] = {[CHANGE_UP] = "up",
                                       [CHANGE_RATE] = "rate",
                                       [CHANGE_LATENCY] = "latency",
                                       [CHANGE_ALL] = "all"};
  const char *equals = strchr(text, '=');
  *c = (change_t){.text = text, .scales = equals && equals > text && equals[-1] == '*'};
  size_t n = equals ? (size_t)(equals - text) - c->scales : 0, dot = n;
  while (dot > 0 && text[dot - 1] != '.') dot--;
  if (dot < 2)
    return fail(text, err,
                "expected TYPE.FIELD=VALUE or TYPE.FIELD*=FACTOR, such as host.rate=200Gbit/s");
  c->type = text;
  c->type_length = dot - 1;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (strlen(fields[i]) == n - dot && strncmp(fields[i], text + dot, n - dot) == 0) {
      c->field = (change_field_t)i;
      return read_value(c, equals + 1, err);
    }
  return fail(text, err, "found \"%.*s\", expected up, rate, latency or all behind the type",
              (int)(n - dot), text + dot);
}

/* --- curves --- */

static double latency_of(const changer_t *c, int number)
{
  const berth_curve_t *curve = &c->to->curves[number];
  return curve->size[0] / curve->bandwidth[0];
}

/* The number of a curve of the new topology that is curve `number` of it, changed for a reason:
 * messages take `latency_s` and the part beyond the old latency, divided by `factor`, and no pair
 * gets more than `most`. */
static int reshape(changer_t *c, int number, double latency_s, double factor, double most,
                   const char *why)
{
  const berth_curve_t *old = &c->to->curves[number];
  double first = latency_of(c, number);
  char *name = text_printf("%.150s (%.80s)", old->name, why);
  char *source = text_printf("%.300s; %.80s", old->source, why);
  double *bandwidth = malloc(old->n * sizeof *bandwidth);
  int found = -1;
  if (name && source && bandwidth) {
    berth_curve_t curve = *old;
    for (size_t i = 0; i < old->n; i++) {
      double time_s = latency_s + (old->size[i] / old->bandwidth[i] - first) / factor;
      time_s = fmax(time_s, old->size[i] / most);
      bandwidth[i] = fmin(old->size[i] / time_s, most);
    }
    curve.name = name;
    curve.source = berth_curve_is_default(old) ? BERTH_STATED_SOURCE : source;
    curve.bandwidth = bandwidth;
    found = name_table_find(&c->to->curve_of_name, name);
    if (found < 0) found = berth_topo_add_curve(c->to, &curve, c->err);
  } else {
    no_memory(c->err);
  }
  free(name);
  free(source);
  free(bandwidth);
  return found;
}

/* --- ports --- */

static void set_capacity(berth_port_dir_t *d, double capacity)
{
  d->capacity = capacity;
  d->spread = 0;
  d->samples = 0;
  d->origin = (berth_origin_t){"", "", ""};
}

static int change_direction(changer_t *c, berth_port_dir_t *d)
{
  const change_t *ch = &c->change;
  bool up = ch->field == CHANGE_UP;
  if (up && !ch->scales) set_capacity(d, ch->stated.cables * ch->stated.rate);
  if (ch->scales && ch->field != CHANGE_LATENCY) d->capacity *= ch->factor;
  if (d->capacity > TOPO_MAX_AMOUNT)
    return fail(ch->text, c->err, "found %g B/s, expected at most %g", d->capacity,
                TOPO_MAX_AMOUNT);
  if (!up && d->curve >= 0) {
    double latency = latency_of(c, d->curve), factor = 1;
    if (ch->field == CHANGE_LATENCY)
      latency = ch->scales ? latency * ch->factor : ch->stated.latency_s;
    if (ch->field == CHANGE_RATE) factor = ch->factor;
    d->curve = reshape(c, d->curve, latency, factor, TOPO_MAX_AMOUNT, ch->text);
    if (d->curve < 0) return c->err->code;
  }
  return BERTH_OK;
}

static int change_port(changer_t *c, berth_port_t *p)
{
  bool same = p->out.curve == p->in.curve && p->out.capacity == p->in.capacity;
  int rc = change_direction(c, &p->out);
  if (rc) return rc;
  if (same) {
    p->in = p->out;
    return BERTH_OK;
  }
  return change_direction(c, &p->in);
}

/* Whether the change would leave a port as it is. */
static bool misses(const changer_t *c, const berth_port_t *p)
{
  if (c->change.field == CHANGE_UP && !c->change.scales) return false;
  if (c->change.field == CHANGE_UP) return p->out.capacity <= 0 && p->in.capacity <= 0;
  return p->out.curve < 0 && p->in.curve < 0;
}

/* Whether all children of a type's elements are meant, or none. */
static int check_children(const changer_t *c, int type, bool *meant)
{
  const berth_topo_t *t = c->from;
  int other = -1, own = -1;
  for (size_t i = 0; i < t->n_elements; i++) {
    const berth_element_t *e = &t->elements[i];
    if (e->parent < 0 || t->elements[e->parent].type != type) continue;
    if (e->type >= 0 && c->is_meant[e->type])
      own = e->type;
    else
      other = e->type;
    if (own >= 0 && other >= 0)
      return fail(c->change.text, c->err,
                  "found %.60s and %.60s below the same ports of %.60s, expected one type there",
                  t->types[own].name, t->types[other].name, t->types[type].name);
  }
  *meant = own >= 0;
  return BERTH_OK;
}

/* Whether an element of a type that is meant has a parent. */
static int check_has_link(const changer_t *c)
{
  for (size_t i = 1; i < c->from->n_elements; i++) {
    int type = c->from->elements[i].type;
    if (type >= 0 && c->is_meant[type]) return BERTH_OK;
  }
  return fail(c->change.text, c->err, "found the root, which has no link above it");
}

/* Both ends of a link are changed: the `up` port of what is meant, and the `down` port of its
 * parent. */
static int change_link(changer_t *c)
{
  bool any = false, whole = c->change.field == CHANGE_RATE && !c->change.scales;
  int rc = check_has_link(c);
  for (size_t k = 0; k < c->from->n_types && !rc; k++) {
    berth_type_t *type = &c->types[k];
    bool free_of_cost = type->down.out.curve < 0 && type->down.in.curve < 0 &&
                        type->down.out.capacity <= 0 && type->down.in.capacity <= 0;
    bool above = false;
    if (!free_of_cost) rc = check_children(c, (int)k, &above);
    if (above && !rc) {
      any |= !misses(c, &type->down);
      if (whole)
        type->down = (berth_port_t){.out = {.curve = -1}, .in = {.curve = -1}};
      else
        rc = change_port(c, &type->down);
    }
  }
  for (size_t k = 0; k < c->from->n_types && !rc; k++) {
    if (!c->is_meant[k]) continue;
    any |= whole || !misses(c, &c->types[k].up);
    topo_figure_t figure;
    topo_rate_figure(&c->change.stated, &figure);
    rc = !whole ? change_port(c, &c->types[k].up)
         : topo_link_port(c->to, &figure, &c->types[k].up, c->err) < 0 ? c->err->code
                                                                       : BERTH_OK;
  }
  if (!rc && !any)
    rc = fail(c->change.text, c->err, "found a link without %s, expected TYPE.rate=RATE",
              c->change.field == CHANGE_UP ? "a limit" : "a curve");
  return rc;
}

static int change_all(changer_t *c)
{
  bool any = false;
  const change_t *ch = &c->change;
  for (size_t k = 0; k < c->from->n_types; k++) {
    berth_type_t *type = &c->types[k];
    if (!c->is_meant[k] || (ch->scales && type->capacity <= 0)) continue;
    any = true;
    double value = ch->scales ? type->capacity * ch->factor : ch->stated.cables * ch->stated.rate;
    type->capacity = fmin(value, TOPO_MAX_AMOUNT);
    if (ch->scales) continue;
    type->spread = 0;
    type->samples = 0;
    type->origin = (berth_origin_t){"", "", ""};
  }
  return any ? BERTH_OK
             : fail(ch->text, c->err, "found no limit across the switch, expected TYPE.all=RATE");
}

/* --- the new topology --- */

/* Whether a type's name is the one meant, or that with a number: "host" and "host-2". */
static bool is_named(const char *type, size_t length, const char *name)
{
  if (strncmp(name, type, length) != 0) return false;
  return !name[length] || topo_type_length(name) == length;
}

/* Marks the types of that name; false: there are none. */
static bool mark_meant(changer_t *c, const char *type, size_t length)
{
  bool any = false;
  for (size_t k = 0; k < c->from->n_types; k++)
    any |= c->is_meant[k] = is_named(type, length, c->from->types[k].name);
  return any;
}

/* Types have the names of topologies, or those by which machines are made: "socket". */
static int find_meant(changer_t *c)
{
  char names[200] = "", *written = strndup(c->change.type, c->change.type_length);
  size_t used = 0;
  if (!written) return no_memory(c->err);
  const char *type = sketch_type_name(written);
  bool any = mark_meant(c, written, c->change.type_length) || mark_meant(c, type, strlen(type));
  free(written);
  if (any) return BERTH_OK;
  for (size_t k = 0; k < c->from->n_types; k++) {
    if (used < sizeof names)
      used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                               text_or(k, c->from->n_types), c->from->types[k].name);
  }
  return fail(c->change.text, c->err, "found no type \"%.*s\", expected %s",
              (int)c->change.type_length, c->change.type, names);
}

static int make_change(changer_t *c, const char *text)
{
  int rc = change_read(text, &c->change, c->err);
  if (!rc) rc = find_meant(c);
  if (rc) return rc;
  return c->change.field == CHANGE_ALL ? change_all(c) : change_link(c);
}

/* Makes a curve fit below the capacity, as topologies require. */
static int fit_curve(changer_t *c, berth_port_dir_t *d)
{
  char why[48], most[TEXT_NUMBER];
  if (d->curve < 0 || d->capacity <= 0) return BERTH_OK;
  if (topo_largest_bandwidth(c->to, d->curve) <= d->capacity) return BERTH_OK;
  snprintf(why, sizeof why, "at most %s", text_bandwidth(d->capacity, most));
  d->curve = reshape(c, d->curve, latency_of(c, d->curve), 1, d->capacity, why);
  return d->curve < 0 ? c->err->code : BERTH_OK;
}

static int fit_curves(changer_t *c)
{
  int rc = BERTH_OK;
  for (size_t k = 0; k < c->from->n_types && !rc; k++) {
    berth_type_t *type = &c->types[k];
    berth_port_dir_t *ends[] = {&type->up.out, &type->up.in, &type->down.out, &type->down.in};
    for (size_t i = 0; i < 4 && !rc; i++) rc = fit_curve(c, ends[i]);
  }
  return rc;
}

static int add_types(const changer_t *c)
{
  for (size_t k = 0; k < c->from->n_types; k++)
    if (berth_topo_add_type(c->to, &c->types[k], c->err) < 0) return c->err->code;
  return BERTH_OK;
}

static int copy(changer_t *c, size_t n, const char *const *changes)
{
  const berth_topo_t *t = c->from;
  for (size_t i = 0; i < t->n_curves; i++)
    if (berth_topo_add_curve(c->to, &t->curves[i], c->err) < 0) return c->err->code;
  memcpy(c->types, t->types, t->n_types * sizeof *c->types);
  int rc = BERTH_OK;
  for (size_t i = 0; i < n && !rc; i++) rc = make_change(c, changes[i]);
  if (!rc) rc = fit_curves(c);
  if (!rc) rc = add_types(c);
  if (t->distances) berth_topo_set_distances(c->to);
  return rc ? rc : topo_copy_tree(c->to, t, NULL, c->err);
}

/* "cluster with rack.up*=2 and host.rate=HDR", at most as long as a name may be. */
static berth_topo_t *new_named(const berth_topo_t *t, size_t n, const char *const *changes,
                               berth_error_t *err)
{
  char name[BERTH_MAX_NAME + 1];
  size_t used = (size_t)snprintf(name, sizeof name, "%s", t->name);
  for (size_t i = 0; i < n && used + strlen(changes[i]) + 7 < sizeof name; i++)
    used += (size_t)snprintf(name + used, sizeof name - used, "%s%s", i ? " and " : " with ",
                             changes[i]);
  return berth_topo_new(name, err);
}

berth_topo_t *berth_topo_changed(const berth_topo_t *t, size_t n, const char *const *changes,
                                 berth_error_t *err)
{
  berth_error_t own;
  changer_t c = {.from = t,
                 .to = new_named(t, n, changes, err),
                 .types = malloc((t->n_types + 1) * sizeof *c.types),
                 .is_meant = calloc(t->n_types + 1, sizeof *c.is_meant),
                 .err = err ? err : &own};
  int rc = !c.to ? BERTH_MISSING : c.types && c.is_meant ? copy(&c, n, changes) : no_memory(err);
  free(c.types);
  free(c.is_meant);
  if (!rc) return c.to;
  berth_topo_free(c.to);
  return NULL;
}
