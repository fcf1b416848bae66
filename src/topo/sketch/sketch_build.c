/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the machine of a sketch: its switches become a network, its hosts are joined below it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "topo/sketch/sketch_internal.h"

typedef struct builder {
  berth_sketch_t *sketch;
  sketch_hosts_t hosts;
  berth_network_t *net;
  berth_host_like_t *like; /* of each host of the network */
  size_t cap_links, cap_like;
  sketch_setting_t **link; /* of each level above or at the hosts; NULL for none */
  uint64_t *made;          /* of each level: elements so far */
  uint64_t *number;        /* of each level: that of the next element with its stem */
  bool linked;             /* links are stated */
  berth_error_t *err;
} builder_t;

static sketch_level_t *level_of(const builder_t *b, int level) { return &b->sketch->levels[level]; }

/* The first level of the same stem: elements are numbered across all levels that have it. */
static int same_stem(const builder_t *b, int level)
{
  for (int i = 0; i < level; i++)
    if (strcmp(level_of(b, i)->stem, level_of(b, level)->stem) == 0) return i;
  return level;
}

/* The name of the next element of a level, in the network's arena. NULL if memory is out. */
static const char *next_name(builder_t *b, int level)
{
  const sketch_level_t *l = level_of(b, level);
  uint64_t k = b->made[level]++;
  if (l->names.n > 0) return arena_strdup(&b->net->arena, l->names.names[k]);
  uint64_t number = b->number[same_stem(b, level)]++;
  char *name = text_printf("%s%llu", l->stem, (unsigned long long)number);
  const char *kept = name ? arena_strdup(&b->net->arena, name) : NULL;
  free(name);
  return kept;
}

/* --- links --- */

/* The link of a host that isn't stated: that of its model. */
static topo_figure_t link_of_model(const berth_topo_t *model)
{
  const berth_element_t *host = berth_topo_element(model, berth_topo_host(model, 0)->element);
  const berth_port_dir_t *out = &berth_topo_type(model, host->type)->up.out;
  topo_figure_t f = {.capacity = out->capacity, .latency_s = TOPO_FABRIC_LATENCY_S};
  if (out->curve >= 0) {
    const berth_curve_t *c = berth_topo_curve(model, out->curve);
    f.rate = c->bandwidth[c->n - 1];
  }
  return f;
}

/* Adds up what the links below a switch carry. */
static void add_below(topo_figure_t *below, const topo_figure_t *link)
{
  below->capacity += link->capacity;
  below->rate = fmax(below->rate, link->rate);
  below->latency_s = fmax(below->latency_s, link->latency_s);
}

static void find_links(builder_t *b)
{
  berth_sketch_t *s = b->sketch;
  for (size_t i = 0; i < s->n_levels; i++) {
    const sketch_level_t *l = &s->levels[i];
    b->link[i] = l->kind <= KIND_HOST ? sketch_find(s, l, l->type) : NULL;
    b->linked |= b->link[i] != NULL;
  }
}

/* Fills the uplink of an element of a level. */
static int fill_link(builder_t *b, int level, const topo_figure_t *below, topo_figure_t *link)
{
  const sketch_level_t *l = level_of(b, level);
  if (b->link[level]) return sketch_figure(b->link[level], below, link, b->err);
  if (!b->linked) return BERTH_OK;
  return sketch_fail(l->word, b->err, "expected its link beside those of others, such as %s=%s",
                     l->stem, l->kind == KIND_HOST ? "100Gbit/s" : "2x100Gbit/s or 2:1");
}

/* --- elements --- */

static int add_host(builder_t *b, int level, topo_figure_t *below)
{
  berth_network_t *net = b->net;
  const berth_topo_t *model = sketch_hosts_next(&b->hosts, level, b->err);
  if (!model) return -1;
  topo_figure_t link = {0};
  bool of_model = !b->link[level] && sketch_find(b->sketch, level_of(b, level), "like");
  topo_figure_t sum = of_model ? link_of_model(model) : link;
  if (!of_model && fill_link(b, level, &link, &link)) return -1;
  add_below(below, of_model ? &sum : &link);
  const char *name = next_name(b, level);
  size_t n = net->hosts.n;
  if (!name || !ARRAY_GROW(&b->like, n, &b->cap_like) ||
      !array_reserve(&net->host_links, &b->cap_links, n + 1, sizeof link) ||
      !ARRAY_ADD(&net->hosts.names, &net->hosts.n, &net->hosts.cap, name))
    return no_memory_index(b->err);
  net->host_links[n] = link;
  b->like[n] = (berth_host_like_t){name, model, 0};
  return 0;
}

/* Adds a switch and returns its number. */
static int new_switch(builder_t *b, int parent, const char *name, const char *type)
{
  berth_network_t *net = b->net;
  const network_switch_t w = {.name = name,
                              .type = type,
                              .first = net->hosts.n,
                              .parent = parent,
                              .child = -1,
                              .sibling = -1};
  if (!name || !ARRAY_ADD(&net->switches, &net->n, &net->cap, w)) return no_memory_index(b->err);
  return (int)net->n - 1;
}

static int add_switch(builder_t *b, int level, int parent, int *before, topo_figure_t *above);

/* Adds what is in a switch: `first` and its siblings, the hosts before the switches. */
static int add_members(builder_t *b, int first, int into, topo_figure_t *below)
{
  berth_sketch_t *s = b->sketch;
  int before = -1;
  for (int pass = 0; pass < 2; pass++)
    for (int c = first; c >= 0; c = s->levels[c].sibling) {
      bool hosts = s->levels[c].kind == KIND_HOST;
      if (hosts == (pass == 1)) continue;
      uint64_t n = sketch_count(&s->levels[c], b->hosts.above[c]++);
      for (uint64_t i = 0; i < n; i++)
        if (hosts ? add_host(b, c, below) : add_switch(b, c, into, &before, below)) return -1;
      if (hosts) b->net->switches[into].n += n;
    }
  return 0;
}

