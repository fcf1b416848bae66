/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads descriptions of hosts, and makes topologies of them. */
#include "topo/discover/topo_description.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"

typedef struct reader {
  const char *text, *at;
  parts_t *parts;
  berth_error_t *err;
} reader_t;

static int unexpected(const reader_t *r, const char *expected)
{
  return berth_fail(r->err, BERTH_BAD_INPUT,
                    "host description: found \"%.20s\" at byte %td, expected %s", r->at,
                    r->at - r->text, expected);
}

static int cannot_add(const reader_t *r)
{
  if (r->parts->n >= PARTS_MAX) return unexpected(r, "fewer parts");
  return no_memory(r->err);
}

static int read_kind(reader_t *r, kind_t *kind)
{
  size_t n = strspn(r->at, "abcdefghijklmnopqrstuvwxyz0123456789");
  for (int k = 0; k < N_KINDS; k++)
    if (strlen(topo_kind_names[k]) == n && strncmp(topo_kind_names[k], r->at, n) == 0) {
      *kind = (kind_t)k;
      r->at += n;
      return BERTH_OK;
    }
  return unexpected(r, "a level such as package or l3");
}

static int read_number(reader_t *r, int *out)
{
  char *end = NULL;
  unsigned long v = *r->at >= '0' && *r->at <= '9' ? strtoul(r->at, &end, 10) : BERTH_MAX_PUS;
  if (v >= BERTH_MAX_PUS) return unexpected(r, "a number below 16777216");
  r->at = end;
  *out = (int)v;
  return BERTH_OK;
}

static int read_char(reader_t *r, char c)
{
  char expected[] = {'\'', c, '\'', '\0'};
  if (*r->at != c) return unexpected(r, expected);
  r->at++;
  return BERTH_OK;
}

static int read_pu(reader_t *r, int parent)
{
  int os_index, core, rc = read_number(r, &os_index);
  if (!rc) rc = read_char(r, ':');
  if (!rc) rc = read_number(r, &core);
  return rc || parts_add_pu(r->parts, parent, os_index, core) >= 0 ? rc : cannot_add(r);
}

/* Reads a level up to its opening bracket. */
static int read_level(reader_t *r, int parent)
{
  kind_t outer, inner;
  int rc = read_kind(r, &outer);
  if (rc) return rc;
  inner = outer;
  if (*r->at == '+') {
    r->at++;
    rc = read_kind(r, &inner);
  }
  if (!rc) rc = read_char(r, '(');
  if (!rc && (outer == KIND_HOST) != (parent < 0)) rc = unexpected(r, "one host around all levels");
  return rc || parts_add_level(r->parts, parent, outer, inner) >= 0 ? rc : cannot_add(r);
}

/* Appends the k-th copy of the part `first`, which precedes the copies. */
static int copy_part(reader_t *r, size_t first, size_t size, int os_step, int core_step)
{
  parts_t *p = r->parts;
  int shift = (int)(p->n - first), number;
  for (size_t i = first; i < first + size; i++) {
    part_t part = p->part[i];
    int parent = i == first ? part.parent : part.parent + shift;
    long os_index = (long)part.os_index + os_step, core = (long)part.core + core_step;
    if (part.is_pu && (os_index >= BERTH_MAX_PUS || core >= BERTH_MAX_PUS))
      return unexpected(r, "numbers below 16777216");
    number = part.is_pu ? parts_add_pu(p, parent, (int)os_index, (int)core)
                        : parts_add_level(p, parent, part.outer, part.inner);
    if (number < 0) return cannot_add(r);
  }
  return BERTH_OK;
}

/* Reads "*COUNT+OS_STEP+CORE_STEP" behind the part `first`, if it is there. */
static int read_copies(reader_t *r, size_t first)
{
  if (*r->at != '*') return BERTH_OK;
  r->at++;
  int count, os_step, core_step, rc = read_number(r, &count);
  if (!rc) rc = read_char(r, '+');
  if (!rc) rc = read_number(r, &os_step);
  if (!rc) rc = read_char(r, '+');
  if (!rc) rc = read_number(r, &core_step);
  if (rc) return rc;
  size_t size = r->parts->n - first;
  if (count < 1 || (size_t)count > (PARTS_MAX - first) / size)
    return unexpected(r, "fewer copies before it, at least one");
  for (int k = 1; k < count && !rc; k++, first += size)
    rc = copy_part(r, first, size, os_step, core_step);
  return rc;
}

