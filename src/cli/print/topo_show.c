/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth topo show`: tree, ports and curves as text or as a JSON summary. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "base/text.h"
#include "cli/print/node_view.h"
#include "cli/print/screen.h"
#include "cli/print/topo_view.h"
#include "node/node_json.h"

static int depth_of(const berth_topo_t *t)
{
  int depth = 0;
  for (int i = 0; i < berth_topo_n_pus(t); i++) {
    int here = berth_topo_element(t, berth_topo_pu(t, i)->element)->depth;
    if (here > depth) depth = here;
  }
  return depth;
}

/* How many curves have that source. */
static int count_source(const berth_topo_t *t, const char *source)
{
  int n = 0;
  for (int i = 0; i < berth_topo_n_curves(t); i++)
    n += strcmp(berth_topo_curve(t, i)->source, source) == 0;
  return n;
}

static int count_unmeasured(const berth_topo_t *t)
{
  return count_source(t, BERTH_DEFAULT_SOURCE) + count_source(t, BERTH_STATED_SOURCE);
}

/* " (2 stated, 2 default, not measured)". */
static void print_unmeasured(FILE *to, const berth_topo_t *t)
{
  int stated = count_source(t, BERTH_STATED_SOURCE);
  int defaults = count_source(t, BERTH_DEFAULT_SOURCE);
  if (stated + defaults == 0) return;
  fputs(" (", to);
  if (stated > 0) fprintf(to, "%d stated, ", stated);
  if (defaults > 0) fprintf(to, "%d default, ", defaults);
  fputs("not measured)", to);
}

static void print_count(FILE *to, int n, const char *one, const char *many)
{
  fprintf(to, "%d %s", n, n == 1 ? one : many);
}

void topo_print_summary(FILE *to, const berth_topo_t *t)
{
  print_count(to, berth_topo_n_hosts(t), "host, ", "hosts, ");
  print_count(to, berth_topo_n_pus(t), "PU, ", "PUs, ");
  fprintf(to, "depth %d, ", depth_of(t));
  print_count(to, berth_topo_n_curves(t), "curve", "curves");
  print_unmeasured(to, t);
  fputc('\n', to);
}

enum { RANGE = 2 * TEXT_NUMBER + 8 };

/* "20.00 kB/s to 11.70 MB/s". */
static const char *range_text(const berth_curve_t *c, char buf[RANGE])
{
  char low[TEXT_NUMBER], high[TEXT_NUMBER];
  double min = c->bandwidth[0], max = min;
  for (size_t i = 1; i < c->n; i++) {
    min = fmin(min, c->bandwidth[i]);
    max = fmax(max, c->bandwidth[i]);
  }
  snprintf(buf, RANGE, "%s to %s", text_bandwidth(min, low), text_bandwidth(max, high));
  return buf;
}

/* Whether the table of ports has room. Narrower terminals get a line for each of its columns. */
static bool has_table(void)
{
  enum { TABLE = 72 };
  return screen_columns() == 0 || screen_columns() >= TABLE;
}

/* A row of the table, as lines. */
static void print_direction_narrowly(const berth_topo_t *t, const char *port, const char *direction,
                                     const berth_port_dir_t *d)
{
  char capacity[TEXT_NUMBER], range[RANGE];
  const berth_curve_t *c = d->curve < 0 ? NULL : berth_topo_curve(t, d->curve);
  printf("    %s %s:", port, direction);
  if (c) printf(" %s", c->name);
  topo_print_samples(d->spread, d->samples);
  if (!c && d->capacity <= 0) fputs(" costs nothing", stdout);
  putchar('\n');
  if (!c && d->capacity <= 0) return;
  printf("      pair %s\n", c ? range_text(c, range) : "as much as all");
  printf("      all  %s\n", d->capacity > 0 ? text_bandwidth(d->capacity, capacity) : "no limit");
}

/* A row of the table: what one pair of ranks gets, what all get together, and the curve. */
static void print_direction(const berth_topo_t *t, const char *port, const char *direction,
                            const berth_port_dir_t *d)
{
  char capacity[TEXT_NUMBER], range[RANGE];
  if (!has_table()) {
    print_direction_narrowly(t, port, direction, d);
    return;
  }
  printf("    %-4s %-8s ", port, direction);
  if (d->curve < 0 && d->capacity <= 0) {
    puts("costs nothing");
    return;
  }
  const berth_curve_t *c = d->curve < 0 ? NULL : berth_topo_curve(t, d->curve);
  printf("%-25s %11s", c ? range_text(c, range) : "as much as all",
         d->capacity > 0 ? text_bandwidth(d->capacity, capacity) : "no limit");
  if (c) printf("  %s", c->name);
  topo_print_samples(d->spread, d->samples);
  putchar('\n');
}

static bool is_alike(const berth_port_dir_t *a, const berth_port_dir_t *b)
{
  return a->curve == b->curve && a->capacity == b->capacity && a->spread == b->spread &&
         a->samples == b->samples;
}

static void print_port(const berth_topo_t *t, const char *name, const berth_port_t *p)
{
  char reverse[TEXT_NUMBER];
  bool alike = is_alike(&p->out, &p->in);
  print_direction(t, name, alike ? "out, in" : "out", &p->out);
  if (!alike) print_direction(t, name, "in", &p->in);
  if (p->reverse > 0)
    printf("    %-4s reverse  %s%% of the traffic in one direction is added to the other\n", name,
           text_number(100 * p->reverse, 2, reverse));
}

/* "    cores        compute 1.6 times as long with 2 busy PUs, 2.3 with 3". */
static void print_slowdown(const berth_type_t *type)
{
  char times[TEXT_NUMBER];
  if (type->n_slowdowns == 0) return;
  printf("    cores        compute %s times as long with 2 busy PUs",
         text_number(type->slowdown[0], 6, times));
  for (size_t i = 1; i < type->n_slowdowns; i++)
    printf(", %s with %zu", text_number(type->slowdown[i], 6, times), i + 2);
  putchar('\n');
}

static void print_type(const berth_topo_t *t, const berth_type_t *type)
{
  char capacity[TEXT_NUMBER];
  printf("  %s\n", type->name);
  print_port(t, "up", &type->up);
  print_port(t, "down", &type->down);
  print_slowdown(type);
  if (type->capacity <= 0) return;
  if (has_table())
    printf("    %-13s %-25s %11s", "all", "across the switch",
           text_bandwidth(type->capacity, capacity));
  else
    printf("    across the switch:\n      all  %s", text_bandwidth(type->capacity, capacity));
  topo_print_samples(type->spread, type->samples);
  putchar('\n');
}

bool topo_has_model_errors(const berth_topo_t *t)
{
  for (int i = 0; i < berth_topo_n_model_errors(t); i++)
    if (berth_topo_model_error(t, berth_topo_model_error_name(t, i)) > 0) return true;
  return false;
}

void topo_print_model_errors(FILE *to, const berth_topo_t *t)
{
  char percent[TEXT_NUMBER];
  const char *between = "";
  for (int i = 0; i < berth_topo_n_model_errors(t); i++) {
    const char *model = berth_topo_model_error_name(t, i);
    double error = berth_topo_model_error(t, model);
    if (error <= 0) continue;
    fprintf(to, "%s+-%s%% (%s)", between, text_number(100 * error, 2, percent), model);
    between = ", ";
  }
}

void topo_show_model_errors(json_out_t *j, const char *key, const berth_topo_t *t)
{
  json_open(j, key, '{', JSON_ONE_LINE);
  for (int i = 0; i < berth_topo_n_model_errors(t); i++) {
    const char *model = berth_topo_model_error_name(t, i);
    double error = berth_topo_model_error(t, model);
    if (error > 0) json_put_number(j, model, error);
  }
  json_close(j);
}

bool topo_show_nodes(const berth_topo_t *t, const char *before)
{
  bool any = false;
  for (int i = 0; i < berth_topo_n_types(t); i++) {
    const berth_node_t *node = berth_topo_type(t, i)->node;
    if (!node) continue;
    printf("%sHosts of type %s. ", any ? "\n" : before, berth_topo_type(t, i)->name);
    any = true;
    node_view_text(stdout, node);
    node_view_charts(node);
  }
  return any;
}

void topo_show_text(const berth_topo_t *t)
{
  const char *name = berth_topo_name(t);
  printf("%s%s", name, *name ? ": " : "");
  topo_print_summary(stdout, t);
  putchar('\n');
  topo_show_tree(t);
  topo_print_shared(stdout, "  ", "\nShared links (all below : own)\n", t);
  puts("\nPorts by type (out: uplink, towards the root; in: downlink)");
  puts(has_table() ? "                  one pair of ranks         all ranks    curve"
                   : "  pair: one pair of ranks; all: all ranks");
  for (int i = 0; i < berth_topo_n_types(t); i++) print_type(t, berth_topo_type(t, i));
  if (berth_topo_n_curves(t) > 0)
    puts("\nCurves (bandwidth that one pair of ranks gets, by message size)");
  topo_show_legend(t);
  for (int i = 0; i < berth_topo_n_curves(t); i++) topo_show_curve(berth_topo_curve(t, i));
  topo_show_nodes(t, "\n");
  if (topo_has_model_errors(t)) {
    fputs("\nPredictions were validated here; nine of ten times lay within ", stdout);
    topo_print_model_errors(stdout, t);
    putchar('\n');
  }
  if (berth_topo_has_distances(t))
    puts("\nThe numbers stand for distances: costs have no unit and are no times.");
  if (count_unmeasured(t) > 0)
    puts("\nNobody measured the curves marked so. They order the levels; they predict no times.");
}

/* How a number was measured, inside the object that has it. */
static void put_measured(json_out_t *j, double spread, int samples, const berth_origin_t *o)
{
  if (samples > 0) {
    json_put_number(j, "spread", spread < 0 ? NAN : spread);
    json_put_u64(j, "samples", (uint64_t)samples);
  }
  if (*o->date) json_put_string(j, "date", o->date);
  if (*o->mpi) json_put_string(j, "mpi", o->mpi);
  if (*o->transport) json_put_string(j, "transport", o->transport);
}

static void put_direction(json_out_t *j, const berth_topo_t *t, const char *key,
                          const berth_port_dir_t *d)
{
  json_open(j, key, '{', JSON_ONE_LINE);
  json_put_string(j, "curve", d->curve < 0 ? NULL : berth_topo_curve(t, d->curve)->name);
  json_put_number(j, "max_bandwidth", d->capacity > 0 ? d->capacity : INFINITY);
  put_measured(j, d->spread, d->samples, &d->origin);
  json_close(j);
}

static void put_port(json_out_t *j, const berth_topo_t *t, const char *name, const berth_port_t *p)
{
  char key[32];
  snprintf(key, sizeof key, "%s_out", name);
  put_direction(j, t, key, &p->out);
  snprintf(key, sizeof key, "%s_in", name);
  put_direction(j, t, key, &p->in);
  snprintf(key, sizeof key, "%s_reverse_traffic", name);
  if (p->reverse > 0) json_put_number(j, key, p->reverse);
}

static void put_numbers(json_out_t *j, const char *key, const double *values, size_t n)
{
  json_open(j, key, '[', JSON_ONE_LINE);
  for (size_t i = 0; i < n; i++) json_put_number(j, NULL, values[i]);
  json_close(j);
}

static void put_type(json_out_t *j, const berth_topo_t *t, const berth_type_t *type)
{
  json_open(j, NULL, '{', JSON_LINES);
  json_put_string(j, "name", type->name);
  put_port(j, t, "up", &type->up);
  put_port(j, t, "down", &type->down);
  json_put_number(j, "max_bandwidth", type->capacity > 0 ? type->capacity : INFINITY);
  put_measured(j, type->spread, type->samples, &type->origin);
  if (type->n_slowdowns > 0)
    put_numbers(j, "shared_core_slowdown", type->slowdown, type->n_slowdowns);
  if (type->node) node_put(j, "node", type->node);
  json_close(j);
}

static void put_spreads(json_out_t *j, const berth_curve_t *c)
{
  json_open(j, "spreads", '[', JSON_ONE_LINE);
  for (size_t i = 0; i < c->n; i++)
    json_put_number(j, NULL, c->spread[i] < 0 ? NAN : c->spread[i]); /* null */
  json_close(j);
}

static void put_curve(json_out_t *j, const berth_curve_t *c)
{
  json_open(j, NULL, '{', JSON_ONE_LINE);
  json_put_string(j, "name", c->name);
  json_put_string(j, "source", c->source);
  json_put_bool(j, "default", berth_curve_is_default(c));
  json_put_u64(j, "points", c->n);
  json_put_number(j, "smallest_size", c->size[0]);
  json_put_number(j, "largest_size", c->size[c->n - 1]);
  put_measured(j, 0, 0, &c->origin);
  put_numbers(j, "sizes", c->size, c->n);
  put_numbers(j, "bandwidths", c->bandwidth, c->n);
  if (c->spread) put_spreads(j, c);
  if (c->samples) json_put_ints(j, "samples", JSON_ONE_LINE, c->samples, c->n);
  json_close(j);
}

static void put_hosts(json_out_t *j, const berth_topo_t *t)
{
  json_open(j, "host_names", '[', JSON_ONE_LINE);
  for (int i = 0; i < berth_topo_n_hosts(t); i++)
    json_put_string(j, NULL, berth_topo_host(t, i)->name);
  json_close(j);
}

int topo_show_json(const berth_topo_t *t, const char *path, berth_error_t *err)
{
  json_out_t j;
  if (json_begin(&j, "-", "berth-topology-summary", err)) return BERTH_MISSING;
  json_put_string(&j, "file", path);
  json_put_string(&j, "name", berth_topo_name(t));
  json_put_u64(&j, "hosts", (uint64_t)berth_topo_n_hosts(t));
  json_put_u64(&j, "pus", (uint64_t)berth_topo_n_pus(t));
  json_put_u64(&j, "elements", (uint64_t)berth_topo_n_elements(t));
  json_put_u64(&j, "depth", (uint64_t)depth_of(t));
  json_put_bool(&j, "measured", count_unmeasured(t) == 0 && !berth_topo_has_distances(t));
  json_put_string(&j, "unit", berth_topo_has_distances(t) ? "distance" : "second");
  topo_show_model_errors(&j, "model_error", t);
  put_hosts(&j, t);
  int rc = topo_show_shared(&j, t, err);
  json_open(&j, "types", '[', JSON_LINES);
  for (int i = 0; i < berth_topo_n_types(t); i++) put_type(&j, t, berth_topo_type(t, i));
  json_close(&j);
  json_open(&j, "curves", '[', JSON_LINES);
  for (int i = 0; i < berth_topo_n_curves(t); i++) put_curve(&j, berth_topo_curve(t, i));
  json_close(&j);
  json_close(&j);
  if (!rc) return out_commit(j.out, err);
  out_abort(j.out);
  return rc;
}