/* Adds a switch of a level behind the sibling *before. Levels bound the recursion. */
static int add_switch(builder_t *b, int level, int parent, int *before, topo_figure_t *above)
{
  const sketch_level_t *l = level_of(b, level);
  int number = new_switch(b, parent, next_name(b, level), l->type);
  topo_figure_t below = {0}, link = {0};
  if (number < 0 || add_members(b, l->child, number, &below)) return -1;
  if (parent >= 0 && fill_link(b, level, &below, &link)) return -1;
  add_below(above, &link);
  b->net->switches[number].link = link;
  if (*before >= 0)
    b->net->switches[*before].sibling = number;
  else if (parent >= 0)
    b->net->switches[parent].child = number;
  *before = number;
  return 0;
}

/* --- the machine --- */

/* Whether the machine is a single element of the first level. */
static bool has_root(const berth_sketch_t *s)
{
  return s->levels[0].sibling < 0 && sketch_count(&s->levels[0], 0) == 1;
}

static int build_tree(builder_t *b)
{
  topo_figure_t below = {0};
  int before = -1;
  if (has_root(b->sketch) && level_of(b, 0)->kind == SKETCH_SWITCH)
    return add_switch(b, 0, -1, &before, &below);
  if (has_root(b->sketch)) return add_host(b, 0, &below);
  int root = new_switch(b, -1, "network", "network");
  return root < 0 ? -1 : add_members(b, 0, root, &below);
}

/* Two hosts of one name: names are counted across levels, and stated ones may be anything. */
static int check_names(const builder_t *b)
{
  name_table_t seen = {0};
  int rc = BERTH_OK;
  for (size_t i = 0; i < b->net->hosts.n && !rc; i++) {
    const char *name = b->net->hosts.names[i];
    if (name_table_find(&seen, name) >= 0)
      rc = berth_fail(b->err, BERTH_BAD_INPUT,
                      "found host \"%.60s\" twice, expected different names", name);
    else if (!name_table_add(&seen, name, (int)i))
      rc = no_memory(b->err);
  }
  name_table_clear(&seen);
  return rc;
}

static bool is_known(const berth_sketch_t *s, const char *key)
{
  if (strcmp(key, "like") == 0 || sketch_is_host_link(key)) return true;
  for (size_t i = 0; i < s->n_levels; i++)
    if (s->levels[i].kind <= KIND_HOST && strcmp(s->levels[i].type, key) == 0) return true;
  return false;
}

/* A setting whose key is no level's type is most likely misspelt. */
static int check_known(const berth_sketch_t *s, berth_error_t *err)
{
  for (size_t i = 0; i < s->n_settings; i++) {
    if (is_known(s, s->settings[i].key)) continue;
    const char *near = sketch_near_key(s, s->settings[i].key);
    if (near)
      return sketch_fail(s->settings[i].word, err,
                         "found no level that it is for, expected %s before \"=\"", near);
    return sketch_fail(s->settings[i].word, err,
                       "found no level that it is for, expected a level's type, memory, "
                       "interconnect, l3, l2, core, like or name before \"=\"");
  }
  return BERTH_OK;
}

static int check_used(const berth_sketch_t *s, berth_error_t *err)
{
  for (size_t i = 0; i < s->n_settings; i++)
    if (!s->settings[i].used)
      return sketch_fail(s->settings[i].word, err,
                         "found nothing in a host that it is for, expected levels that have such a "
                         "link; hosts like a model have the model's");
  return BERTH_OK;
}

static int build(builder_t *b)
{
  int rc = check_known(b->sketch, b->err);
  if (rc) return rc;
  find_links(b);
  rc = build_tree(b) ? b->err->code : BERTH_OK;
  if (!rc) rc = check_used(b->sketch, b->err);
  if (!rc) rc = check_names(b);
  if (rc) return rc;
  if (!b->linked) {
    free(b->net->host_links);
    b->net->host_links = NULL;
  }
  return network_finish(b->net, b->err);
}

static berth_topo_t *join(const builder_t *b, const char *name)
{
  size_t n = b->net->hosts.n;
  bool alone = b->net->n == 0;
  if (!name) name = b->sketch->name ? b->sketch->name : n == 1 ? b->like[0].name : "cluster";
  return berth_topo_join(name, n, b->like, alone ? NULL : b->net, b->err);
}

static void clear(builder_t *b)
{
  sketch_hosts_clear(&b->hosts);
  berth_network_free(b->net);
  free(b->like);
  free(b->link);
  free(b->made);
  free(b->number);
}

berth_topo_t *berth_sketch_topo(berth_sketch_t *s, const char *name, berth_error_t *err)
{
  berth_error_t own;
  if (!err) err = &own;
  if (sketch_check(s, err)) return NULL;
  for (size_t i = 0; i < s->n_settings; i++) s->settings[i].used = false;
  builder_t b = {.sketch = s,
                 .net = network_new("sketch", err),
                 .link = calloc(s->n_levels, sizeof *b.link),
                 .made = calloc(s->n_levels, sizeof *b.made),
                 .number = calloc(s->n_levels, sizeof *b.number),
                 .err = err};
  berth_topo_t *t = NULL;
  if (!sketch_hosts_begin(&b.hosts, s) || !b.net || !b.link || !b.made || !b.number)
    no_memory(err);
  else if (build(&b) == BERTH_OK)
    t = join(&b, name);
  clear(&b);
  return t;
}
