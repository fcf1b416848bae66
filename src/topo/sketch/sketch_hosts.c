/* SPDX-License-Identifier: BSD-3-Clause */
/* The hosts of a sketch: as a model, or of the levels stated.
 *
 * As in descriptions of real machines, levels of one member are left out. Cores are numbered in the
 * order of the tree, and PUs as Linux does: the first thread of every core, then the second ones.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "topo/sketch/sketch_internal.h"

/* The parts of a host while they are added. */
typedef struct adder {
  sketch_hosts_t *hosts;
  parts_t parts;
  int cores;  /* so far */
  int thread; /* of the core that is being added: its threads so far */
  bool in_core;
} adder_t;

static sketch_level_t *level_of(const adder_t *a, int level)
{
  return &a->hosts->sketch->levels[level];
}

/* The only member of the next element of a level; -1 if it has several or none. */
static int only_member(const adder_t *a, int level)
{
  int found = -1;
  for (int c = level_of(a, level)->child; c >= 0; c = level_of(a, c)->sibling) {
    if (found >= 0 || sketch_count(level_of(a, c), a->hosts->above[c]) > 1) return -1;
    found = c;
  }
  return found;
}

/* Whatever is a core, or a thread outside of one, gets the next core's number. */
static void enter(adder_t *a, int level)
{
  int kind = level_of(a, level)->kind;
  if (kind != KIND_CORE && (kind != SKETCH_THREAD || a->in_core)) return;
  a->cores++;
  a->thread = 0;
  a->in_core = kind == KIND_CORE;
}

static int add_pu(adder_t *a, int parent)
{
  return parts_add_pu(&a->parts, parent, a->thread++, a->cores > 0 ? a->cores - 1 : 0);
}

static kind_t kind_of(const adder_t *a, int level) { return (kind_t)level_of(a, level)->kind; }

static int add_members(adder_t *a, int level, int parent);

/* Adds the next element of a level, or the PU that it is. Levels bound the recursion. */
static int add_element(adder_t *a, int level, int parent)
{
  int inner = level, next, part = parent;
  bool was_in_core = a->in_core;
  enter(a, level);
  while ((next = only_member(a, inner)) >= 0) {
    a->hosts->above[next]++;
    inner = next;
    enter(a, inner);
  }
  bool is_pu = level_of(a, inner)->child < 0;
  kind_t outer_kind = kind_of(a, level), inner_kind = is_pu ? outer_kind : kind_of(a, inner);
  if (outer_kind >= KIND_L4 && inner_kind == KIND_CORE) outer_kind = KIND_CORE;
  if (!is_pu || parent < 0) part = parts_add_level(&a->parts, parent, outer_kind, inner_kind);
  if (part < 0) return -1;
  int rc = is_pu ? add_pu(a, part) : add_members(a, inner, part);
  a->in_core = was_in_core;
  return rc < 0 ? -1 : 0;
}

static int add_members(adder_t *a, int level, int parent)
{
  for (int c = level_of(a, level)->child; c >= 0; c = level_of(a, c)->sibling) {
    uint64_t n = sketch_count(level_of(a, c), a->hosts->above[c]++);
    for (uint64_t i = 0; i < n; i++)
      if (add_element(a, c, parent) < 0) return -1;
  }
  return 0;
}

/* Until here a PU's number is that of its thread in the core. */
static int number_pus(parts_t *p)
{
  size_t *next = calloc(p->n + 1, sizeof *next);
  if (!next) return -1;
  for (size_t i = 0; i < p->n; i++)
    if (p->part[i].is_pu) next[p->part[i].os_index + 1]++;
  for (size_t i = 1; i <= p->n; i++) next[i] += next[i - 1];
  for (size_t i = 0; i < p->n; i++)
    if (p->part[i].is_pu) p->part[i].os_index = (int)next[p->part[i].os_index]++;
  free(next);
  return 0;
}

/* The text that describes the next host of a level; the caller frees it. */
static char *describe(sketch_hosts_t *h, int level, berth_error_t *err)
{
  adder_t a = {.hosts = h};
  char *text = NULL;
  if (add_element(&a, level, -1) < 0 && a.parts.n >= PARTS_MAX) {
    sketch_fail(h->sketch->levels[level].word, err, "found more than %d parts in a host",
                PARTS_MAX);
  } else {
    if (a.parts.n < PARTS_MAX && a.parts.part && number_pus(&a.parts) == 0) {
      parts_finish(&a.parts);
      text = parts_print(&a.parts);
    }
    if (!text) no_memory(err);
  }
  free(a.parts.part);
  return text;
}

static const berth_topo_t *make(sketch_hosts_t *h, int level, const char *text, const char *key,
                                berth_error_t *err)
{
  topo_figures_t figures;
  const char *own = arena_strdup(&h->texts, key);
  if (!own || !ARRAY_GROW(&h->made, h->n_made, &h->cap_made)) return no_memory_null(err);
  if (sketch_host_figures(h->sketch, level, &figures, err)) return NULL;
  berth_topo_t *t = description_topo("host", text, &figures, err);
  if (!t) return NULL;
  h->made[h->n_made++] = t;
  sketch_host_uses(h->sketch, level, t);
  if (name_table_add(&h->made_of_text, own, (int)h->n_made - 1)) return t;
  return no_memory_null(err);
}

/* The next host of the levels stated. */
static const berth_topo_t *describe_next(sketch_hosts_t *h, int level, berth_error_t *err)
{
  char *text = describe(h, level, err);
  char *key = text ? text_printf("%d %s", level, text) : NULL;
  const berth_topo_t *t = NULL;
  if (key) {
    int known = name_table_find(&h->made_of_text, key);
    t = known >= 0 ? h->made[known] : make(h, level, text, key, err);
  } else if (text) {
    no_memory(err);
  }
  free(key);
  free(text);
  return t;
}

/* Whether all hosts of a level are equal. */
static bool is_uniform(const berth_sketch_t *s, int level)
{
  for (int c = s->levels[level].child; c >= 0; c = s->levels[c].sibling)
    if (s->levels[c].n_counts > 1 || !is_uniform(s, c)) return false;
  return true;
}

const berth_topo_t *sketch_hosts_next(sketch_hosts_t *h, int level, berth_error_t *err)
{
  berth_sketch_t *s = h->sketch;
  if (h->same[level]) return h->same[level];
  const sketch_setting_t *like = sketch_find(s, &s->levels[level], "like");
  if (like && !like->model)
    return sketch_fail(like->word, err, "found no model, expected berth_sketch_set_model"), NULL;
  if (like && sketch_check_model(s, level, like, err)) return NULL;
  const berth_topo_t *t = like ? like->model : describe_next(h, level, err);
  if (like || is_uniform(s, level)) h->same[level] = t;
  return t;
}

bool sketch_hosts_begin(sketch_hosts_t *h, berth_sketch_t *s)
{
  *h = (sketch_hosts_t){.sketch = s,
                        .above = calloc(s->n_levels, sizeof *h->above),
                        .same = calloc(s->n_levels, sizeof *h->same)};
  return h->above && h->same;
}

void sketch_hosts_clear(sketch_hosts_t *h)
{
  for (size_t i = 0; i < h->n_made; i++) berth_topo_free(h->made[i]);
  free(h->made);
  free(h->above);
  free(h->same);
  name_table_clear(&h->made_of_text);
  arena_free(&h->texts);
}
