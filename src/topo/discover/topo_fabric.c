/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the output of ibnetdiscover (infiniband-diags):
 *
 *   Switch  36 "S-0000000000200003"         # "leaf3" base port 0 lid 0 lmc 0
 *   [1]     "H-0000000000100012"[1](100013)         # "node07 HCA-1" lid 0 4xSDR
 *
 *   Ca      2 "H-0000000000100012"          # "node07 HCA-1"
 *   [1](100013)     "S-0000000000200003"[1]         # lid 0 lmc 0 "leaf3" lid 0 4xSDR
 *
 * Each node is followed by its cables. Every cable is listed at both of its ends. */
#include "topo/discover/topo_fabric.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/in_file.h"
#include "base/no_memory.h"
#include "base/text.h"

#define FAIL(f, line, ...) network_fail((f)->net, (line), err, __VA_ARGS__)

/* Gbit/s of data for each lane. */
static const struct {
  const char *name;
  double gbit;
} speeds[] = {{"SDR", 2},  {"DDR", 4},  {"QDR", 8},   {"FDR10", 10}, {"FDR", 14.0625 * 64 / 66},
              {"EDR", 25}, {"HDR", 50}, {"NDR", 100}, {"XDR", 200}};

/* Returns the text between the next two quotes, terminated; *at moves behind it. NULL if there is
 * none. */
static char *take_quoted(char **at)
{
  char *begin = strchr(*at, '"');
  char *end = begin ? strchr(begin + 1, '"') : NULL;
  if (!end) return NULL;
  *end = '\0';
  *at = end + 1;
  return begin + 1;
}

static int keep_text(fabric_t *f, const char *text, const char **out, berth_error_t *err)
{
  *out = arena_strdup(&f->net->arena, text);
  return *out ? BERTH_OK : no_memory(err);
}

/* Merges the adapters of a host. Adapters whose descriptions agree, but aren't just a host's name,
 * have default descriptions. */
static int merge_host(fabric_t *f, int number, berth_error_t *err)
{
  fabric_node_t *node = &f->nodes[number];
  const char *whole = node->description;
  size_t n = strcspn(whole, " \t");
  if (n == 0) return FAIL(f, node->line, "found an adapter without a description, expected a host");
  char *name = strndup(whole, n);
  int first = name ? name_table_find(&f->host_of_name, name) : -1;
  int rc = name ? BERTH_OK : no_memory(err);
  if (!rc && whole[n] && name_table_find(&f->host_of_name, whole) >= 0)
    rc = FAIL(f, node->line, "found a second adapter \"%.60s\", expected names of hosts", whole);
  if (!rc && whole[n] && !name_table_add(&f->host_of_name, whole, number)) rc = no_memory(err);
  if (!rc) rc = keep_text(f, name, &node->description, err);
  if (!rc && first >= 0) node->as = first;
  if (!rc && first < 0 && !name_table_add(&f->host_of_name, node->description, number))
    rc = no_memory(err);
  free(name);
  return rc;
}

static int add_node(fabric_t *f, fabric_kind_t kind, long line, char *text, berth_error_t *err)
{
  fabric_node_t node = {.kind = kind, .line = line, .level = -1, .as = (int)f->n_nodes};
  char *id = take_quoted(&text), *description = id ? take_quoted(&text) : NULL;
  if (!description) return FAIL(f, line, "found no \"ID\" # \"description\", expected both");
  text_clean(description);
  if (name_table_find(&f->node_of_id, id) >= 0)
    return FAIL(f, line, "found node \"%.60s\" a second time", id);
  if (f->n_nodes >= BERTH_MAX_PUS)
    return FAIL(f, line, "found more than %d nodes, expected at most that", BERTH_MAX_PUS);
  if (!ARRAY_GROW(&f->nodes, f->n_nodes, &f->cap_nodes)) return no_memory(err);
  int rc = keep_text(f, id, &node.id, err);
  if (!rc) rc = keep_text(f, description, &node.description, err);
  if (!rc && !name_table_add(&f->node_of_id, node.id, (int)f->n_nodes)) rc = no_memory(err);
  if (rc) return rc;
  /* aggregation nodes are parts of switches, not hosts */
  if (kind == FABRIC_HOST && strstr(description, "Aggregation Node")) node.kind = FABRIC_OTHER;
  f->nodes[f->n_nodes++] = node;
  return node.kind == FABRIC_HOST ? merge_host(f, (int)f->n_nodes - 1, err) : BERTH_OK;
}

/* Finds the first word such as 4xHDR in the text behind a cable. */
static int read_rate(const fabric_t *f, long line, const char *text, double *rate,
                     berth_error_t *err)
{
  for (text += strspn(text, " \t\r"); *text; text += strspn(text, " \t\r")) {
    size_t n = strcspn(text, " \t\r");
    char *x;
    long lanes = isdigit((unsigned char)*text) ? strtol(text, &x, 10) : 0;
    if (lanes > 0 && *x == 'x') {
      const char *name = x + 1;
      size_t length = n - (size_t)(name - text);
      for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
        if (strlen(speeds[i].name) == length && memcmp(speeds[i].name, name, length) == 0 &&
            lanes <= 16) {
          *rate = (double)lanes * speeds[i].gbit * 1e9 / 8;
          return BERTH_OK;
        }
      return FAIL(f, line, "found width and speed %.*s, expected one such as 4xHDR",
                  (int)(n < 40 ? n : 40), text);
    }
    text += n;
  }
  return FAIL(f, line, "found no width and speed, expected one such as 4xHDR");
}