int description_parts_read(parts_t *p, const char *text, berth_error_t *err)
{
  reader_t r = {text, text, p, err};
  int level = -1, rc; /* the level whose bracket is open */
  for (;;) {
    bool is_pu = *r.at >= '0' && *r.at <= '9' && level >= 0;
    if ((rc = is_pu ? read_pu(&r, level) : read_level(&r, level))) return rc;
    int part = (int)p->n - 1;
    if (!is_pu) {
      level = part;
      continue;
    }
    while (!(rc = read_copies(&r, (size_t)part)) && *r.at == ')') {
      r.at++;
      part = level;
      level = p->part[level].parent;
      if (level < 0) break;
    }
    if (rc) return rc;
    if (level < 0) break;
    if ((rc = read_char(&r, ','))) return rc;
  }
  if (*r.at) return unexpected(&r, "nothing more");
  parts_finish(p);
  return BERTH_OK;
}

/* How the members of a level reach each other. */
static topo_link_t link_within(const parts_t *p, int level)
{
  static const topo_link_t links[N_KINDS] = {
      [KIND_L4] = LINK_L3, [KIND_L3] = LINK_L3,     [KIND_L2] = LINK_L2,
      [KIND_L1] = LINK_L2, [KIND_CORE] = LINK_CORE,
  };
  const part_t *part = &p->part[level];
  if (links[part->inner]) return links[part->inner];
  for (int m = level + 1; m < level + part->size; m += p->part[m].size)
    if (p->part[m].has_memory) return LINK_INTERCONNECT;
  return LINK_MEMORY;
}

static int add_level(berth_topo_t *t, const parts_t *p, int level, topo_link_t *link,
                     const topo_figures_t *figures, const char *host, int number,
                     berth_error_t *err)
{
  char name[32];
  const part_t *part = &p->part[level];
  const char *kind = topo_kind_names[part->outer];
  snprintf(name, sizeof name, "%s %d", kind, number);
  topo_link_t up = part->parent < 0 ? LINK_NETWORK : link[part->parent];
  link[level] = link_within(p, level);
  int type = topo_default_type(t, figures, kind, up, link[level], err);
  if (type < 0) return -1;
  return part->parent < 0 ? berth_topo_add_switch(t, -1, type, host, host, err)
                          : berth_topo_add_switch(t, part->parent, type, name, NULL, err);
}

/* Parts and elements have the same numbers, because both are in depth-first order. link[] is by
 * level. */
static int build(berth_topo_t *t, const parts_t *p, topo_link_t *link,
                 const topo_figures_t *figures, const char *host, berth_error_t *err)
{
  int count[N_KINDS] = {0};
  for (size_t i = 0; i < p->n; i++) {
    const part_t *part = &p->part[i];
    int number = part->is_pu ? 0 : count[part->outer]++;
    int e = part->is_pu ? berth_topo_add_pu(t, part->parent, part->os_index, part->core, err)
                        : add_level(t, p, (int)i, link, figures, host, number, err);
    if (e < 0) return BERTH_BAD_INPUT;
  }
  return berth_topo_finish(t, err);
}

berth_topo_t *description_topo(const char *host, const char *description,
                               const topo_figures_t *figures, berth_error_t *err)
{
  parts_t parts = {0};
  topo_link_t *link = NULL;
  berth_topo_t *t = NULL;
  if (description_parts_read(&parts, description, err) == BERTH_OK) {
    link = malloc(parts.n * sizeof *link);
    t = berth_topo_new(host, err);
    if (!link) no_memory(err);
    if (t && (!link || build(t, &parts, link, figures, host, err))) {
      berth_topo_free(t);
      t = NULL;
    }
  }
  free(link);
  free(parts.part);
  return t;
}

berth_topo_t *berth_topo_from_description(const char *host, const char *description,
                                          berth_error_t *err)
{
  return description_topo(host, description, &topo_default_figures, err);
}
