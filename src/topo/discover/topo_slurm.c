/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads Slurm's topology.conf for topology/tree:
 *
 *   SwitchName=leaf0 Nodes=rack[1-4]node[01-16]
 *   SwitchName=spine Switches=leaf[0-3]
 *
 * LinkSpeed is the rate of a switch's uplink if it has a unit. Slurm doesn't use it, and calls its
 * units arbitrary. Keys are in any case, and comments begin with '#'. A backslash at the end of a
 * line joins it with the next. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/in_file.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "topo/discover/topo_network.h"
#include "topo/topo_rate.h"

#define FAIL(s, line, ...) network_fail((s), (line), err, __VA_ARGS__)

static int expand(berth_network_t *s, long line, const char *text, name_list_t *list,
                  berth_error_t *err)
{
  berth_error_t error;
  int rc = text ? hostlist_expand(text, &s->arena, list, &error) : BERTH_OK;
  if (rc == BERTH_BAD_INPUT) return FAIL(s, line, "%s", error.text);
  return rc ? no_memory(err) : BERTH_OK;
}

/* The values of a line, borrowed from its text; NULL for keys that it lacks. */
typedef struct fields {
  char *name, *nodes, *switches, *speed;
} fields_t;

static char **field_of(fields_t *f, const char *key)
{
  if (strcasecmp(key, "SwitchName") == 0) return &f->name;
  if (strcasecmp(key, "Nodes") == 0) return &f->nodes;
  if (strcasecmp(key, "Switches") == 0) return &f->switches;
  if (strcasecmp(key, "LinkSpeed") == 0) return &f->speed;
  return NULL;
}

static const char blanks[] = " \t\r\v\f";

/* Terminates the value at *value, which may be in double quotes. Returns the text behind it. */
static char *end_value(char **value)
{
  bool quoted = **value == '"';
  if (quoted) ++*value;
  char *end = *value + strcspn(*value, quoted ? "\"" : blanks);
  if (*end) *end++ = '\0';
  return end;
}

/* Splits a line "Key=value Key = value …" in place. Like Slurm, it allows blanks around the
 * sign. */
static int read_fields(const berth_network_t *s, long line, char *text, fields_t *f,
                       berth_error_t *err)
{
  for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
    char *end = text + strcspn(text, "= \t\r\v\f"), *equals = end + strspn(end, blanks);
    if (*equals != '=') return FAIL(s, line, "found \"%.40s\", expected Key=value", text);
    char *value = equals + 1 + strspn(equals + 1, blanks);
    *end = '\0';
    char **field = field_of(f, text);
    if (!field)
      return FAIL(s, line, "found key \"%.40s\", expected SwitchName, Nodes, Switches or LinkSpeed",
                  text);
    if (*field) return FAIL(s, line, "found key \"%.40s\" a second time in one line", text);
    text = end_value(&value);
    if (!*value) return FAIL(s, line, "found an empty value, expected Key=value");
    *field = value;
  }
  return BERTH_OK;
}

/* Reads LinkSpeed, which "DEFAULT" sets for the switches behind it. A value without a unit, or a
 * unit that isn't one, becomes the network's note. */
static int read_speed(berth_network_t *s, long line, const char *speed, network_link_t *link,
                      berth_error_t *err)
{
  topo_stated_t stated;
  const char *at;
  bool is_rate = speed && !topo_rate_link(speed, &stated, &at) && stated.ratio == 0;
  if (is_rate) topo_rate_figure(&stated, link);
  if (is_rate || !speed || s->note) return BERTH_OK;
  s->note = text_printf("%s:%ld: LinkSpeed: found \"%.40s\", expected a rate with a unit, such as "
                        "100Gbit/s; it isn't used",
                        s->path, line, speed);
  return s->note ? BERTH_OK : no_memory(err);
}