/* Makes a port's name; its number is in the brackets at `text`. */
static int name_port(fabric_t *f, long line, const char *id, const char *text, const char **out,
                     berth_error_t *err)
{
  char *end, *name = NULL;
  long port = *text == '[' && isdigit((unsigned char)text[1]) ? strtol(text + 1, &end, 10) : -1;
  if (port < 0 || *end != ']')
    return FAIL(f, line, "found %.20s, expected a port's number in brackets",
                *text ? text : "the end of the line");
  if (asprintf(&name, "%s[%ld]", id, port) < 0) return no_memory(err);
  int rc = keep_text(f, name, out, err);
  free(name);
  return rc;
}

static int add_arc(fabric_t *f, long line, char *text, berth_error_t *err)
{
  if (f->n_nodes == 0) return FAIL(f, line, "found a port before any node");
  fabric_arc_t arc = {.from = (int)f->n_nodes - 1, .to = -1, .line = line};
  int rc = name_port(f, line, f->nodes[arc.from].id, text, &arc.port, err);
  if (rc) return rc;
  char *id = take_quoted(&text);
  if (!id) return FAIL(f, line, "found no \"ID\" of the cable's other end");
  rc = name_port(f, line, id, text, &arc.far_port, err);
  while (!rc && take_quoted(&text)) continue;
  if (!rc) rc = read_rate(f, line, text, &arc.rate, err);
  if (rc) return rc;
  if (name_table_find(&f->arc_of_port, arc.port) >= 0)
    return FAIL(f, line, "found port %.60s a second time", arc.port);
  if (f->n_arcs >= BERTH_MAX_ELEMENTS)
    return FAIL(f, line, "found more than %d ports, expected at most that", BERTH_MAX_ELEMENTS);
  if (!ARRAY_GROW(&f->arcs, f->n_arcs, &f->cap_arcs) ||
      !name_table_add(&f->arc_of_port, arc.port, (int)f->n_arcs))
    return no_memory(err);
  f->arcs[f->n_arcs++] = arc;
  return BERTH_OK;
}

static bool begins(const char *text, const char *word)
{
  size_t n = strlen(word);
  return strncmp(text, word, n) == 0 && isblank((unsigned char)text[n]);
}

static int read_line(fabric_t *f, long line, char *text, berth_error_t *err)
{
  if (*text == '[') return add_arc(f, line, text, err);
  if (begins(text, "Switch")) return add_node(f, FABRIC_SWITCH, line, text, err);
  if (begins(text, "Ca")) return add_node(f, FABRIC_HOST, line, text, err);
  if (begins(text, "Rt")) return add_node(f, FABRIC_OTHER, line, text, err);
  return BERTH_OK; /* lines with the numbers of devices and chassis */
}

static int read_lines(fabric_t *f, berth_error_t *err)
{
  char *line;
  size_t length;
  in_file_t *in = in_open(f->net->path, err);
  int rc = in ? BERTH_OK : err->code;
  for (long number = 1; !rc && !(rc = in_line(in, &line, &length, err)) && line; number++)
    rc = strlen(line) == length ? read_line(f, number, line, err)
                                : FAIL(f, number, "found a NUL byte, expected text");
  in_close(in);
  if (!rc && f->host_of_name.n == 0)
    rc = berth_fail(err, BERTH_BAD_INPUT,
                    "%s: found no host adapter (\"Ca\"), expected what ibnetdiscover writes",
                    f->net->path);
  return rc;
}

/* Finds the other end of each cable, which must state the same cable. */
static int join_arcs(fabric_t *f, berth_error_t *err)
{
  for (size_t i = 0; i < f->n_arcs; i++) {
    fabric_arc_t *arc = &f->arcs[i];
    int far = name_table_find(&f->arc_of_port, arc->far_port);
    if (far < 0 || strcmp(f->arcs[far].far_port, arc->port) != 0)
      return FAIL(f, arc->line, "found a cable from %.60s to %.60s, which doesn't lead back",
                  arc->port, arc->far_port);
    arc->to = f->arcs[far].from;
  }
  for (size_t i = 0; i < f->n_arcs; i++) { /* from here on, all adapters of a host are one node */
    f->arcs[i].from = f->nodes[f->arcs[i].from].as;
    f->arcs[i].to = f->nodes[f->arcs[i].to].as;
  }
  return BERTH_OK;
}

berth_network_t *berth_network_load_fabric(const char *path, berth_error_t *err)
{
  berth_error_t own;
  if (!err) err = &own;
  budget_t budget;
  budget_begin(&budget);
  fabric_t f = {.net = network_new(path, err)};
  int rc = f.net ? read_lines(&f, err) : err->code;
  if (!rc) rc = join_arcs(&f, err);
  if (!rc) rc = fabric_make_tree(&f, err);
  if (!rc) rc = network_finish(f.net, err);
  free(f.nodes);
  free(f.arcs);
  name_table_clear(&f.node_of_id);
  name_table_clear(&f.host_of_name);
  name_table_clear(&f.arc_of_port);
  if (!budget_end(&budget, path, rc, err)) return f.net;
  berth_network_free(f.net);
  return NULL;
}