static int add_switch(berth_network_t *s, long line, const fields_t *f, berth_error_t *err)
{
  if (name_table_find(&s->switch_of_name, f->name) >= 0)
    return FAIL(s, line, "found a second switch named \"%.60s\", expected different names",
                f->name);
  if (!f->nodes && !f->switches)
    return FAIL(s, line, "found switch \"%.60s\" with neither Nodes nor Switches", f->name);
  network_switch_t w = {.line = line, .parent = -1, .child = -1, .sibling = -1};
  w.name = arena_strdup(&s->arena, f->name);
  if (!w.name || s->n >= BERTH_MAX_PUS || !ARRAY_GROW(&s->switches, s->n, &s->cap) ||
      !name_table_add(&s->switch_of_name, w.name, (int)s->n))
    return no_memory(err);
  w.link = s->usual_link;
  w.first = s->hosts.n;
  w.first_below = s->below.n;
  int rc = read_speed(s, line, f->speed, &w.link, err);
  if (!rc) rc = expand(s, line, f->nodes, &s->hosts, err);
  if (!rc) rc = expand(s, line, f->switches, &s->below, err);
  w.n = s->hosts.n - w.first;
  w.n_below = s->below.n - w.first_below;
  s->switches[s->n++] = w;
  return rc;
}

static int read_line(berth_network_t *s, long line, char *text, berth_error_t *err)
{
  fields_t f = {0};
  int rc = read_fields(s, line, text, &f, err);
  if (rc || (!f.name && !f.nodes && !f.switches && !f.speed)) return rc;
  if (!f.name) return FAIL(s, line, "found a line without SwitchName, expected one switch a line");
  if (strcasecmp(f.name, "DEFAULT") == 0) return read_speed(s, line, f.speed, &s->usual_link, err);
  return add_switch(s, line, &f, err);
}

/* Appends a line to the text so far. Sets *more if it ends in a backslash. */
static int append_line(char **text, size_t *n, size_t *cap, const char *line, int *more)
{
  size_t length = strcspn(line, "#");
  while (length > 0 && strchr(blanks, line[length - 1])) length--;
  *more = length > 0 && line[length - 1] == '\\';
  if (*more) length--;
  if (!array_reserve(text, cap, *n + length + 1, 1)) return 0;
  memcpy(*text + *n, line, length);
  *n += length;
  (*text)[*n] = '\0';
  return 1;
}

static int read_lines(berth_network_t *s, in_file_t *in, berth_error_t *err)
{
  char *text = NULL, *line;
  size_t n = 0, cap = 0, length;
  long number = 0, start = 1;
  int rc = BERTH_OK;
  for (int more = 0; !rc;) {
    rc = in_line(in, &line, &length, err);
    if (rc) break;
    if (!line && !more) break;
    if (strlen(line ? line : "") != length && line)
      rc = FAIL(s, number + 1, "found a NUL byte, expected text");
    else if (!append_line(&text, &n, &cap, line ? line : "", &more))
      rc = no_memory(err);
    number++;
    if (rc || (more && line)) continue;
    rc = read_line(s, start, text, err);
    n = 0;
    more = 0;
    start = number + 1;
  }
  free(text);
  return rc;
}

/* Hangs the switches that w names below it, in their order. */
static int link_children(berth_network_t *s, int w, berth_error_t *err)
{
  network_switch_t *above = &s->switches[w];
  int *tail = &above->child;
  for (size_t i = 0; i < above->n_below; i++) {
    const char *name = s->below.names[above->first_below + i];
    int number = name_table_find(&s->switch_of_name, name);
    if (number < 0)
      return FAIL(s, above->line, "found unknown switch \"%.60s\" in Switches of \"%.60s\"", name,
                  above->name);
    network_switch_t *child = &s->switches[number];
    if (child->parent >= 0)
      return FAIL(s, above->line,
                  "found switch \"%.60s\" below \"%.60s\" and below \"%.60s\", expected a tree",
                  name, s->switches[child->parent].name, above->name);
    child->parent = w;
    *tail = number;
    tail = &child->sibling;
  }
  return BERTH_OK;
}

static int read_all(berth_network_t *s, berth_error_t *err)
{
  in_file_t *in = in_open(s->path, err);
  int rc = in ? read_lines(s, in, err) : err->code;
  in_close(in);
  if (!rc && s->n == 0)
    rc = berth_fail(err, BERTH_BAD_INPUT, "%s: found no SwitchName, expected Slurm's topology.conf",
                    s->path);
  for (size_t w = 0; w < s->n && !rc; w++) rc = link_children(s, (int)w, err);
  return rc ? rc : network_finish(s, err);
}

berth_network_t *berth_network_load_slurm(const char *path, berth_error_t *err)
{
  berth_error_t own;
  if (!err) err = &own;
  budget_t budget;
  budget_begin(&budget);
  berth_network_t *s = network_new(path, err);
  int rc = s ? read_all(s, err) : err->code;
  if (!budget_end(&budget, path, rc, err)) return s;
  berth_network_free(s);
  return NULL;
}
